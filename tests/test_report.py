"""What a person reads on the terminal."""
from __future__ import annotations

from dataclasses import replace

from results_examples import (
    NO_DEEPSTACK,
    OPEN_SIDE,
    SERVED,
    SINGLE_RANK,
    TRAINED,
    analysis,
    comparison,
    depending,
    evaluation,
    every_id,
    raising,
    unknown_wiring,
    unproved,
    wiring,
)

from flowcheck.analyzer.escape import terminal
from flowcheck.analyzer.report import Detail, check_report, wiring_report
from flowcheck.analyzer.results import Analysis, Clause, Evaluation, Location, NotEstablished, Step, Wiring
from flowcheck.analyzer.rule import Finding, Hop, Severity, judge
from flowcheck.analyzer.text import Span, line, paint
from flowcheck.rules import RULES

PLAIN = Detail()


def table(*wirings: Wiring, detail: Detail = PLAIN) -> str:
    """The bare run over these wirings."""
    found = analysis(*wirings)
    return paint(wiring_report(found, judge(found, RULES), False, detail), False)


def answers(*wirings: Wiring, detail: Detail = PLAIN) -> str:
    """The run with ``--ids``."""
    found = analysis(*wirings)
    return paint(wiring_report(found, judge(found, RULES), True, detail), False)


def fact(text: str, label: str) -> list[str]:
    """The texts behind a label of a block, its continuation lines included."""
    lines = text.splitlines()
    start = next(number for number, one in enumerate(lines) if one.startswith(f"  {label} "))
    rest = [one.strip() for one in lines[start + 1 :]]
    count = next((number for number, one in enumerate(lines[start + 1 :]) if not one.startswith(" " * 16)), len(rest))
    return [lines[start].removeprefix(f"  {label}").strip(), *rest[:count]]


def test_the_bare_run_of_one_target() -> None:
    assert table(wiring()) == """\
engine 1.0 in engine: 12 files, 3 read
1 wiring: 1 established

eagle3 set_layers · behaviour 1 · 1 target class
  convention    id k captures out:k
  default       out:0, out:L//2-1, out:L-2
                out:0, out:1, out:2 of 4 layers
  id -1         raises TypeError: hidden + None
  id 0          out:0
  id L-1 = 3    nothing
  id L = 4      nothing
  order         layer order
                repeated ids collapse
  assumes       single-rank
    LlamaForCausalLM
      setter engine/llama.py:70; forward LlamaModel line 30; raises at line 41 (ids -1)

Known of the default and of ids at the edges: FC301 at 1 place (--verbose tells each)

Assumptions used
  single-rank  One rank holds every layer.
"""


def test_classes_with_an_inherited_setter_share_a_line() -> None:
    text = table(wiring("LlamaForCausalLM"), wiring("MistralForCausalLM"), wiring("Phi3ForCausalLM"))
    assert "    LlamaForCausalLM, MistralForCausalLM, Phi3ForCausalLM\n" in text
    assert text.count("setter engine/llama.py:70") == 1


def test_targets_that_fail_for_different_reasons_stay_apart() -> None:
    text = answers(unknown_wiring("A", "no layers"), unknown_wiring("B", "no forward"))
    assert "not established: no layers" in text
    assert "not established: no forward" in text


def test_classes_that_behave_alike_share_a_block_although_their_code_lies_elsewhere() -> None:
    text = table(wiring(), wiring("Qwen2ForCausalLM", Location("engine/qwen2.py", 88)))
    assert "behaviour 1 · 2 target classes" in text
    assert "behaviour 2" not in text
    assert "setter engine/qwen2.py:88; forward LlamaModel line 30; raises at line 41 (ids -1)" in text


def test_the_common_behaviour_comes_before_the_outlier() -> None:
    shifted = wiring("OutlierForCausalLM", Location("engine/a.py", 1), (evaluation((0,), "embed"),))
    text = table(shifted, wiring(), wiring("Qwen2ForCausalLM", Location("engine/qwen2.py", 88)))
    assert text.index("LlamaForCausalLM") < text.index("OutlierForCausalLM")


