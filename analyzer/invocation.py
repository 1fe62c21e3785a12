"""What surrounds a command: which one a line of arguments means, and what is said where it could not be done."""
from __future__ import annotations

import sys
from collections.abc import Collection, Sequence


def command_first(arguments: Sequence[str], commands: Collection[str], takes_value: Collection[str]) -> list[str]:
    """The arguments with the command first: ``check`` where the first argument that is no option names none. ``takes_value`` are the
    options that a value follows."""
    rest = iter(range(len(arguments)))
    for position in rest:
        argument = arguments[position]
        if argument in ("--version", "--help", "-h"):
            return [argument]
        if argument in ("--install-completion", "--show-completion"):
            return [*arguments[position:]]
        if argument in takes_value:
            next(rest, None)
        elif not argument.startswith("-") and argument in commands:
            return [argument, *arguments[:position], *arguments[position + 1 :]]
        elif argument == "--" or not argument.startswith("-"):
            break
    return ["check", *arguments]


def complain(error: Exception, debug: bool) -> None:
    """One line on stderr; the traceback before it where it was asked for."""
    from .escape import terminal

    if debug:
        import traceback

        traceback.print_exc()
    text = str(getattr(error, "format_message", error.__str__)())
    if text == "Missing argument 'SOURCE'.":
        text += " Name one, or give `source` in flowcheck.toml or pyproject.toml"
    print(f"flowcheck: {terminal(' '.join(text.split()))}", file=sys.stderr)


def report_bug() -> None:
    """A crash is a bug of ours: its traceback, and a status that no finding has."""
    import traceback

    traceback.print_exc()
    print("flowcheck: this is a bug in flowcheck; please report it with the traceback above", file=sys.stderr)
