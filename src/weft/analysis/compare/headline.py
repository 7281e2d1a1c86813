"""A run's entry in a list: enough to identify it and to compare times. Fast: it reads two small files."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.analysis.read import resolved
from weft.analysis.read.readable import Readable
from weft.analysis.read.resolved import Resolved
from weft.errors import RecordError
from weft.record.head import Head
from weft.record.record import PHASES, Stored

if TYPE_CHECKING:
    from weft.analysis.compare.operations import Operations
    from weft.analysis.explain.timeparts import Explanation


@dataclass(frozen=True)
class Headline:
    """One run in a list. Times are seconds, sizes bytes; only valid runs have time and throughput."""

    id: str
    directory: str
    verdict: str
    reason: str = ""
    workload: str = ""
    engine: str = ""
    nodes: str = ""
    storages: Mapping[str, str] = field(default_factory=dict)
    """The storage of the roles: input, output, scratch."""
    created: str = ""
    key: str = ""
    labels: tuple[str, ...] = ()
    study: str = ""
    coordinates: Mapping[str, str] = field(default_factory=dict)
    repeat: int | None = None
    control: Mapping[str, float] = field(default_factory=dict)
    """What known work right before it took, and the load average before that."""
    size: int | None = None
    seconds: float | None = None
    phases: Mapping[str, float] = field(default_factory=dict)
    throughput_per_node: float | None = None
    emulated: tuple[str, ...] = ()
    """The emulated parts of its storage, as text."""
    spec: Mapping[str, str] = field(default_factory=dict)
    """Every key of the spec with its value, dotted."""
    operations: "Operations | None" = None
    """Read for the page of a study alone: they are many files."""
    explanation: "Explanation | None" = None
    """Read for comparisons alone: it takes the whole record."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What its workload found."""
    imported: bool = False
    """Whether it is the log of a cluster that weft did not run: its time is the log's own, of a result that nobody checked."""


_STREAM = "a stream lasts until somebody stops it, however fast it is"
_SAME = ("workload", "engine", "nodes", "created", "key", "storages", "facts", "labels")


def headline(stored: Stored) -> Headline:
    """A record's headline; missing values are empty."""
    sources = Readable(stored)
    head, verdict = sources.head, sources.verdict()
    decided = sources.attempt(resolved.FILE, lambda: resolved.of_record(stored), Resolved())
    spec = flat(decided.spec)
    size = head.bytes_in or head.bytes_out or spec.get("workload.size")
    valid, imported = verdict == "VALID", head.imported is not None
    # the time of a log whose work was not done, or whose end is missing, is none of the work
    measured = head.phases.get("run") if imported or head.measured is None else head.measured
    stream = imported and bool((head.imported or {}).get("stream"))
    return Headline(
        id=stored.directory.name,
        directory=str(stored.directory),
        verdict=verdict,
        **{key: getattr(head, key) for key in _SAME},
        reason=head.reason or (_STREAM if stream else ""),
        study=head.cell.study,
        coordinates=head.cell.coordinates,
        repeat=head.cell.repeat,
        control=head.cell.control,
        size=int(size) if size and str(size).isdigit() else None,
        seconds=measured if valid or (imported and not stream and verdict == "UNCHECKED") else None,
        phases={name: head.phases[name] for name in PHASES if name in head.phases},
        throughput_per_node=head.throughput_per_node if valid else None,
        emulated=tuple(dict.fromkeys(place.emulated for place in decided.places.values() if place.emulated)),
        spec={**spec, "cluster": _cluster(head)},
        imported=imported,
    )


def _cluster(head: Head) -> str:
    if not head.cluster:
        return "new"
    return f"persistent, application {head.application}" if head.application else "persistent"


def unreadable(directory: Path, why: RecordError) -> Headline:
    """The entry of a record that is not readable."""
    return Headline(id=directory.name, directory=str(directory), verdict="BROKEN", reason=why.message)


def headlines(records: Sequence[Stored], study: str = "") -> list[Headline]:
    """The headlines of some records, or of those of one study."""
    found = [headline(stored) for stored in records]
    return [line for line in found if not study or line.study == study]


def failed_before(line: Headline, every: Iterable[Headline]) -> int:
    """How many earlier runs of the same spec and repetition of a study were INVALID: a study runs these again."""
    return sum(
        each.verdict == "INVALID"
        and (each.study, each.key, each.repeat) == (line.study, line.key, line.repeat)
        and each.created < line.created
        for each in every
    )


def flat(value: Any, prefix: str = "") -> dict[str, str]:
    """A nested table as dotted keys and texts."""
    if isinstance(value, Mapping):
        return {
            key: text
            for name, inner in value.items()
            for key, text in flat(inner, f"{prefix}.{name}" if prefix else str(name)).items()
        }
    return {prefix: "" if value is None else str(value)} if prefix else {}