def test_an_assumption_of_some_members_stands_with_them_and_is_explained_once() -> None:
    other = replace(wiring("VisionModel", Location("engine/vision.py", 5)), assumptions=(SINGLE_RANK, NO_DEEPSTACK))
    text = table(wiring(), other)
    assert fact(text, "assumes") == ["single-rank"]
    assert "      assumes no-deepstack too\n" in text
    assert text.count(NO_DEEPSTACK.text) == text.count(SINGLE_RANK.text) == 1


def test_what_was_not_run_is_said_to_be_not_tried() -> None:
    text = table(wiring(evaluated=(evaluation((0,), "out:0"),)))
    assert fact(text, "order") == fact(text, "id -1") == ["not tried"]


def test_an_edge_that_was_not_run_shows_its_clause() -> None:
    clauses = (Clause("id k", "out:k"), Clause("id -1", "embed"))
    text = table(replace(wiring(evaluated=(evaluation((0,), "out:0"),)), convention=clauses))
    assert fact(text, "id -1") == ["embed"]
    assert fact(text, "convention") == ["id k captures out:k"]


def order_of(*rows: Evaluation) -> list[str]:
    return fact(table(wiring(evaluated=rows)), "order")


def test_order_follows_the_list_in_a_hook_trainer() -> None:
    assert order_of(evaluation((2, 0, 1), "out:2", "out:0", "out:1")) == ["list order"]


def test_order_that_is_neither_is_shown() -> None:
    assert order_of(evaluation((2, 0, 1), "out:2", "out:1", "out:0")) == ["ids 2,0,1: out:2, out:1, out:0"]


def test_repeated_ids_may_stay() -> None:
    assert order_of(evaluation((2, 2), "out:2", "out:2")) == ["repeated ids stay"]


def test_unsorted_ids_may_be_refused() -> None:
    assert order_of(raising((2, 0, 1), "ValueError: unsorted (engine/llama.py:9)")) == ["ids 2,0,1: raises ValueError: unsorted"]


def test_each_id_list_has_its_answer() -> None:
    rows = (
        evaluation((0, 2), "out:0", "out:2"),
        evaluation((4,)),
        raising((-1, 2), "TypeError: hidden + None (engine/llama.py:41)"),
        depending((1,), "self.fused  and\n  ready", ("out:1",), "KeyError: 'x' (engine/llama.py:50)"),
        unproved(None, "num_layers is unknown", Location("engine/llama.py", 12)),
    )
    assert answers(wiring(evaluated=rows)) == """\
engine 1.0 in engine: 12 files, 3 read
1 wiring: 1 established

LlamaForCausalLM  eagle3 set_layers
  setter engine/llama.py:70; forward LlamaModel line 30
  4 layers; assumes single-rank
  0,2      out:0, out:2
  4        nothing
  -1,2     raises TypeError: hidden + None (engine/llama.py:41)
  1        depends: out:1 where `self.fused and ready` is true (engine/llama.py:33)
           or raises KeyError: 'x' (engine/llama.py:50) where `self.fused and ready` is false (engine/llama.py:33)
  default  not established: num_layers is unknown (engine/llama.py:12)

Not established
  engine/llama.py:12: info FC901 LlamaForCausalLM (ids default) is not established: num_layers is unknown

Assumptions used
  single-rank  One rank holds every layer.
"""


def test_verbose_prints_the_derivation() -> None:
    rows = (evaluation((0, 2), "out:0", "out:2"),)
    hop = "[0, 2] --(+ 1, engine/llama.py:70)--> [1, 3]"
    assert hop in answers(wiring(evaluated=rows), detail=Detail(verbose=True))
    assert hop not in answers(wiring(evaluated=rows))


def test_a_wiring_that_was_never_run_says_why() -> None:
    assert "  not established: make_blocks is not in the tree (engine/tulip.py:9)\n" in answers(unknown_wiring())


def test_an_unproved_target_stands_in_the_table_and_at_the_end() -> None:
    text = table(unknown_wiring())
    assert fact(text, "convention") == ["not established", "make_blocks is not in the tree"]
    assert text.endswith(
        "\nNot established\n"
        "  engine/tulip.py:9: info FC901 TulipForCausalLM is not established: make_blocks is not in the tree\n"
        "\nAssumptions used\n  single-rank  One rank holds every layer.\n"
    )


def test_a_clean_tree_has_no_section_of_findings() -> None:
    assert "Not established" not in table(wiring())
    assert "Findings" not in table(wiring())


