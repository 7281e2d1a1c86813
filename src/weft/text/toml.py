"""Tables as TOML text: of files that users write, and of the request that a record stores."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from textwrap import indent
from typing import Any

import tomli_w

from weft.text import entry
from weft.text.redaction import KEYS, redacted

_MOST = 1 << 24
"""Bytes of the largest file."""


def read(path: Path) -> dict[str, Any]:
    """The table in a file. Raises ValueError, or OSError if it is no regular file: a pipe may never end."""
    return table_of(entry.of(path.resolve()).data(_MOST).decode())


def table_of(text: str) -> dict[str, Any]:
    """The table of a text. Raises TOMLDecodeError, a ValueError, also if it is nested too deeply."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise tomllib.TOMLDecodeError("it is nested too deeply") from None


def toml_of(base: Mapping[str, Any], settings: Mapping[str, Any], secret: re.Pattern[str] = KEYS) -> str:
    """TOML of a spec's table without its secrets, preceded by the settings of a matrix cell as comments."""
    base, settings = redacted(base, secret), redacted(settings, secret)
    return indent(tomli_w.dumps(settings), "# ") + tomli_w.dumps(base)
