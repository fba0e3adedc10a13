"""A sequence that never changes and is cheap to extend: a view holds its history in one.

`entries.append(x)` gives a new value in constant time. Successors share one growing list, of which each value sees its own
first n items; a second successor of the same value gets a copy, so no value ever sees another's items.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, TypeVar, overload

T = TypeVar("T")


class Entries(Sequence[T], Generic[T]):
    """An immutable sequence with constant-time `append`."""

    __slots__ = ("_items", "_length")

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._items = list(items)
        self._length = len(self._items)

    def append(self, item: T) -> Entries[T]:
        """A new value with `item` at its end."""
        new: Entries[T] = Entries.__new__(Entries)
        new._items = self._items if len(self._items) == self._length else self._items[: self._length]
        new._items.append(item)
        new._length = self._length + 1
        return new

    def extend(self, items: Iterable[T]) -> Entries[T]:
        """A new value with all of `items` at its end."""
        new = self
        for item in items:
            new = new.append(item)
        return new

    def grew_from(self, earlier: Entries[T]) -> bool:
        """Whether this value is known to be `earlier` with more at its end. False says nothing."""
        return self._items is earlier._items and self._length >= earlier._length

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T]:
        items = self._items
        return (items[i] for i in range(self._length))

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return [self._items[i] for i in range(*index.indices(self._length))]
        if not -self._length <= index < self._length:
            raise IndexError("entry index out of range")
        return self._items[index % self._length]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Entries) and list(self) == list(other)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Entries({list(self)!r})"
