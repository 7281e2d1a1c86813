"""The calibrations that a user has: one file by machine and date in the state directory."""

import re
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from weft.analysis.read.calibration import FORMAT, Calibration
from weft.errors import UsageError
from weft.host import settings
from weft.text import entry

_KEPT = 20
"""Calibrations of one machine that are kept."""


def directory() -> Path:
    """Where they are."""
    return settings.state() / "calibrations"


def machine(hosts: Sequence[str]) -> str:
    """The name of a set of hosts: node1, or node1 and 3 more."""
    return hosts[0] if len(hosts) == 1 else f"{hosts[0]} and {len(hosts) - 1} more"


def keep(calibration: Calibration) -> Path:
    """Write a calibration, and remove the oldest ones of its machine beyond a number. Returns the file."""
    folder = directory() / re.sub(r"[^\w.-]+", "-", calibration.machine)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    moment = time.strftime("%Y%m%d-%H%M%S", time.localtime(calibration.created))
    path = folder / f"{moment}.json"
    entry.write(path, calibration.model_dump_json(indent=1) + "\n")
    for old in sorted(folder.glob("*.json"))[:-_KEPT]:
        old.unlink(missing_ok=True)
    return path


def all_of() -> list[Calibration]:
    """Every readable calibration of this format, oldest first."""
    found = []
    for path in sorted(directory().glob("*/*.json")):
        with suppress(OSError, ValidationError):
            found.append(Calibration.model_validate_json(path.read_text(encoding="utf-8")))
    return sorted((one for one in found if one.format == FORMAT), key=lambda one: one.created)


def newest() -> Calibration:
    """The latest one. Raises UsageError if there is none."""
    found = all_of()
    if not found:
        raise UsageError(
            f"there is no calibration in {directory()}", hint="make one: weft calibrate --scratch disk"
        )
    return found[-1]
