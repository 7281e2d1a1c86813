"""The one-line form of an adapter's table: `loopback:/some/dir,size=2G` is {kind, path, size}."""

from collections.abc import Mapping
from typing import Any


def expand(value: Any, positional: Mapping[str, str]) -> Any:
    """A table from its one-line form; anything but a string passes through.

    `positional` says, by kind, which key a value without one stands for. Raises ValueError for a word without a key
    that is not the first, and for a key given twice.
    """
    if not isinstance(value, str):
        return value
    head, _, rest = value.partition(":") if ":" in value.split(",")[0] else value.partition(",")
    kind = head.strip()
    table: dict[str, str] = {"kind": kind}
    for index, word in enumerate(word for word in rest.split(",") if word):
        key, equals, text = word.partition("=")
        if not equals:
            if index:
                raise ValueError(f"{word!r} in {value!r} has no key; write key=value")
            key, text = positional.get(kind, "path"), word
        if key in table:
            raise ValueError(f"{key!r} is given twice in {value!r}")
        table[key] = text
    return table
