"""Tables as TOML text, to keep what was asked for in a record."""

import json
from collections.abc import Mapping
from typing import Any


def toml_of(base: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """TOML of a spec's table; what a matrix cell sets stands above it as comments."""
    comments = [f"# {key} = {_value(value)}" for key, value in settings.items()]
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
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(key)} = {_value(each)}" for key, each in value.items())
        return f"{{ {inner} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False)  # TOML knows no surrogate pairs
