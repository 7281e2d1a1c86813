"""A family of adapters: parses one of them from its short form or a table."""

from collections.abc import Collection, Iterator, Mapping
from functools import reduce
from operator import or_
from typing import Annotated, Any, ClassVar, Literal, Protocol, TypeVar, cast

from pydantic import BaseModel, Field, TypeAdapter

from weft.text.byname import ByName
from weft.text.shorthand import INTERNAL, expand


class Written(Protocol):
    """What an adapter declares about its short form."""

    positional: ClassVar[str]
    """The key of the value after the colon."""
    lists: ClassVar[frozenset[str]]
    """Keys whose values may contain commas."""


Adapter = TypeVar("Adapter", bound=Written)


class Family(ByName[Adapter]):
    """Adapters by kind; each is a pydantic model with a literal `kind`."""

    def __init__(self, below: Collection[str] | None = None) -> None:
        """`below`: kinds of the adapters by which one of these can be backed, if they are of another family."""
        super().__init__()
        self.names: dict[str, str] = {}
        """Other names of kinds, such as that of a file system."""
        self._below: Collection[str] | None = below
        self._forms: dict[tuple[type[Adapter], ...], TypeAdapter[Adapter]] = {}

    @property
    def listed(self) -> list[str]:
        """The kinds that users write."""
        return [kind for kind in self if kind not in INTERNAL]

    def table(self, value: Any) -> Any:
        """A table from its short form; anything but a string is returned unchanged."""
        table = expand(value, _Declared(self, "positional"), _Declared(self, "lists"), self._below)
        named = isinstance(value, str) and table["kind"] in self.names
        return {**table, "kind": self.names[table["kind"]]} if named else table

    def read(self, value: Any) -> Adapter:
        """The adapter that a short form or a table describes. Raises ValueError if there is none."""
        table = self.table(value)
        kind = table.get("kind") if isinstance(table, dict) else getattr(table, "kind", None)
        return self._form(kind).validate_python(table)

    def _form(self, kind: Any) -> TypeAdapter[Adapter]:
        """Of the adapter of a kind, or of all that are registered by now, which says which there are.

        A form of all takes longer to make than a command needs for all else until it starts something.
        """
        named = isinstance(kind, str) and kind in self
        kinds = (self[kind],) if named else tuple(dict.fromkeys(self.values()))
        if kinds not in self._forms:
            members = kinds if kinds[1:] else (*kinds, _Nothing)
            union: Any = reduce(or_, cast("tuple[Any, ...]", members))
            self._forms[kinds] = TypeAdapter(cast("Any", Annotated[union, Field(discriminator="kind")]))
        return self._forms[kinds]


class _Declared(Mapping[str, Any]):
    """What the adapters of a family declare under a name, by kind."""

    def __init__(self, family: Family[Any], name: str) -> None:
        self._family = family
        self._name = name

    def __getitem__(self, kind: str) -> Any:
        return getattr(self._family[self._family.names.get(kind, kind)], self._name)

    def __iter__(self) -> Iterator[str]:
        return iter([*self._family, *self._family.names])

    def __len__(self) -> int:
        return len(self._family) + len(self._family.names)


class _Nothing(BaseModel):
    """So that there are several kinds: errors then have the kind in their location."""

    kind: Literal["-"]
