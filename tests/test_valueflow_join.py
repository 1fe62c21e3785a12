"""The algebra of the value flow: joining values, and the states where two paths meet."""
from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flowcheck.analyzer.graph import Node
from flowcheck.analyzer.results import Location
from flowcheck.analyzer.valueflow.domain import MOST_THINGS, UNKNOWN, Exact, Items, Object, Thing, Val, exact, join, join_all
from flowcheck.analyzer.valueflow.store import State, joined

NODES = tuple(Node("variable", name, Location("tulip.py", line)) for line, name in enumerate("abcd", 1))
OBJECTS = tuple(Object(name, made=name.startswith("made")) for name in ("made one", "made two", "runner", "batch"))

nodes = st.frozensets(st.sampled_from(NODES), max_size=2)
constants = st.sampled_from([None, True, False, 0, 1, "one"]).map(Exact)
plain = st.one_of(constants, st.sampled_from(OBJECTS))


def values(things: st.SearchStrategy[Thing]) -> st.SearchStrategy[Val]:
    """Values of few things, so that a join of three stays below the bound."""
    return st.builds(
        Val,
        st.lists(things, max_size=2, unique=True).map(tuple),
        st.booleans(),
        nodes,
        st.frozensets(st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)), max_size=2),
        st.frozensets(st.sampled_from([("draft", ()), ("target", ("text_config",))]), max_size=2),
        st.booleans(),
    )


flat = values(plain)
nested = values(st.one_of(plain, st.lists(flat, max_size=2).map(lambda items: Items(tuple(items)))))
names = st.dictionaries(st.sampled_from("xyz"), flat, max_size=3)
heaps = st.dictionaries(st.sampled_from(OBJECTS), st.dictionaries(st.sampled_from(["ids", "states"]), flat, max_size=2), max_size=3)
states = st.builds(State, names, heaps, nodes, st.booleans())


def unordered(val: Val) -> object:
    """A value up to the order of its things."""
    return frozenset(map(unordered_thing, val.things)), val.open, val.marks, val.carry, val.origin, val.mixed


def unordered_thing(thing: Thing) -> object:
    return tuple(map(unordered, thing.items)) if isinstance(thing, Items) else thing


def all_marks(val: Val) -> frozenset[Node]:
    """The marks of a value and of the items in it."""
    return val.marks.union(*(all_marks(item) for thing in val.things if isinstance(thing, Items) for item in thing.items))


def unordered_state(state: State | None) -> object:
    assert state is not None
    heap = {thing: {name: unordered(val) for name, val in fields.items()} for thing, fields in state.heap.items()}
    return {name: unordered(val) for name, val in state.names.items()}, heap, state.control, state.unsure


def initial(thing: Object, name: str) -> Val:
    return exact(f"{thing.path}.{name}")


class TestJoin:
    @given(nested, nested)
    def test_either_order(self, a: Val, b: Val) -> None:
        assert unordered(join(a, b)) == unordered(join(b, a))

    @given(nested)
    def test_with_itself(self, a: Val) -> None:
        assert join(a, a) == a

    @given(nested, nested)
    def test_a_second_time_adds_nothing(self, a: Val, b: Val) -> None:
        both = join(a, b)
        assert unordered(join(both, a)) == unordered(join(both, b)) == unordered(both)

    @given(flat, flat, flat)
    def test_in_any_grouping(self, a: Val, b: Val, c: Val) -> None:
        assert unordered(join(join(a, b), c)) == unordered(join(a, join(b, c)))

    @pytest.mark.xfail(strict=True, reason="two tuples of one length are joined item by item only where neither may be anything else")
    def test_tuples_in_any_grouping(self) -> None:
        one, two = (Val((Items((exact(n), exact(n))),)) for n in range(2))
        assert unordered(join(join(one, two), exact(None))) == unordered(join(one, join(two, exact(None))))

    @given(st.lists(nested, max_size=3))
    def test_no_mark_is_lost(self, vals: list[Val]) -> None:
        assert all_marks(join_all(vals)) == frozenset().union(*map(all_marks, vals))

    @given(nested, nested)
    def test_nothing_else_is_lost(self, a: Val, b: Val) -> None:
        both = join(a, b)
        assert both.carry == a.carry | b.carry
        assert both.origin == a.origin | b.origin
        assert both.mixed == (a.mixed or b.mixed)
        assert both.open >= (a.open or b.open)

    def test_none_and_something_unknown(self) -> None:
        assert join(exact(None), UNKNOWN) == Val((Exact(None),), open=True)

    @pytest.mark.parametrize(("one", "other"), [(1, True), (0, False), (0, None), (1, 1.0), ("", 0)])
    def test_equal_constants_of_two_types_are_two(self, one: object, other: object) -> None:
        assert len(join(exact(one), exact(other)).things) == 2  # type: ignore[arg-type]

    def test_two_tuples_of_one_length_are_joined_item_by_item(self) -> None:
        found = join(Val((Items((exact(1), exact(2))),)), Val((Items((exact(1), exact(3))),)))
        assert found.only == Items((exact(1), Val((Exact(2), Exact(3)))))

    def test_two_tuples_of_two_lengths_stay_two(self) -> None:
        assert len(join(Val((Items(()),)), Val((Items((exact(1),)),))).things) == 2


