"""The algebra of contents and of the heap, on random examples."""
from __future__ import annotations

import sys
from collections.abc import Hashable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from interpreted import FRAMES, machine_on

from flowcheck.analyzer.interpret.heap import Heap
from flowcheck.analyzer.interpret.join import Joiner
from flowcheck.analyzer.interpret.machine import Machine
from flowcheck.analyzer.values import MISSING, Atom, Content, Slots, Value

ATOMS = tuple(Atom(layer, f"made{layer}{twin}", None) for layer in range(-1, 3) for twin in "ab")
OLD = tuple(atom for atom in ATOMS if atom.layer < 2)
PARTS = st.tuples(st.sampled_from(ATOMS), st.sampled_from([(), ("* 0.5",)]))
CONTENTS = st.dictionaries(PARTS, st.integers(1, 3), max_size=5).map(Content)
EMPTY = Content({})


@pytest.fixture(autouse=True)
def frames() -> None:
    """Before hypothesis looks how many there are."""
    sys.setrecursionlimit(FRAMES)


def joiner() -> Joiner:
    """A joiner on a machine that is in layer 2."""
    machine = machine_on("")
    machine.walk["layer"] = 2
    return Joiner(machine, machine.unknown("c", "given by the test"), read, read)


def read(slots: Slots, key: Hashable) -> Value:
    return slots.get(key, MISSING)


class TestSum:
    @given(CONTENTS, CONTENTS)
    def test_commutes(self, a: Content, b: Content) -> None:
        assert a.plus(b) == b.plus(a)
        assert hash(a.plus(b)) == hash(b.plus(a))

    @given(CONTENTS, CONTENTS, CONTENTS)
    def test_associates(self, a: Content, b: Content, c: Content) -> None:
        assert a.plus(b).plus(c) == a.plus(b.plus(c))

    @given(CONTENTS)
    def test_of_nothing(self, a: Content) -> None:
        assert a.plus(EMPTY) == a == EMPTY.plus(a)

    @given(CONTENTS, CONTENTS)
    def test_counts_every_part(self, a: Content, b: Content) -> None:
        total = a.plus(b)
        assert sum(total.parts.values()) == sum(a.parts.values()) + sum(b.parts.values())

    @given(CONTENTS, CONTENTS)
    def test_scaling_goes_into_it(self, a: Content, b: Content) -> None:
        assert a.plus(b).scaled("* 2") == a.scaled("* 2").plus(b.scaled("* 2"))

    @given(CONTENTS, CONTENTS)
    def test_the_deepest_part_counts(self, a: Content, b: Content) -> None:
        assert a.plus(b).depth == max(a.depth, b.depth)


class TestJoin:
    @given(CONTENTS)
    def test_of_equals(self, a: Content) -> None:
        assert joiner().join(a, Content(dict(a.parts))) == a

    @given(CONTENTS, CONTENTS)
    def test_twice_is_once(self, a: Content, b: Content) -> None:
        both = joiner()
        assert both.join(a, b) == both.join(a, b)

    @given(CONTENTS, CONTENTS)
    def test_commutes_up_to_the_phi(self, a: Content, b: Content) -> None:
        one, other = joiner().join(a, b), joiner().join(b, a)
        assert isinstance(one, Content) == isinstance(other, Content)
        if isinstance(one, Content) and isinstance(other, Content):
            assert known(one) == known(other)

    @given(CONTENTS, CONTENTS)
    def test_keeps_what_both_have_and_hides_only_the_current_layer(self, a: Content, b: Content) -> None:
        joined = joiner().join(a, b)
        if isinstance(joined, Content):
            for (atom, scales), count in joined.parts.items():
                assert atom not in ATOMS or count == min(a.parts[atom, scales], b.parts[atom, scales])
            older = [{part: n for part, n in c.parts.items() if part[0] in OLD} for c in (a, b, joined)]
            assert older[0] == older[1] == older[2]

    @given(CONTENTS, CONTENTS, CONTENTS)
    def test_equal_differences_get_one_phi(self, a: Content, b: Content, more: Content) -> None:
        both = joiner()
        one, other = both.join(a, b), both.join(a.plus(more), b.plus(more))
        if isinstance(one, Content) and isinstance(other, Content) and a != b:
            assert one.plus(more) == other


def known(content: Content) -> Content:
    """A content without the atoms that a join made."""
    return Content({part: count for part, count in content.parts.items() if part[0] in ATOMS})


# ------------------------------------------------------------------- the heap

WRITES = st.lists(st.tuples(st.integers(0, 2), st.sampled_from("xyz"), st.one_of(st.integers(0, 9), st.just(MISSING))), max_size=12)


def fill(heap: Heap) -> list[Slots]:
    return [heap.new(x=number) for number in range(3)]


def write(heap: Heap, slots: list[Slots], writes: list[tuple[int, str, Value]]) -> None:
    for place, key, value in writes:
        heap.write(slots[place], key, value)


def state(slots: list[Slots]) -> list[dict[Hashable, Value]]:
    return [dict(each) for each in slots]


class TestHeap:
    @given(WRITES, WRITES)
    def test_rollback_restores(self, before: list[tuple[int, str, Value]], after: list[tuple[int, str, Value]]) -> None:
        heap = Heap()
        slots = fill(heap)
        write(heap, slots, before)
        expected = state(slots)
        mark = heap.mark()
        write(heap, slots, after)
        heap.rollback(mark)
        assert state(slots) == expected

    @given(WRITES)
    def test_what_was_collected_can_be_applied_again(self, writes: list[tuple[int, str, Value]]) -> None:
        heap = Heap()
        slots = fill(heap)
        mark = heap.mark()
        write(heap, slots, writes)
        expected, collected = state(slots), heap.collect(mark)
        heap.rollback(mark)
        heap.apply(collected)
        assert state(slots) == expected

    @given(WRITES, WRITES)
    def test_marks_nest(self, outer: list[tuple[int, str, Value]], inner: list[tuple[int, str, Value]]) -> None:
        heap = Heap()
        slots = fill(heap)
        start, first = state(slots), heap.mark()
        write(heap, slots, outer)
        middle, second = state(slots), heap.mark()
        write(heap, slots, inner)
        heap.rollback(second)
        assert state(slots) == middle
        heap.rollback(first)
        assert state(slots) == start

    @given(WRITES, WRITES)
    def test_collecting_between_two_marks(self, outer: list[tuple[int, str, Value]], inner: list[tuple[int, str, Value]]) -> None:
        heap = Heap()
        slots = fill(heap)
        first = heap.mark()
        write(heap, slots, outer)
        expected = {place: (each.before, each.after) for place, each in heap.collect(first).items()}
        second = heap.mark()
        write(heap, slots, inner)
        between = heap.collect_until(first, second)
        assert {place: (each.before, each.after) for place, each in between.items()} == expected

    def test_what_is_born_later_needs_no_journal(self) -> None:
        heap = Heap()
        heap.mark()
        heap.write(heap.new(), "x", 1)
        assert heap.journal == []

    def test_detached_work_outlives_the_branch(self) -> None:
        heap = Heap()
        slots = heap.new()
        mark = heap.mark()
        with heap.detached():
            heap.write(slots, "kept", 1)
        heap.rollback(mark)
        assert slots == {"kept": 1}


def test_a_machine_starts_outside_of_the_layers() -> None:
    machine: Machine = machine_on("")
    assert (machine.layer, machine.post) == (-1, False)
