"""The cheap immutable sequence and mapping that folds hold their histories in."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smolpaws_jupyter.core.entries import Entries, Index, changed

ITEMS = st.integers(0, 9)


@given(st.lists(st.tuples(st.integers(0, 30), st.lists(ITEMS, max_size=3))))
def test_no_value_ever_shows_the_items_of_another(growth: list[tuple[int, list[int]]]):
    """Values grow from random earlier ones, as a plan that is dropped and a commit that is kept do."""
    values: list[tuple[Entries[int], list[int]]] = [(Entries(), [])]
    for choice, more in growth:
        value, items = values[choice % len(values)]
        grown = value.append(more[0]) if len(more) == 1 else value.extend(more)
        values.append((grown, [*items, *more]))
    for value, items in values:
        assert list(value) == items
        assert len(value) == len(items)
        assert value == Entries(items)


@given(st.lists(ITEMS, max_size=8), st.slices(8))
def test_it_is_read_like_a_tuple(items: list[int], part: slice):
    value = Entries(items).append(1)  # shares its list with a longer value
    value.append(2)
    whole = [*items, 1]
    assert value[part] == whole[part]
    assert [value[i] for i in range(-len(whole), len(whole))] == whole * 2
    assert list(reversed(value)) == whole[::-1]
    for outside in (len(whole), -len(whole) - 1):
        with pytest.raises(IndexError):
            value[outside]


def test_it_knows_what_it_grew_from():
    first = Entries([1])
    longer = first.append(2)
    other = first.append(3)
    assert longer.grew_from(first)
    assert first.grew_from(first)
    assert not first.grew_from(longer)
    assert not other.grew_from(longer)


def test_it_equals_only_its_own_kind_and_cannot_be_hashed():
    assert Entries([1]) != [1]
    assert Entries([1]) != Entries([1, 2])
    with pytest.raises(TypeError):
        hash(Entries())


@given(st.lists(st.tuples(st.integers(0, 30), st.sampled_from("abcd"), ITEMS)))
def test_no_index_ever_shows_the_entries_of_another(growth: list[tuple[int, str, int]]):
    values: list[tuple[Index[int], dict[str, int]]] = [(Index(), {})]
    for choice, key, item in growth:
        index, items = values[choice % len(values)]
        values.append((index.put(key, item), {**items, key: item}))
    for index, items in values:
        assert dict(index) == items
        assert len(index) == len(items)
        assert all((key in index) == (key in items) for key in "abcd")


def test_a_changed_copy_leaves_the_original_alone():
    @dataclass(frozen=True)
    class Point:
        x: int
        y: int

    origin = Point(0, 0)
    assert changed(origin, {"x": 1}) == Point(1, 0)
    assert origin == Point(0, 0)
