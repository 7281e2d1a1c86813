"""The short form of an adapter's table.

`loopback:/some/dir,size=2G` is {kind, path, size}; `pool+delayed:lustre` is {kind, on: "delayed:lustre"}: an adapter
that is backed by another one.
"""

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

INTERNAL = frozenset({"null", "own-job", "own-sql", "persistent"})
"""Kinds for measurements of weft itself, and those that `weft submit` and `weft up` use: no list of known kinds has them."""
_NO_LISTS: Mapping[str, Collection[str]] = {}
_NAMES = re.compile(r"[a-z][a-z0-9-]*(?:,[a-z][a-z0-9-]*)+")


class MisreadError(ValueError):
    """A value with another meaning; `hint` shows how to write it."""

    def __init__(self, message: str, *, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def expand(
    value: Any,
    positional: Mapping[str, str],
    lists: Mapping[str, Collection[str]] = _NO_LISTS,
    below: Collection[str] | None = None,
) -> Any:
    """A table from its short form; anything but a string is returned unchanged.

    `positional` has the key of a value without one, by kind, and `lists` the keys whose values may contain
    commas; `below` the kinds that may follow a +, by default the same. Raises ValueError for a value without a key that is not the first, and for a duplicate key.
    """
    if not isinstance(value, str):
        return value
    # a + belongs to a path unless a kind follows it
    kinds = "|".join(map(re.escape, positional if below is None else below))
    top, *on = re.split(rf"\+(?=(?:{kinds})(?:[:,+]|$))", value, maxsplit=1)
    head, _, rest = top.partition(":") if ":" in top.split(",")[0] else top.partition(",")
    kind = head.strip()
    table: dict[str, str] = {"kind": kind, **({"on": on[0]} if on else {})}
    for index, word in enumerate(word for word in rest.split(",") if word):
        key, equals, text = word.partition("=")
        if not equals:
            if index and list(table)[-1] in lists.get(kind, ()):
                table[list(table)[-1]] += f",{word}"
                continue
            if index:
                raise ValueError(f"{word!r} in {value!r} has no key; write key=value")
            key, text = positional.get(kind, "path"), word
        if key in table:
            raise ValueError(f"{key!r} is set twice in {value!r}")
        table[key] = text
    return table


def split_list(value: Any, table: Callable[[Any], Any]) -> list[Any] | None:
    """The tables of a list such as `spark,hadoop`: only names, separated by commas; None for anything else."""
    if isinstance(value, str) and _NAMES.fullmatch(value):
        value = value.split(",")
    return [table(one) for one in value] if isinstance(value, list) else None