class TestBound:
    many = tuple(exact(number).marked(NODES[number % 4]) for number in range(MOST_THINGS + 2))

    def test_what_is_one_of_too_many_is_open(self) -> None:
        assert not join_all(self.many[:MOST_THINGS]).open
        assert join_all(self.many[: MOST_THINGS + 1]).open

    def test_there_are_never_more(self) -> None:
        assert len(join_all(self.many).things) == MOST_THINGS

    def test_no_mark_is_lost(self) -> None:
        assert join_all(self.many).marks == set(NODES)

    @pytest.mark.xfail(strict=True, reason="what is dropped takes the marks inside it along")
    def test_no_mark_inside_is_lost(self) -> None:
        tuples = [Val((Items((*[exact(0)] * length, exact(0).marked(NODES[length % 4]))),)) for length in range(MOST_THINGS)]
        last = Node("variable", "last", Location("tulip.py", 9))
        assert last in all_marks(join_all([*tuples, Val((Items((exact(0).marked(last),) * 20),))]))


class TestJoined:
    @given(states)
    def test_a_path_that_has_ended_adds_nothing(self, a: State) -> None:
        assert joined(a, None, initial) is a
        assert joined(None, a, initial) is a
        assert joined(None, None, initial) is None

    @given(states, states)
    def test_either_order(self, a: State, b: State) -> None:
        assert unordered_state(joined(a, b, initial)) == unordered_state(joined(b, a, initial))

    @given(states)
    def test_with_its_copy(self, a: State) -> None:
        assert unordered_state(joined(a, a.copy(), initial)) == unordered_state(a)

    @settings(max_examples=60)
    @given(states, states, states)
    def test_in_any_grouping(self, a: State, b: State, c: State) -> None:
        assert unordered_state(joined(joined(a, b, initial), c, initial)) == unordered_state(joined(a, joined(b, c, initial), initial))

    @given(states, states)
    def test_no_mark_is_lost(self, a: State, b: State) -> None:
        both = joined(a, b, initial)
        assert both is not None
        for one in (a, b):
            for name, val in one.names.items():
                assert val.marks <= both.names[name].marks
            for thing, fields in one.heap.items():
                for name, val in fields.items():
                    assert val.marks <= both.fields(thing)[name].marks

    @given(states, states)
    def test_what_decides_is_what_decides_on_both(self, a: State, b: State) -> None:
        both = joined(a, b, initial)
        assert both is not None
        assert both.control == a.control & b.control
        assert both.unsure == (a.unsure or b.unsure)

    @given(states, states)
    def test_neither_is_changed(self, a: State, b: State) -> None:
        before = unordered_state(a), unordered_state(b)
        joined(a, b, initial)
        assert (unordered_state(a), unordered_state(b)) == before

    def test_a_field_that_one_path_wrote_may_be_what_it_was(self) -> None:
        _, _, runner, _ = OBJECTS
        both = joined(State(heap={runner: {"ids": exact(1)}}), State(), initial)
        assert both is not None
        assert set(both.fields(runner)["ids"].things) == {Exact(1), Exact("runner.ids")}

    def test_an_object_that_one_path_made_is_as_that_made_it(self) -> None:
        made = OBJECTS[0]
        both = joined(State(), State(heap={made: {"ids": exact(1)}}), initial)
        assert both is not None
        assert both.fields(made)["ids"] == exact(1)


class TestState:
    def test_a_write_is_not_seen_by_a_copy(self) -> None:
        state = State(heap={OBJECTS[0]: {"ids": exact(1)}})
        other = state.copy()
        state.write(OBJECTS[0], "ids", exact(2))
        assert other.fields(OBJECTS[0])["ids"] == exact(1)

    def test_two_objects_of_one_name_are_two(self) -> None:
        one, two = Object("box"), Object("box")
        state = State()
        state.write(one, "ids", exact(1))
        assert "ids" not in state.fields(two)
