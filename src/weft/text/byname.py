"""Classes by name, whose modules are imported when they are asked for: a command needs few of them."""

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import TypeVar, cast

T = TypeVar("T")


class ByName(MutableMapping[str, type[T]]):
    """In the order in which they were declared; the first use of a class imports its module."""

    def __init__(self) -> None:
        self._known: dict[str, type[T] | str] = {}

    def declare(self, package: str, places: Mapping[str, str]) -> None:
        """Classes that are not imported yet: by name the module in a package and the class, such as `disk:DiskStorage`."""
        self._known |= {name: f"{package}.{place}" for name, place in places.items()}

    def __getitem__(self, name: str) -> type[T]:
        found = self._known[name]
        if isinstance(found, str):
            module, _, called = found.partition(":")
            found = self._known[name] = cast("type[T]", getattr(import_module(module), called))
        return found

    def __setitem__(self, name: str, found: type[T]) -> None:
        self._known[name] = found

    def __delitem__(self, name: str) -> None:
        del self._known[name]

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)
