"""The comment on a pull request, as it is read: rendered as a forge would, within its bounds, and deaf to whatever a name says."""
from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt
from results_examples import SERVED, comparison
from told_examples import EDGE, FACT, HOSTILE, MISMATCH, SETTER, STALE, hostile, told

from flowcheck.analyzer.check_comment import check_comment
from flowcheck.analyzer.comment import LONGEST, Comment, block
from flowcheck.analyzer.escape import markdown_code, markdown_text, terminal
from flowcheck.analyzer.judging import SetAside
from flowcheck.analyzer.path_diagram import MOST_HOPS, Way, abridged, diagram, ways_of
from flowcheck.analyzer.report import Detail
from flowcheck.analyzer.rule import Hop
from flowcheck.analyzer.told import Told

PLAIN = Detail()
OURS = {
    "h3", "ul", "li", "p", "table", "thead", "tbody", "tr", "th", "td", "strong", "code", "pre", "details", "summary", "sub", "br",
}  # fmt: skip
"""What a comment is made of. There are no links and no images in it."""


class Page(HTMLParser):
    """A comment as a forge renders it: the elements, what they contain, and their attributes."""

    def __init__(self, comment: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: set[tuple[str, str | None]] = set()
        self.texts: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.feed(MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough").render(comment))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes |= set(attrs)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def within(self, *tags: str) -> list[str]:
        """The texts right inside of these elements."""
        return [text.replace("\u200b", "") for tag, text in self.texts if tag in tags]

    def whole(self) -> str:
        return "".join(text for _, text in self.texts).replace("\u200b", "")


def page(*each: Told, detail: Detail = PLAIN) -> Page:
    return Page(check_comment(each, detail))


class TestCheck:
    def test_it_begins_with_a_mark_and_what_there_is(self) -> None:
        text = check_comment([told(MISMATCH, STALE, STALE, FACT)], PLAIN)
        assert text.splitlines()[:3] == ["<!-- flowcheck -->", "", "### flowcheck: 1 error, 2 warnings, 1 fact to know"]
        assert "* <code>engine 1.0</code> in <code>engine</code>: 2 wirings: 1 established, 1 not established\n" in text

    def test_nothing_found(self) -> None:
        shown = page(told())
        assert shown.within("h3") == ["flowcheck: nothing found"]
        assert shown.tags["details"] == 0

    def test_the_verdicts_come_before_the_findings(self) -> None:
        other = replace(comparison(replace(SERVED, points=("out:1",))), draft="b.json")
        found = told(MISMATCH)
        both = (replace(comparison(), draft="a.json"), other)
        shown = page(replace(found, analysis=replace(found.analysis, comparisons=both)))
        assert shown.within("th") == ["draft", "target", "served", "trained", "verdict", "rule", "where", "what"]
        assert shown.within("td", "strong")[:2] == ["same", "other"]

    def test_the_worst_first_whichever_source_it_is_of(self) -> None:
        shown = page(told(FACT, STALE), told(MISMATCH))
        assert re.findall(r"FC\d+", "".join(shown.within("summary"))) == ["FC101", "FC210", "FC309"]

    def test_a_finding_is_folded_with_its_line_its_path_and_its_help(self) -> None:
        shown = page(told(replace(MISMATCH, consequences=(STALE,))))
        folded = "".join(text for tag, text in shown.texts if tag == "pre")
        assert '4 | "ids": [1]' in folded
        assert "engine/llama.py:70: served: + 1: [1] -> [2]\n" in folded
        assert "trainer/hooks.py:20: trained: concatenated: 1 parts -> out:2\n" in folded
        assert "so warning FC210: marks are never taken back" in shown.whole()
        assert "help: ids [2] make it capture what was trained" in shown.whole()

    def test_the_way_of_the_worst_one_is_drawn(self) -> None:
        text = check_comment([told(STALE), told(MISMATCH)], PLAIN)
        assert text.count("```mermaid\n") == 1
        assert diagram(ways_of(MISMATCH), "FC101 captured-point-mismatch") in text

    def test_facts_are_not_drawn(self) -> None:
        assert "mermaid" not in check_comment([told(replace(FACT, path=MISMATCH.path))], PLAIN)

    def test_what_the_table_of_wirings_tells_is_counted(self) -> None:
        shown = page(told(EDGE, EDGE, aside=(SetAside(STALE, "comment", "called once"),)))
        assert shown.within("sub") == ["Known of the default and of ids at the edges: FC301 at 2 places.", "Set aside: 1 suppressed."]
        assert page(told(EDGE), detail=Detail(verbose=True)).tags["details"] == 1


class TestRoom:
    @pytest.mark.parametrize("text", ["é" * 300, "`|<@" * 100, "🙂" * 500], ids=["two bytes", "escapes", "emoji"])
    def test_however_much_is_found_it_is_short_enough(self, text: str) -> None:
        many = [replace(MISMATCH, message=f"{number} {text}", draft=f"{number}.json") for number in range(400)]
        found = told(*many)
        fed = tuple(replace(comparison(replace(SERVED, points=(text,))), draft=f"{number}{text}") for number in range(400))
        written = check_comment([replace(found, analysis=replace(found.analysis, comparisons=fed))], PLAIN)
        assert 50_000 < len(written.encode()) <= LONGEST
        shown = Page(written)
        assert shown.tags["details"] > 0
        assert not set(shown.tags) - OURS
        left = dict(re.findall(r"(\d+) (verdicts|rows|finding's details)", shown.within("sub")[0]))
        assert set(left.values()) == {"verdicts", "rows", "finding's details"}

    def test_what_is_shown_and_what_is_left_out_is_all(self) -> None:
        comment = Comment(room=1000)
        comment.table(["n"], ([str(number) * 10] for number in range(100)), "row")
        shown = Page(comment.text())
        assert int(re.findall(r"(\d+) rows", shown.within("sub")[0])[0]) + len(shown.within("td")) == 100

    def test_a_part_without_room_does_not_stop_smaller_ones(self) -> None:
        comment = Comment(room=100)
        assert not comment.add("x" * 200, "picture")
        assert comment.add("y")
        assert comment.text().endswith("y\n\n<sub>Left out for want of room: 1 picture.</sub>\n")


@pytest.mark.parametrize("text", HOSTILE)
class TestHostile:
    def test_a_name_makes_nothing_of_the_page(self, text: str) -> None:
        plain = page(hostile("name"))
        shown = page(hostile(text))
        assert shown.tags == plain.tags
        assert shown.attributes == {("class", "language-mermaid")}

    def test_it_is_read_as_it_is(self, text: str) -> None:
        shown = terminal(text)
        for written in (markdown_text(text), markdown_code(text)):
            assert Page(f"a {written} b").whole().strip() == f"a {shown} b"
        assert Page(f"| a |\n| --- |\n| {markdown_code(text)} |").within("td", "code")[0].strip() in (shown, shown.strip())
        assert Page(block([text])).whole().strip("\n") == shown

    def test_it_calls_nobody(self, text: str) -> None:
        """A forge looks for people, issues and small pictures in the text of the finished page, but not in code."""
        loose = [piece for tag, piece in Page(check_comment([hostile(text)], PLAIN)).texts if tag not in ("code", "pre")]
        assert not [piece for piece in loose if re.search(r"@\w|#\d|:[\w+-]+:", piece)]

    def test_a_picture_keeps_its_form(self, text: str) -> None:
        quoted = r'"[^"\n<>`]*(?:<br/>[^"\n<>`]*)*"'
        form = re.compile(
            rf"flowchart TB|  subgraph way\d\[{quoted}\]|    w\dn\d\[{quoted}\]:::way\d|    w\dn\d (-->|-\.->\|{quoted}\|) w\dn\d|  end"
            rf"|  w\dn\d -->(\|{quoted}\|)? finding|  finding\(\[{quoted}\]\):::found|  classDef \w+ [\w:#,-]+"
        )
        finding = hostile(text).findings[0]
        lines = diagram((*ways_of(finding), Way(text, finding.path, text)), text).splitlines()
        assert [line for line in lines if not form.fullmatch(line)] == []


class TestPicture:
    def test_both_ways_meet_in_the_finding(self) -> None:
        assert diagram(ways_of(MISMATCH), "FC101").splitlines() == [
            "flowchart TB",
            '  subgraph way0["served"]',
            '    w0n0["key: ids<br/>-#62; [1]<br/>a.json:4"]:::way0',
            '    w0n1["#43;#32;1: [1]<br/>-#62; [2]<br/>llama.py:70"]:::way0',
            '    w0n0 -.->|"1 hop"| w0n1',
            "  end",
            '  w0n1 -->|"out:1"| finding',
            '  subgraph way1["trained"]',
            '    w1n0["hook: forward hook<br/>-#62; layer 2<br/>hooks.py:20"]:::way1',
            '    w1n1["concatenated: 1 parts<br/>-#62; out:2<br/>hooks.py:20"]:::way1',
            "    w1n0 --> w1n1",
            "  end",
            '  w1n1 -->|"out:2"| finding',
            '  finding(["FC101"]):::found',
            "  classDef way0 fill:#dcebf9,stroke:#5f6368,color:#222222",
            "  classDef way1 fill:#d9f0e4,stroke:#5f6368,color:#222222",
            "  classDef found fill:#f8d7da,stroke:#5f6368,color:#222222",
        ]

    def test_a_way_of_its_own_has_no_frame(self) -> None:
        assert "subgraph" not in diagram(ways_of(STALE), "FC210")

    def test_hops_that_hand_on_are_counted_and_the_shift_is_kept(self) -> None:
        assert shown_of(["key: ids -> [1]", "x: [1] -> [1]", "y: [1] -> [1]", "+ 1: [1] -> [2]", "kept: [2] -> [2]"]) == [
            (0, "key: ids -> [1]"), (2, "+ 1: [1] -> [2]"), (0, "kept: [2] -> [2]"),
        ]  # fmt: skip

    def test_a_long_way_keeps_both_ends(self) -> None:
        found = shown_of([f"step {number}" for number in range(100)])
        assert len(found) == MOST_HOPS
        assert (found[0], found[-1]) == ((0, "step 0"), (0, "step 99"))
        assert sum(skipped for skipped, _ in found) + len(found) == 100


def shown_of(labels: Sequence[str]) -> list[tuple[int, str]]:
    return [(each.skipped, each.hop.label) for each in abridged([Hop(label, SETTER) for label in labels], MOST_HOPS)]
