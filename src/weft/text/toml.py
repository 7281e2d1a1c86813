"""Tables as TOML text, to store the request in a record."""

from collections.abc import Mapping
from textwrap import indent
from typing import Any

import tomli_w


def toml_of(base: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """TOML of a spec's table, preceded by the settings of a matrix cell as comments."""
    return indent(tomli_w.dumps(settings), "# ") + tomli_w.dumps(base)
