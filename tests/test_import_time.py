"""What a module does at its import is done before all else, whenever the analysis comes to it."""
from __future__ import annotations

from flow_comments import spoken
from test_some_configs import PLAIN, Analyse, analyse, answers, walk

__all__ = ["analyse"]
UNPROVED = ("not established",)


def sets_first(line: str) -> str:
    """The target class, whose setter runs a line before it keeps the ids."""
    return PLAIN.replace(
        "= M\n",
        f"""= M

    def set_eagle3_layers_to_capture(self, layer_ids=None):
        {line}
        super().set_eagle3_layers_to_capture(layer_ids)
""",
    )


def test_a_constant_is_what_it_was_at_import(analyse: Analyse) -> None:
    model = "N = [0]\nAT_IMPORT = N[0]\n" + walk().replace("if i in", "if i + AT_IMPORT in")
    assert answers(analyse(model + sets_first("N[0] = 1"), (3,))) == ("out:3",)


def test_what_the_program_wrote_is_still_there_afterwards(analyse: Analyse) -> None:
    model = "N = [0]\nAT_IMPORT = N[0]\n" + walk().replace("if i in", "if i + AT_IMPORT + N[0] in")
    assert answers(analyse(model + sets_first("N[0] = 1"), (3,))) == ("out:2",)


def test_each_run_finds_the_import_as_it_was(analyse: Analyse) -> None:
    model = "N = [0]\nAT_IMPORT = N[0]\n" + walk().replace("if i in", "if i + AT_IMPORT in")
    chosen = sets_first("N[0] = 1 if layer_ids and layer_ids[0] == 2 else 0")
    (wiring,) = analyse(model + chosen, (2,), (3,))
    assert [spoken(evaluation) for evaluation in wiring.evaluated] == [("out:2",), ("out:3",)]


def test_an_import_that_changes_what_the_program_changed_is_not_established(analyse: Analyse) -> None:
    model = "N = [0]\n\ndef more():\n    N.append(1)\n    return 0\n\nLATE = more()\n" + walk().replace("if i in", "if i + LATE + N[1] in")
    assert answers(analyse(model + sets_first("N.append(0)"), (3,))) in {("out:2",), UNPROVED}
