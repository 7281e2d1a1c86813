"""Tables as TOML text, to keep what was asked for in a record."""

from collections.abc import Mapping
from textwrap import indent
from typing import Any

import tomli_w


def toml_of(base: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """TOML of a spec's table; what a matrix cell sets stands above it as comments."""
    return indent(tomli_w.dumps(settings), "# ") + tomli_w.dumps(base)
