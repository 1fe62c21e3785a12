"""Phis in normal form: on no way down is a condition asked twice.

A stream that is joined layer after layer by the same few conditions would otherwise be a tree as deep as the stack, and whoever looks at
each of its ways would walk exponentially many.
"""

from __future__ import annotations

from collections.abc import Callable

from ..values import EXACT_TYPES, ClassValue, EnumMember, External, FunctionValue, Phi, Tensor, Unknown, Value

NOT = "not "
PLAIN = (*EXACT_TYPES, EnumMember, Unknown, External, ClassValue, FunctionValue, Tensor)


def phi(condition: Unknown, if_true: Value, if_false: Value) -> Value:
    """One value by a condition; the condition is answered in both."""
    if_true, if_false = settled(if_true, condition, True), settled(if_false, condition, False)
    return if_true if if_true is if_false else Phi(condition, if_true, if_false)


def settled(value: Value, condition: Unknown, answer: bool) -> Value:
    """A value with the answer to a condition put in; the same object where it does not ask for it."""
    if type(value) is not Phi:
        return value
    key = condition.key
    while key.startswith(NOT):
        key, answer = key[len(NOT) :], not answer
    return put_in(value, {key: answer, NOT + key: not answer}, {})


def put_in(value: Value, answers: dict[str, bool], done: dict[int, Value]) -> Value:
    """The recursion of :func:`settled`; ``done`` holds the parts that were met, since Phis share them."""
    if type(value) is not Phi:
        return value
    found = done.get(id(value))
    if found is None:
        answer = answers.get(value.condition.key)
        if answer is not None:
            found = put_in(value.if_true if answer else value.if_false, answers, done)
        else:
            true, false = put_in(value.if_true, answers, done), put_in(value.if_false, answers, done)
            same = true is value.if_true and false is value.if_false
            found = value if same else true if true is false else Phi(value.condition, true, false)
        done[id(value)] = found
    return found


def alternatives(value: Value) -> list[Value]:
    """What a value may be by one condition or another, each object once."""
    waiting, seen, found = [value], set[int](), list[Value]()
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if type(each) is Phi:
            waiting += (each.if_false, each.if_true)
        else:
            found.append(each)
    return found


def conditions(value: Value) -> list[Unknown]:
    """What a value hangs on, each condition once."""
    waiting, seen, found = [value], set[int](), dict[str, Unknown]()
    while waiting:
        each = waiting.pop()
        if type(each) is Phi and id(each) not in seen:
            seen.add(id(each))
            found.setdefault(each.condition.key, each.condition)
            waiting += (each.if_false, each.if_true)
    return list(found.values())


def map_shared(value: Value, operation: Callable[[Value], Value], done: dict[int, Value]) -> Value:
    """Apply an operation to each alternative once, however many ways lead to it."""
    found = done.get(id(value))
    if found is None:
        if type(value) is Phi:
            found = phi(value.condition, map_shared(value.if_true, operation, done), map_shared(value.if_false, operation, done))
        else:
            found = operation(value)
        done[id(value)] = found
    return found


def is_plain(value: Value) -> bool:
    """Whether truth and comparison of a value run no code of the tree and read no state that may change."""
    return all(isinstance(each, PLAIN) for each in alternatives(value)) if type(value) is Phi else isinstance(value, PLAIN)
