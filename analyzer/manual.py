"""``--help`` as a page of a manual: from texts that are data and the options that a command has, wrapped to the terminal."""
from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from .help_texts import ABOUT, FIRST, GROUPS, NEXT, TITLE, Page, Pairs

NARROWEST, WIDEST = 40, 100
ROOMY = 64
"""From this width on, options and what they mean stand side by side."""
OTHERS = "More options"
WORD = re.compile(r'''--?[\w-]+ (?:"[^"]*"|[^\s"-])(?:"[^"]*"|[^\s"])*|(?:"[^"]*"|[^\s"])+''')
"""An option with its value, or a word; either may have blanks between quotation marks."""


class Formatter(Protocol):
    """What the command line offers for wrapping."""

    width: int

    def write(self, string: str) -> None: ...
    def write_text(self, text: str) -> None: ...
    def write_dl(self, rows: Sequence[tuple[str, str]], col_max: int = 30) -> None: ...
    def indent(self) -> None: ...
    def dedent(self) -> None: ...


def page_width() -> int:
    """As wide as the terminal, within bounds; 80 where there is none."""
    return min(max(shutil.get_terminal_size((80, 24)).columns, NARROWEST), WIDEST)


def write_page(name: str, page: Page, options: Mapping[str, tuple[str, str]], out: Formatter) -> None:
    """The page of a command. ``options`` are its parameters by name, each as it is written and what it means."""
    out.width = page_width()
    paragraphs("NAME", (f"flowcheck {name} - {page.summary}",), out)
    section("SYNOPSIS", out)
    for line in page.synopsis:
        command(line, out)
    out.write("\n")
    paragraphs("DESCRIPTION", page.description.strip().split("\n\n"), out)
    for title, names in grouped(options).items():
        terms(f"OPTIONS: {title}", [plain(*options[each]) for each in names], out)
    terms("EXIT STATUS", page.status, out)
    terms("FILES", page.files, out)
    terms("ENVIRONMENT", page.environment, out)
    examples(page.examples, out)
    paragraphs("SEE ALSO", (page.see_also,), out)


def write_overview(summaries: Pairs, options: Mapping[str, tuple[str, str]], out: Formatter) -> None:
    """The page of the program: its commands, one line each, three examples, and where to go on."""
    out.width = page_width()
    paragraphs("NAME", (f"flowcheck - {TITLE}",), out)
    section("SYNOPSIS", out)
    for line in ("flowcheck SOURCE... [OPTIONS]", "flowcheck COMMAND [ARGUMENTS] [OPTIONS]"):
        command(line, out)
    out.write("\n")
    paragraphs("DESCRIPTION", (ABOUT,), out)
    terms("COMMANDS", summaries, out)
    terms("OPTIONS", list(options.values()), out)
    examples(FIRST, out)
    paragraphs("WHERE TO GO NEXT", (NEXT,), out)


def grouped(options: Iterable[str]) -> dict[str, list[str]]:
    """The parameters under their headings, in the order of the headings."""
    headings = {name: title for title, names in GROUPS.items() for name in names}
    found: dict[str, list[str]] = {title: [] for title in (*GROUPS, OTHERS)}
    for name in options:
        found[headings.get(name, OTHERS)].append(name)
    return {title: names for title, names in found.items() if names}


def plain(term: str, meaning: str) -> tuple[str, str]:
    """``SOURCE`` of ``SOURCE <list[str]>``. What is required the synopsis says, and the settings may give it."""
    return term.partition(" <")[0], meaning.removesuffix("  [required]")


def section(title: str, out: Formatter) -> None:
    out.write(f"{title}\n")


def paragraphs(title: str, texts: Sequence[str], out: Formatter) -> None:
    section(title, out)
    out.indent()
    for text in texts:
        out.write_text(text)
        out.write("\n")
    out.dedent()


def terms(title: str, rows: Sequence[tuple[str, str]], out: Formatter) -> None:
    """A list of terms and what they mean; on a narrow terminal the meaning goes below."""
    if not rows:
        return
    section(title, out)
    out.indent()
    out.write_dl(rows, 32 if out.width >= ROOMY else 4)
    out.dedent()
    out.write("\n")


def examples(pairs: Pairs, out: Formatter) -> None:
    section("EXAMPLES", out)
    for what, line in pairs:
        out.indent()
        out.write_text(what)
        out.dedent()
        command(line, out, "    ")
    out.write("\n")


def command(line: str, out: Formatter, indent: str = "  ") -> None:
    """A command that a shell takes as it stands: where it is too long it goes on in the next line, as a rule with an option."""
    room = out.width - len(indent) - len("   \\")
    told = indent
    for unit in WORD.findall(line):
        for word in [unit] if len(unit) <= room else unit.split(" "):
            if told.strip() and len(told) + len(word) + len(" \\") > out.width:
                out.write(f"{told.rstrip()} \\\n")
                told = f"{indent}  "
            told += f"{word} "
    out.write(f"{told.rstrip()}\n")
