"""The shortest path that breaks a contract."""
from __future__ import annotations

from dataclasses import replace

from flowcheck.analyzer.breach import breach
from flowcheck.analyzer.results import Comparison, DefaultInEffect, Location, Missed, Overwritten, Side, Step, Width

ENTRY, READER, SETTER, LOOP = (Location(file, line) for file, line in (("d.json", 4), ("run.py", 9), ("tulip.py", 40), ("tulip.py", 22)))
KEY = Step("key", "layer_ids", "[2, 5]", ENTRY)
HANDED = (Step("read", "[2, 5]", "[2, 5]", READER), Step("handed to the setter", "config", "[2, 5]", SETTER))
SHIFTED = Step("+ 1", "[2, 5]", "[3, 6]", SETTER)
KEPT = Step("Tulip.layers =", "[3, 6]", "[3, 6]", SETTER)
TAKEN = tuple(Step("append", f"a tensor of {2 * k + 3} parts up to layer {k}", f"{n} in the list", LOOP) for n, k in ((1, 2), (2, 5)))
SERVED = Side(("out:2", "out:5"), (2, 5), "established", None, None, ENTRY, (), (KEY, *HANDED, SHIFTED, KEPT, *TAKEN))


def told(served: Side, *trained: str, widths: tuple[Width, ...] = ()) -> list[str]:
    side = Side(trained, None, "established", None, None, Location("t.py", 1))
    return [f"{hop.at} {hop.label}" for hop in breach(Comparison("eagle3", "Tulip", served, side, 16, num_layers=8, widths=widths))]


WAY = ["d.json:4 layer_ids: [2, 5]", "tulip.py:40 + 1: [2, 5] -> [3, 6]"]


def test_another_layer() -> None:
    assert told(SERVED, "out:2", "out:6") == [*WAY, "tulip.py:22 takes out:5 where out:6 was trained"]


def test_another_order() -> None:
    assert told(SERVED, "out:5", "out:2") == [*WAY, "tulip.py:22 takes out:2 where out:5 was trained"]


def test_another_stage() -> None:
    assert told(SERVED, "out:2", "out:5/normed") == [*WAY, "tulip.py:22 takes out:5 where out:5/normed was trained"]


def test_one_too_many() -> None:
    assert told(SERVED, "out:2") == [*WAY, "tulip.py:22 takes out:5 where nothing more was trained"]


def test_one_that_is_never_met() -> None:
    served = replace(SERVED, points=("out:2",), ids=(2, 8), missed=Missed((8,), (), None, (LOOP,), Location("tulip.py", 21)))
    assert told(served, "out:2", "out:8")[-1] == "tulip.py:21 never meets id 8, where out:8 was trained"


def test_ids_that_are_kept_as_they_are() -> None:
    served = replace(SERVED, points=("out:1", "out:4"), path=(KEY, *HANDED, replace(KEPT, before="[2, 5]", after="[2, 5]")))
    assert told(served, "out:2", "out:5") == [WAY[0], "tulip.py:40 Tulip.layers = [2, 5]"]


def test_a_guess() -> None:
    guess = (Step("read layer_ids", "nothing", "default", READER), Step("given to the setter", "default", "default", SETTER), KEPT, *TAKEN)
    served = replace(SERVED, ids=None, path=guess)
    side = Side(("out:3",), None, "established", None, None, ENTRY)
    found = breach(Comparison("eagle3", "Tulip", served, side, default=DefaultInEffect("layer_ids", READER)))
    assert [hop.label for hop in found] == [
        "read layer_ids: nothing -> default", "Tulip.layers = [3, 6]", "takes out:2 where out:3 was trained",
    ]  # fmt: skip


def test_what_is_written_later() -> None:
    lost = Overwritten("out:2/overwritten", LOOP, (Location("tulip.py", 30),))
    served = replace(SERVED, points=("out:2/overwritten", "out:5"), overwritten=(lost,))
    assert told(served, "out:2", "out:5")[-2:] == [
        "tulip.py:22 takes out:2/overwritten where out:2 was trained", "tulip.py:30 writes to out:2 in place",
    ]  # fmt: skip


def test_another_width() -> None:
    width = Width(48, "config.hidden_size * 3", Location("draft.py", 7))
    expected = "draft.py:7 fc takes 48 features (config.hidden_size * 3), 2 states of 16 are served"
    assert told(SERVED, "out:2", "out:5", widths=(width,))[-1] == expected
