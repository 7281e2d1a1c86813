"""A family of adapters: one of them is read from its one-line form, from a table, or taken as it is."""

from functools import reduce
from operator import or_
from typing import Annotated, Any, ClassVar, Generic, Protocol, TypeVar, cast, get_args

from pydantic import Field, TypeAdapter

from weft.text.shorthand import expand


class Written(Protocol):
    """What an adapter declares about its one-line form."""

    positional: ClassVar[str]
    """The key that the value after the colon stands for."""
    lists: ClassVar[frozenset[str]]
    """Keys whose value may hold commas."""


Adapter = TypeVar("Adapter", bound=Written)


class Family(dict[str, type[Adapter]], Generic[Adapter]):
    """Adapters by kind; each is a pydantic model with a literal `kind`."""

    def __init__(self) -> None:
        super().__init__()
        self._forms: dict[tuple[type[Adapter], ...], TypeAdapter[Adapter]] = {}

    def add(self, *adapters: type[Adapter]) -> None:
        for adapter in adapters:
            self.update(
                dict.fromkeys(get_args(cast("Any", adapter).model_fields["kind"].annotation), adapter)
            )

    def table(self, value: Any) -> Any:
        """A table from its one-line form; anything but a string passes through."""
        positional = {kind: adapter.positional for kind, adapter in self.items()}
        return expand(value, positional, {kind: adapter.lists for kind, adapter in self.items()})

    def read(self, value: Any) -> Adapter:
        """The adapter that a one-line form or a table describes. Raises ValueError for what is none."""
        return self._form().validate_python(self.table(value))

    def _form(self) -> TypeAdapter[Adapter]:
        """Of all adapters that are known by now."""
        kinds = tuple(dict.fromkeys(self.values()))
        if kinds not in self._forms:
            union: Any = reduce(or_, cast("tuple[Any, ...]", kinds))
            whole = Annotated[union, Field(discriminator="kind")] if kinds[1:] else union
            self._forms[kinds] = TypeAdapter(cast("Any", whole))
        return self._forms[kinds]
