"""A run's entry in a list: enough to identify it and to compare times. Fast: it reads two small files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.errors import RecordError
from weft.record.record import PHASES, Stored
from weft.report.readable import Readable

if TYPE_CHECKING:
    from weft.report.operations import Operations
    from weft.report.timeparts import Explanation


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
    study: str = ""
    coordinates: Mapping[str, str] = field(default_factory=dict)
    repeat: int | None = None
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

    @property
    def cell(self) -> str:
        """The coordinates of its study, as text."""
        return ", ".join(f"{key}={value}" for key, value in self.coordinates.items())


_WORDS = ("reason", "workload", "engine", "nodes", "created", "key")


def headline(stored: Stored) -> Headline:
    """A record's headline; missing values are empty."""
    sources = Readable(stored)
    head, verdict = sources.head, sources.verdict()
    resolved = sources.table("resolved.json")
    spec = flat(resolved.get("spec"))
    places = _table(resolved.get("places")).values()
    mark = _table(head.get("cell"))
    phases = {name: float(value) for name, value in _table(head.get("phases")).items() if _is_number(value)}
    measured = head.get("measured") if _is_number(head.get("measured")) else phases.get("run")
    words = {key: str(head.get(key) or "") for key in _WORDS}
    size = head.get("bytes_in") or head.get("bytes_out") or spec.get("workload.size")
    speed = head.get("throughput_per_node")
    valid, imported = verdict == "VALID", isinstance(head.get("imported"), Mapping)
    if imported:
        measured = phases.get("run")
    return Headline(
        id=stored.directory.name,
        directory=str(stored.directory),
        verdict=verdict,
        reason=words["reason"],
        workload=words["workload"],
        engine=words["engine"],
        nodes=words["nodes"],
        created=words["created"],
        key=words["key"],
        storages={role: str(head[role]) for role in ("input", "output", "scratch") if head.get(role)},
        study=str(mark.get("study") or ""),
        coordinates={str(key): str(value) for key, value in _table(mark.get("coordinates")).items()},
        repeat=mark["repeat"] if isinstance(mark.get("repeat"), int) else None,
        size=int(size) if size and str(size).isdigit() else None,
        seconds=float(measured) if (valid or imported) and measured is not None else None,
        phases={name: phases[name] for name in PHASES if name in phases},
        throughput_per_node=float(speed) if valid and _is_number(speed) else None,  # type: ignore[arg-type]
        emulated=tuple(
            dict.fromkeys(str(word) for place in places if (word := _table(place).get("emulated")))
        ),
        spec=spec,
        facts=_table(head.get("facts")),
        imported=imported,
    )


def unreadable(directory: Path, why: RecordError) -> Headline:
    """The entry of a record that is not readable."""
    return Headline(id=directory.name, directory=str(directory), verdict="BROKEN", reason=why.message)


def headlines(records: Sequence[Stored], study: str = "") -> list[Headline]:
    """The headlines of some records, or of those of one study."""
    found = [headline(stored) for stored in records]
    return [line for line in found if not study or line.study == study]


def flat(value: Any, prefix: str = "") -> dict[str, str]:
    """A nested table as dotted keys and texts."""
    if isinstance(value, Mapping):
        return {
            key: text
            for name, inner in value.items()
            for key, text in flat(inner, f"{prefix}.{name}" if prefix else str(name)).items()
        }
    return {prefix: "" if value is None else str(value)} if prefix else {}


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
