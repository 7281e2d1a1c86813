"""The data of a report about one run: a frozen model, from which the page, the terminal text and the JSON are created.

Times are seconds, positions in time are seconds after the run began, sizes are bytes, shares go from 0 to 1.
"""

import shlex
from collections.abc import Mapping
from typing import Any

from pydantic import ConfigDict

from weft.analysis.explain.attribution import label
from weft.analysis.explain.pauses import PausedNode
from weft.analysis.explain.stacks import Profiled
from weft.analysis.explain.timeparts import Explanation
from weft.analysis.read.nodes import NodeInfo, PlaceInfo
from weft.analysis.read.part import Part
from weft.analysis.read.spans import Span
from weft.analysis.summary import streamoperators
from weft.analysis.summary.replayed import Replay
from weft.analysis.summary.streamed import Streamed
from weft.analysis.summary.streamoperators import StreamOperator
from weft.facts import engines
from weft.record.head import RunInfo


class Loss(Part):
    """A loss, and when it happened."""

    at: float
    words: str


class OfStage(Part):
    """An attempt at a stage."""

    stage: int
    attempt: int

    @property
    def label(self) -> str:
        """Number, and try if it is not the first."""
        return label(self.stage, self.attempt)


class StageRow(OfStage):
    """A stage attempt, with sums over its successful tasks."""

    name: str
    begin: float | None = None
    seconds: float | None = None
    tasks: int | None = None
    done: int = 0
    failed: int = 0
    shortest: float | None = None
    p25: float | None = None
    median: float | None = None
    p75: float | None = None
    p95: float | None = None
    longest: float | None = None
    skew: float | None = None
    task_seconds: float = 0.0
    cpu_share: float | None = None
    gc_share: float | None = None
    fetch_share: float | None = None
    disk_spill: int = 0
    shuffle_read: int = 0
    shuffle_remote: int | None = None
    """Of it, from other nodes; None if the engine does not say it."""
    shuffle_write: int = 0
    input: int = 0
    output: int = 0
    failure: str = ""


class TaskRow(OfStage):
    """One of the slowest tasks."""

    index: int
    host: str
    executor: str
    seconds: float
    times_median: float | None = None
    cpu: float | None = None
    gc: float = 0.0
    fetch_wait: float = 0.0
    disk_spill: int = 0
    shuffle_read: int = 0
    input: int = 0


class ExecutorRow(Part):
    """An executor and its tasks; times are seconds, begin and end after the run began."""

    executor: str
    node: str
    slots: int | None = None
    begin: float | None = None
    end: float | None = None
    """None where it lived as long as its application."""
    reason: str = ""
    """Why it was removed."""
    done: int = 0
    failed: int = 0
    task_seconds: float = 0.0
    cpu: float | None = None
    gc: float | None = None
    shuffle_local: int | None = None
    shuffle_remote: int | None = None
    """None if the engine does not say which is which."""
    input: int = 0


class Earlier(Part):
    """The newest run of the same spec before this one, as its record's head has it."""

    id: str
    created: str
    verdict: str
    host: str
    weft: str
    commit: str = ""
    measured: float | None = None
    phases: Mapping[str, float] = {}
    throughput_per_node: float | None = None


class Usage(Part):
    """How the slots were used while the engine's application existed, seconds over all slots; time of tasks separately."""

    slots: int
    slot_seconds: float
    task_seconds: float
    cpu_seconds: float
    gc_seconds: float
    fetch_seconds: float


class CounterRow(Part):
    """A counter's sums, with its source and what the source misses; of a gauge, the highest reading."""

    name: str
    thread: str = ""
    path_class: str = ""
    operation: str = ""
    floor: str = ""
    """Of a histogram, the least value of its bucket."""
    component: str = ""
    """The component that it counts: engine, generator or validator; empty for all of them."""
    unit: str = ""
    source: str = ""
    blind: str = ""
    totals: Mapping[str, float] = {}
    """By node, over the whole observation: the sums of all phases."""
    phases: Mapping[str, Mapping[str, float]] = {}
    """By phase and node, if it is not 0."""


class Series(Part):
    """A counter of a node over time: a rate in units per second, or a gauge."""

    node: str
    counter: str
    points: tuple[tuple[float, float], ...]


class Document(Part):
    """A file of the record with configuration."""

    title: str
    text: str


class LogFile(Part):
    """A log of the record, and its last lines if the run failed."""

    path: str
    size: int
    tail: tuple[str, ...] = ()
    first: bool = False
    """Whether a reader of a failed run begins with it."""


