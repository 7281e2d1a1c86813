"""Values that only their user may read: by which keys they are recognised, and what is written instead."""

import html
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

KEYS = re.compile(r"(?i)secret|password|token|access[.]?key")
"""Keys of secrets: the default of spark.redaction.regex."""
_SWITCH = re.compile(r"(?i)(?:true|false)?")
"""Values that say nothing, of keys such as dfs.block.access.token.enable."""
_JVM = re.compile(r"(?:^|\s)-D\S*@SECRET:")
_NAMED = re.compile(r"(?:file|env):")
_PAIR = re.compile(r"([^\s=]+)=([^\s&;]+)")
_PLACEHOLDER = re.compile(r"@SECRET:([^@\s]+)@")

_SHORTEST = 8
"""Characters of a secret that is looked for in other texts."""

Values = dict[str, str]
"""By placeholder: the secret that it stands for."""


def placeholder(key: str) -> str:
    """What a record has in place of the value of a key."""
    plain = re.sub(r"[@\s]", "_", key)
    return f"@SECRET:{plain}@"


def has_placeholder(text: str) -> list[str]:
    """The keys whose placeholders are in a text."""
    return list(dict.fromkeys(_PLACEHOLDER.findall(text)))


def is_secret(key: str, value: str, keys: re.Pattern[str] = KEYS) -> bool:
    """Whether the key is one of a secret, and the value is neither a switch nor the name of a file or variable."""
    return keys.search(key) is not None and not _SWITCH.fullmatch(value) and not _NAMED.match(value)


def redacted(value: Any, keys: re.Pattern[str] = KEYS) -> Any:
    """Tables, lists and texts with a placeholder for each secret; anything else as it is."""
    return hidden(value, {}, keys)


def hidden(
    value: Any,
    values: Values,
    keys: re.Pattern[str] = KEYS,
    read: Callable[[str], str] | None = None,
    key: str = "",
) -> Any:
    """The same, and `values` then has what the placeholders stand for; `read` returns what file:PATH or env:NAME names.

    A secret is the value of such a key, of a word such as -Dpassword=VALUE, or what follows the word --password.
    """
    if isinstance(value, Mapping):
        return {name: hidden(one, values, keys, read, str(name)) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        before = ["", *(_flag(word) for word in value)]
        return [
            hidden(one, values, keys, read, flag or key) for flag, one in zip(before, value, strict=False)
        ]
    if not isinstance(value, str):
        return value
    if read is not None and keys.search(key) and _NAMED.match(value):
        return _taken(key, read(value), values)
    return _taken(key, value, values) if is_secret(key, value, keys) else _pairs(value, values, keys)


def _pairs(text: str, values: Values, keys: re.Pattern[str]) -> str:
    def one(pair: re.Match[str]) -> str:
        secret = is_secret(pair[1], pair[2], keys)
        return f"{pair[1]}={_taken(pair[1], pair[2], values) if secret else _pairs(pair[2], values, keys)}"

    return _PAIR.sub(one, text)


def _flag(word: Any) -> str:
    """The option whose value is the next word."""
    return word if isinstance(word, str) and word.startswith("--") and "=" not in word else ""


def _taken(key: str, value: str, values: Values) -> str:
    if _PLACEHOLDER.fullmatch(value):
        return value
    mark = placeholder(key)
    number = 2
    while values.setdefault(mark, value) != value:  # two words may have one key
        mark, number = placeholder(f"{key}-{number}"), number + 1
    return mark


def on_command_line(table: Mapping[str, Any]) -> str | None:
    """The first key of a hidden table whose secret an engine would put on a command line: options, and a JVM's."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            if found := on_command_line(value):
                return found
        elif has_placeholder(str(value)) and (key == "options" or _JVM.search(str(value))):
            return key
    return None


def revealed(text: str, values: Mapping[str, str], file: Path = Path()) -> str:
    """A text with the secrets in place of their placeholders, written as a file of that name requires."""
    for mark, value in values.items():
        text = text.replace(mark, _ESCAPED.get(file.suffix, str)(value))
    return text


def _in_xml(value: str) -> str:
    return html.escape(value, quote=False)


def _in_quotes(value: str) -> str:
    return json.dumps(value)[1:-1]


def _in_properties(value: str) -> str:
    return value.replace("\\", "\\\\")


_ESCAPED: Mapping[str, Callable[[str], str]] = {
    ".xml": _in_xml,
    ".yaml": _in_quotes,
    ".conf": _in_properties,
    ".properties": _in_properties,
}


def notations(values: Mapping[str, str]) -> dict[bytes, bytes]:
    """How programs may have written the secrets, and the placeholders; a value of few characters is part of any text.

    The longest first: one secret may begin with another.
    """
    found = {
        written.encode(): mark.encode()
        for mark, value in values.items()
        if len(value) >= _SHORTEST
        for written in (value, _in_xml(value), _in_quotes(value), _in_properties(value))
    }
    return {written: found[written] for written in sorted(found, key=len, reverse=True)}
