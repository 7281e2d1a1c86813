"""The published submissions: figures of IO500/submission-data at commit f610b34, each with the path that it is from.

https://github.com/IO500/submission-data has no licence: names and figures are cited here, and none of its text.
Left out: copies of a result in its submission's root, and what the directory of one system holds of other sites.
"""

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from weft.errors import UsageError
from weft.facts.io500.kinds import KINDS, OTHER, FileSystemKind
from weft.facts.io500.phases import PHASES, UNITS
from weft.text.nearest import nearest

PREFIX = "io500:"
"""Before a name, where a machine or a profile can be something else as well."""
_NEAR = 8
"""Names that an error lists."""


@dataclass(frozen=True)
class Submission:
    """One result of one system."""

    name: str
    institution: str
    system: str
    file_system: str
    """As its submitters call it."""
    year: int
    nodes: int
    """Clients; 0 where not published."""
    processes: int
    """Of all nodes together; 0 where not published."""
    rates: Mapping[str, float]
    """By phase: operations or bytes per second of all processes together."""
    path: str

    @property
    def kind(self) -> FileSystemKind:
        """What is known of such file systems."""
        return next((one for one in KINDS.values() if one.named(self.file_system)), OTHER)

    def took(self, phase: str) -> float | None:
        """Seconds of one call beside those of all other processes: processes over rate."""
        rate = self.rates.get(phase)
        return self.processes / rate if rate and self.processes else None

    def of_node(self, phase: str) -> float | None:
        """What each node got of a rate."""
        rate = self.rates.get(phase)
        return rate / self.nodes if rate and self.nodes else None


@cache
def all_of() -> Mapping[str, Submission]:
    """All submissions by name."""
    text = resources.files("weft.facts.io500").joinpath("submissions.csv").read_text(encoding="utf-8")
    rows = [_submission(row) for row in csv.DictReader(text.splitlines())]
    return {row.name: row for row in rows}


def _submission(row: Mapping[str, str]) -> Submission:
    columns = {phase: (f"{phase} {unit}", UNITS[unit]) for phase, (unit, _) in PHASES.items()}
    rates = {phase: float(row[column] or 0) * factor for phase, (column, factor) in columns.items()}
    return Submission(
        row["name"],
        row["institution"],
        row["system"],
        row["file system"],
        int(row["year"]),
        int(row["nodes"] or 0),
        int(row["processes"] or 0),
        {phase: rate for phase, rate in rates.items() if rate > 0},
        row["path"],
    )


def of(name: str) -> Submission:
    """A submission by name. Raises UsageError that suggests near ones."""
    if name in all_of():
        return all_of()[name]
    raise UsageError(f"no submission to IO500 is named {name!r}", hint=_near(name))


def _near(name: str) -> str:
    """Those of the same system, or those spelled most alike; there are too many to list them all."""
    known = list(all_of())
    own = [one for one in known if re.match(rf"{re.escape(name)}(-|$)", one)]
    if own:
        return f"it has several: {_listed(own)}"
    words = nearest(name, known).partition(" known: ")[0]
    return f"{words} " * words.startswith("did") + f"weft predict --machine {PREFIX} lists all {len(known)}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_NEAR]) + (f" and {len(names) - _NEAR} more" if len(names) > _NEAR else "")


def of_kind(kind: str) -> list[Submission]:
    """The submissions of a kind of file system, of which nodes and processes are published."""
    return [one for one in all_of().values() if one.kind.name == kind and one.processes and one.nodes]