class Summary(RunInfo):
    """One run."""

    model_config = ConfigDict(extra="forbid")

    directory: str
    around: tuple[str, ...] = ()
    """The lines of the log around the evidence of a failure, with their numbers."""
    program: str = ""
    """The user's own program with its arguments, or the name of an imported application; empty for weft's workloads."""
    before: Earlier | None = None
    """The run of the same spec before; None where the other records were not read, or have none."""
    size: int | None = None
    engines: tuple[str, ...] = ()
    """By kind; `engine` is their label."""
    engine_version: str = ""
    nodes_asked: str = ""
    batch_job: str = ""
    """Its job in a batch system, as text; empty outside of one."""
    storages: Mapping[str, str] = {}
    study: str = ""
    coordinates: Mapping[str, str] = {}
    repeat: int | None = None
    nodes: tuple[NodeInfo, ...] = ()
    limits: tuple[str, ...] = ()
    places: tuple[PlaceInfo, ...] = ()
    derived: Mapping[str, str] = {}
    phases: tuple[Span, ...] = ()
    own_clock: bool = False
    """Whether the program measured its work itself; otherwise `measured` is the run phase."""
    throughput: float | None = None
    recoveries: tuple[str, ...] = ()
    marks: tuple[Loss, ...] = ()
    stages: tuple[StageRow, ...] = ()
    stages_left_out: int = 0
    slowest: tuple[TaskRow, ...] = ()
    executors: tuple[ExecutorRow, ...] = ()
    """Those with most task time."""
    executors_left_out: int = 0
    usage: Usage | None = None
    explanation: Explanation | None = None
    """Where the slot time went; nothing where the engine left no job metrics."""
    profile: Profiled | None = None
    """Processor time of the tasks by category; nothing where no stack was sampled."""
    pauses: tuple[PausedNode, ...] = ()
    """GC pauses by node, by the JVMs' own logs; empty if none wrote one."""
    replay: Replay | None = None
    """The jobs of a replayed trace; None of other workloads."""
    stream: Streamed | None = None
    """The latencies of a stream; None of other workloads."""
    operators: tuple[StreamOperator, ...] = ()
    """Of a stream, also of one's own, the busiest first; empty of other jobs, and if the engine left no job metrics."""
    counters: tuple[CounterRow, ...] = ()
    readings: Mapping[str, Any] = {}
    """By probe: what it left at the end, in the form that its section knows."""
    mapreduce: Mapping[str, Mapping[str, int]] = {}
    """Counters of MapReduce jobs by name, for map, reduce and total; empty if there were none."""
    flink: tuple[Mapping[str, Any], ...] = ()
    """Flink's vertices, times in seconds over all subtasks; empty with other engines."""
    series: tuple[Series, ...] = ()
    documents: tuple[Document, ...] = ()
    logs: tuple[LogFile, ...] = ()

    @property
    def limiting(self) -> str:
        """Which operator of a stream limits its rate; empty without operators."""
        return streamoperators.limiting(self.operators, missed=self.stream is not None and self.stream.missed)

    def seconds(self, phase: str) -> float | None:
        """The total duration of a phase."""
        found = [span.seconds for span in self.phases if span.name == phase]
        return sum(found) if found else None

    @property
    def again(self) -> str:
        """The command that makes this run again; empty where the record has no spec, or one of a persistent cluster."""
        made = any(document.title == "spec.toml" for document in self.documents)
        return (
            shlex.join(["weft", "run", f"{self.directory}/spec.toml"])
            if made and self.workload != "persistent"
            else ""
        )

    @property
    def node_hours(self) -> float | None:
        """Hours of all nodes in the run phase."""
        ran = self.seconds("run")
        return None if ran is None or not self.nodes else ran * len(self.nodes) / 3600

    @property
    def result(self) -> float | None:
        """The result: the program's own time, otherwise the run phase; None without a checked result."""
        if self.verdict != "VALID":
            return None
        return self.measured if self.measured is not None else self.seconds("run")

    @property
    def engine_named(self) -> str:
        """With its version: spark 4.3.0 on YARN; without versions for several engines: spark+flink."""
        if len(self.engines) != 1 or not self.engine_version:
            return self.engine
        (kind,) = self.engines
        return f"{kind} {self.engine_version}{self.engine.removeprefix(kind)}"

    @property
    def idle(self) -> bool:
        """Whether no engine of it runs tasks."""
        return bool(self.engines) and all(engines.of(kind).idle for kind in self.engines)

    @property
    def emulated(self) -> tuple[str, ...]:
        """The emulated parts of the storage."""
        return tuple(dict.fromkeys(place.emulated for place in self.places if place.emulated))

    @property
    def end(self) -> float:
        """The end of the data, in seconds after the run began."""
        ends = [span.begin + span.seconds for span in self.phases]
        ends += [row.begin + (row.seconds or 0.0) for row in self.stages if row.begin is not None]
        ends += [mark.at for mark in self.marks]
        ends += [series.points[-1][0] for series in self.series if series.points]
        return max(ends, default=0.0)

    def json_text(self, indent: int | None = 1) -> str:
        """The numbers, without the series (in samples.parquet) and the texts of files."""
        return self.model_dump_json(indent=indent, exclude={"series", "documents"})
