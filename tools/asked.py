"""What a command line asks of weft, as far as it is known before weft can read it. Standard library only."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

_STARTING = ("run", "submit", "up", "calibrate", "survey")
"""Commands that start an engine."""
_DEFAULTS: Mapping[str, str] = {"terasort": "spark"}
"""The engine of a workload that names none, for the first command of the README; a test compares it with weft's own."""


def words(arguments: Sequence[str]) -> list[str]:
    """The words for weft itself of a command that starts an engine, of the arguments of Python; empty for any other."""
    found = list(arguments)[list(arguments).index("weft") + 1 :] if "weft" in arguments else []
    own = found[: found.index("--")] if "--" in found else found
    if not own or own[0] not in _STARTING or {"--help", "-h", "--dry-run", "--show", "--import"} & set(own):
        return []
    return own


def engine(own: Sequence[str]) -> str:
    """The engine that they name; empty if they name none."""
    named = re.search(r"--engine[ =](\w+)", " ".join(own))
    return named[1] if named else ""


def downloaded(arguments: Sequence[str]) -> str:
    """The engine that weft downloads for them unless it is there; empty where that is not sure, as with a site's own installation."""
    own = words(arguments)
    found = engine(own) or _DEFAULTS.get(own[1] if own[:1] == ["run"] and own[1:] else "", "")
    # Path.expanduser raises RuntimeError for a user without a home directory
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")  # noqa: PTH111
    site = Path(base) / "weft" / "site.toml"
    installed = f"{found.upper()}_HOME" in os.environ or any("home=" in word for word in own)
    return "" if installed or "--site" in own or "WEFT_SITE" in os.environ or site.exists() else found