def check(found: Analysis, *findings: Finding, detail: Detail = PLAIN) -> str:
    return paint(check_report(found, findings, detail), False)


def test_a_finding_with_its_consequence_and_path() -> None:
    at = Location("engine/llama.py", 72)
    symptom = Finding("FC101", "captured-point-mismatch", Severity.ERROR, "id 2 captures out:1", at)
    hops = (Hop("the second call", at),)
    cause = Finding("FC208", "reset-by-later-call", Severity.ERROR, "set again", at, path=hops, consequences=(symptom,))
    text = check(analysis(wiring()), cause, detail=Detail(verbose=True))
    assert (
        "Findings\n"
        "  engine/llama.py:72: error FC208 set again\n"
        "    engine/llama.py:72: the second call\n"
        "      engine/llama.py:72: error FC101 id 2 captures out:1\n"
    ) in text


def test_a_draft_stands_between_the_table_and_the_findings() -> None:
    found = analysis(wiring(), comparisons=(comparison(), comparison(trained=OPEN_SIDE)))
    printed = check(found)
    assert (
        "Draft with LlamaForCausalLM: served = trained\n"
        "  served        out:0, out:2  (ids 0,2, draft/config.json:7)\n"
        "  trained       out:0, out:2  (ids 0,2, trainer/features.py:20)\n"
    ) in printed
    assert (
        "Draft with LlamaForCausalLM\n"
        "  served        out:0, out:2  (ids 0,2, draft/config.json:7)\n"
        "  trained       not established: no model that is known (trainer/features.py:3)\n"
    ) in printed
    assert "recorded-files" in printed


def test_a_way_is_printed_once() -> None:
    """Under the draft where nothing is wrong with it, else under the finding."""
    shifted = replace(SERVED, points=("out:1", "out:3"), path=(Step("+ 1", "[1, 3]", "[2, 4]", Location("engine/llama.py", 70)),))
    right, wrong = comparison(shifted, replace(TRAINED, points=shifted.points)), comparison(shifted)
    for compared in (right, wrong):
        found = analysis(wiring(), comparisons=(compared,))
        printed = check(found, *judge(found, RULES), detail=Detail(verbose=True)).partition("\nDraft with")[2]
        assert printed.count("[2, 4]") == 1
        assert ("served: + 1: [1, 3] -> [2, 4]" in printed) is (compared is wrong)


def test_equal_stages_are_not_called_equal() -> None:
    points = ("out:0/normed", "out:2")
    found = analysis(comparisons=(comparison(replace(SERVED, points=points), replace(TRAINED, points=points)),))
    assert "Draft with LlamaForCausalLM: whether served = trained is not established\n" in check(found)


def test_a_quiet_check_prints_the_findings_alone() -> None:
    found = analysis(wiring(), not_established=(NotEstablished("file", "invalid syntax", Location("engine/x.py", 3)),))
    assert check(found, *judge(found, RULES), detail=Detail(quiet=True)) == (
        "engine/x.py:3: info FC902 this file could not be read: invalid syntax\n"
    )


def test_nothing_from_the_source_drives_the_terminal() -> None:
    evil = "Evil\x1b[31m\u202eModel\nnext\x9b\u2066"
    text = table(wiring(evil), unknown_wiring("Tulip", evil))
    assert r"Evil\x1b[31m\u202eModel\nnext\x9b\u2066" in text
    assert not set(text) & set("\x1b\u202e\x9b\u2066")


def test_escape_leaves_readable_text_alone() -> None:
    assert terminal("Über/模型.py: it’s fine") == "Über/模型.py: it’s fine"
    assert terminal("a\tb\udcff") == r"a\tb\udcff"


def test_colours_are_wrapped_around_escaped_text() -> None:
    assert paint([line("x ", Span("a\x1b", "red"))], True) == "x \x1b[31ma\\x1b\x1b[0m\n"
    assert paint([line("x ", Span("a\x1b", "red"))], False) == "x a\\x1b\n"


def test_the_report_is_the_same_every_time() -> None:
    many = [wiring(f"Model{n}", Location(f"engine/m{n % 3}.py", n), every_id(Location(f"engine/m{n % 3}.py", n))) for n in range(9)]
    assert table(*many) == table(*many)
