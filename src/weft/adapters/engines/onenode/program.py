"""What both share: weft's program for SQL, in Python without weft's own packages."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from weft.errors import UsageError
from weft.layout.job import Dependencies
from weft.layout.plan import Layout
from weft.text.units import show_size

_PROGRAMS = Path(__file__).with_name("programs")


def python() -> list[str]:
    """weft's Python without weft's packages: only the locked ones are found."""
    return [sys.executable, "-S", "-P"]


def environment(layout: Layout, distribution: str) -> dict[str, str]:
    """Variables of a process on the node that imports a distribution and weft's program."""
    return {
        **layout.environment(layout.head),
        "PYTHONPATH": f"{layout.homes[distribution] / 'lib'}:{_PROGRAMS}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": str(layout.head.directory),
    }


def scratch(layout: Layout) -> str:
    """The directory for what does not fit into memory."""
    return layout.places["scratch"].paths[layout.head.name]


@dataclass(frozen=True)
class Given:
    """Settings as options of the program, and the file of those that nobody else may read."""

    options: list[str]
    files: Mapping[Path, str]


def settings(dependencies: Dependencies, layout: Layout) -> Given:
    """Settings as the program takes them."""
    words = [word for key, value in dependencies.shown.items() for word in ("--set", f"{key}={value}")]
    if not (secret := dependencies.secret):
        return Given(words, {})
    # JSON is YAML, in which a secret is escaped as in JSON
    path = layout.directory / "conf" / "settings.yaml"
    return Given([*words, "--settings", str(path)], {path: json.dumps(secret)})


def require_paths(layout: Layout, kind: str) -> None:
    """Raises UsageError for places that are URIs."""
    if layout.uris:
        raise UsageError(
            f"{kind} reads and writes mounted files only, not {layout.uris[0]}",
            hint="use a storage with paths for input and output, such as disk or mount",
        )


def require_memory(kind: str, asked: int, least: int, room: int) -> int:
    """The bytes that were asked for. Raises UsageError if they are fewer than its own libraries need, or more than there are."""
    if not least <= asked <= room:
        raise UsageError(
            f"{kind}: a memory limit of {show_size(asked)} is not between the {show_size(least)} that it needs"
            f" and the {show_size(max(0, room))} that the node has for it",
            hint="give the node more memory, such as --nodes local:1,memory=2GB, or set engine.memory",
        )
    return asked


def require_no_options(kind: str, options: Sequence[str]) -> None:
    """Raises UsageError for options of a submit command, which neither has."""
    if options:
        raise UsageError(f"{kind} has no submit command with the option {options[0]}", hint="omit --option")
