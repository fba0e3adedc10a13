"""What folds are made of: a sequence and a mapping that never change and are cheap to extend, and a cheap copy.

`entries.append(x)` gives a new value in constant time. Successors share one growing list, of which each value sees its
own first n items; a second successor of the same value gets a copy, so no value ever sees another's items.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Generic, TypeVar, get_args, overload

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

T = TypeVar("T")
V = TypeVar("V")


class Entries(Sequence[T], Generic[T]):
    """An immutable sequence with constant-time `append`."""

    __slots__ = ("_items", "_length")

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._items = list(items)
        self._length = len(self._items)

    def append(self, item: T) -> Entries[T]:
        """A new value with `item` at its end."""
        items = self._items if len(self._items) == self._length else self._items[: self._length]
        items.append(item)
        return self._of(items)

    def extend(self, items: Iterable[T]) -> Entries[T]:
        """A new value with all of `items` at its end."""
        more = tuple(items)
        if not more:
            return self
        own = self._items if len(self._items) == self._length else self._items[: self._length]
        own.extend(more)
        return self._of(own)

    @classmethod
    def _of(cls, items: list[T]) -> Entries[T]:
        new: Entries[T] = object.__new__(cls)
        new._items, new._length = items, len(items)
        return new

    def grew_from(self, earlier: Entries[T]) -> bool:
        """Whether this value is known to be `earlier` with more at its end. False says nothing."""
        return self._items is earlier._items and self._length >= earlier._length

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T]:
        return islice(self._items, self._length)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            start, stop, step = index.indices(self._length)
            return self._items[start:stop] if step == 1 else [self._items[i] for i in range(start, stop, step)]
        if not -self._length <= index < self._length:
            raise IndexError("entry index out of range")
        return self._items[index % self._length]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Entries) and list(self) == list(other)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Entries({list(self)!r})"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """As JSON, a list."""
        return _made_of(cls, list, handler.generate_schema(list[get_args(source)[0]]))


class Index(Mapping[str, V], Generic[V]):
    """An immutable mapping of ids with constant-time `put` for an id that is new."""

    __slots__ = ("_items", "_length")

    def __init__(self, items: Mapping[str, V] | None = None) -> None:
        self._items: dict[str, tuple[int, V]] = {
            key: (at, value) for at, (key, value) in enumerate((items or {}).items())
        }
        self._length = len(self._items)

    def put(self, key: str, value: V) -> Index[V]:
        """A new value in which `key` has this value. Another value for a known key costs a copy."""
        if key in self:
            if self[key] == value:
                return self
            items = {k: v for k, v in self._items.items() if v[0] < self._length}
            items[key] = (items[key][0], value)
            return self._of(items, self._length)
        items = self._items
        if len(items) > self._length:
            items = {k: v for k, v in items.items() if v[0] < self._length}
        items[key] = (self._length, value)
        return self._of(items, self._length + 1)

    @classmethod
    def _of(cls, items: dict[str, tuple[int, V]], length: int) -> Index[V]:
        new = cls()
        new._items, new._length = items, length
        return new

    def __getitem__(self, key: str) -> V:
        place, value = self._items[key]
        if place >= self._length:
            raise KeyError(key)
        return value

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[str]:
        return islice(self._items, self._length)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Index) and dict(self) == dict(other)  # pyright: ignore[reportUnknownArgumentType]

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """As JSON, an object."""
        return _made_of(cls, dict, handler.generate_schema(dict[str, get_args(source)[0]]))


def _made_of(cls: type, plain: type, schema: CoreSchema) -> CoreSchema:
    """How pydantic reads and writes a class of this module: as what it is made of."""
    written = core_schema.wrap_serializer_function_ser_schema(lambda value, write: write(plain(value)), schema=schema)
    return core_schema.no_info_after_validator_function(cls, schema, serialization=written)


def changed(value: T, changes: Mapping[str, Any]) -> T:
    """A copy of a frozen dataclass without slots, with other values for these fields.

    `dataclasses.replace` sets each field anew: with two dozen of them that takes ten times as long, once per event.
    """
    new = object.__new__(type(value))
    vars(new).update(vars(value))
    vars(new).update(changes)
    return new
