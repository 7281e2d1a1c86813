"""A table as TOML text, to keep what was asked for in a record."""

import json
from collections.abc import Mapping
from typing import Any


def toml_of(base: Mapping[str, Any], coordinates: Mapping[str, Any]) -> str:
    """TOML of a spec's table; a matrix cell's coordinates stand above it as comments."""
    comments = [f"# {key} = {_value(value)}" for key, value in coordinates.items()]
    plain = [
        f"{_key(key)} = {_value(value)}" for key, value in base.items() if not isinstance(value, Mapping)
    ]
    tables = [
        line for key, value in base.items() if isinstance(value, Mapping) for line in _table(_key(key), value)
    ]
    return "\n".join([*comments, *plain, *tables]) + "\n"


def _table(name: str, table: Mapping[str, Any]) -> list[str]:
    plain = [
        f"{_key(key)} = {_value(value)}" for key, value in table.items() if not isinstance(value, Mapping)
    ]
    inner = [
        line
        for key, value in table.items()
        if isinstance(value, Mapping)
        for line in _table(f"{name}.{_key(key)}", value)
    ]
    return ["", f"[{name}]", *plain, *inner]


def _key(key: str) -> str:
    bare = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if bare else _value(key)


def _value(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)  # TOML knows no surrogate pairs
