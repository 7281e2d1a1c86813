"""Where a run's slot time went: the numbers that pages, terminal and JSON share, of the same structure in every run."""

from collections.abc import Collection, Mapping

from weft.analysis.explain.balance import Balance
from weft.analysis.explain.filepart import FilePart
from weft.analysis.explain.slots import START
from weft.analysis.explain.sqlparts import OperatorTimes
from weft.analysis.explain.tasktime import CPU
from weft.analysis.read.part import Part

_NOTHING = 1e-6
"""Seconds that rounding leaves."""


class Operation(Part):
    """File calls of one kind: seconds inside them over all threads of tasks, and how many."""

    name: str
    seconds: float
    calls: float
    files: str = ""
    """The class of their paths; empty for what is no file call."""


class TimePart(Part):
    """A part of the slot time: slot-seconds that are its alone, their share, seconds spent at it in all, and its bound."""

    name: str
    share: float
    seconds: float
    resource: float
    on: FilePart | None = None
    """Of file calls: their kind and files."""
    bound: float | None
    """How many times faster the run phase would be at most without it; None of the job's work and the application's start."""
    operations: tuple[Operation, ...] = ()
    split: Mapping[str, float] = {}
    """Slot-seconds of data calls by the calibrated model: latency, bandwidth, beyond both; empty without a calibration."""


class Limit(Part):
    """A gauge: an observed rate per second, as the average call met it, and the calibrated ceiling."""

    name: str
    unit: str
    observed: float
    ceiling: float
    share: float
    peak: float
    parts: tuple[str, ...] = ()
    """Parts of the slot time that it is about."""
    service: str = ""
    """What reaches its ceiling, for a sentence: the server, the storage, the links."""
    note: str = ""
    """The storage."""


class StageTime(Part):
    """The slot time of a stage and of the slots it left empty, by part."""

    stage: str
    name: str
    side: str
    seconds: float
    share: float
    parts: Mapping[str, float]
    operations: Mapping[str, tuple[Operation, ...]] = {}
    balance: Balance
    """What was measured of its tasks beside the time that they had."""


class SideCalls(Part):
    """File calls of one kind by the stages of one side of the shuffle: slot-seconds that are theirs alone, and how many."""

    part: str
    files: str
    side: str
    operation: str
    seconds: float
    calls: float


class CrossCheck(Part):
    """Time in file calls by two measurements that do not know of each other, in seconds."""

    timed: float
    seen: float
    runnable: float
    agree: bool


class PythonWorkers(Part):
    """Workers of PySpark that wrote what they did: how many, for how many tasks, and how large they became."""

    processes: int
    tasks: int
    peak: int
    """Bytes of memory of the largest."""
    modules: int
    """Python modules that one had loaded at most."""


class Covered(Part):
    """What the answer is based on, and what it could not see."""

    tasks: int
    processes_ran: int
    processes_seen: int
    missing: Mapping[str, str] = {}
    cross_check: CrossCheck | None = None
    python: PythonWorkers | None = None
    replay: float
    """The job's own tasks scheduled again, over the time it took."""
    lost: tuple[str, ...] = ()
    """Of the event log: lines that could not be read."""

    def unmeasured(self, but: Collection[str]) -> list[str]:
        """What is missing, each with what would measure it; without what others measured (`but`)."""
        return [f"{name} ({what})" for name, what in self.missing.items() if name not in but]


class Suggestion(Part):
    """What a part of the slot time suggests to change."""

    part: str
    change: str
    gain: float | None
    """Share of the time that it saves at most; None: how much is not known."""
    flags: tuple[str, ...] = ()
    """Of `weft run`, where they are known exactly."""
    program: bool = False
    """Whether it changes the program, and not how it is run."""
    shows: bool = False
    """Whether it saves nothing, and shows more."""
    fact: bool = False
    """Whether a stage or a plan shows it, of which no prediction knows."""


class Trying(Part):
    """The one thing to try, which `weft advise` says first. Gains are shares of the time."""

    change: str
    gain: float | None
    """As predicted; None if only the most is known, or if it saves nothing and shows more."""
    low: float | None = None
    high: float | None = None
    """The prediction interval, or the most that it can save."""
    command: str = ""
    """That does it; empty where weft has none."""
    settings: str = ""
    """The engine's own for the same."""


class Explanation(Part):
    """The answer. Shares go from 0 to 1 and sum to 1; a bound is how many times faster the job would be at most."""

    sentence: str
    """Where the job's time went."""
    start: str = ""
    """How long the application started before; empty if that is hardly anything."""
    work: str = ""
    """That the job computes, and how near it is to the machine's limits; empty if that is not most of it."""
    verdict: bool
    """Whether enough has a name for the sentence to be one."""
    headline: str
    wall: float
    slots: int
    """The most at one time."""
    slot_time: float
    """Seconds of all slots that there were: slots x wall, unless executors came and went."""
    parts: tuple[TimePart, ...]
    stages: tuple[StageTime, ...]
    """Those that took most."""
    sides: Mapping[str, float] = {}
    """Slot-seconds of all stages by side of the shuffle."""
    calls: tuple[SideCalls, ...] = ()
    findings: tuple[Suggestion, ...] = ()
    """What the parts suggest, those first that save most."""
    sql: OperatorTimes | None = None
    """Its queries by operator; None if no query ran."""
    trying: Trying | None = None
    """What to try first, by findings and predictions; None where nothing helps."""
    decided: bool = False
    """Whether that was decided, which needs more than this record."""
    background: Mapping[str, float] = {}
    """Processor seconds of threads beside the tasks, by kind."""
    gauges: tuple[Limit, ...] = ()
    no_gain: str = ""
    """Why what its parts cost is not what it would gain without them, as a sentence; empty if it is."""
    calibration: str = ""
    """Which calibration the gauges are of, or why there is none."""
    coverage: Covered

    @property
    def job(self) -> float:
        """Slot-seconds without the application's start."""
        return self.slot_time - sum(part.seconds for part in self.parts if part.name == START)

    @property
    def sampled(self) -> bool:
        """Whether the processor's part is divided into categories."""
        return any(part.name == CPU and part.operations for part in self.parts)

    def rows(self, *, categories: bool = False) -> dict[str, float]:
        """Seconds of the run's wall time by part, file calls by operation and side: their sum is the wall time.

        With `categories`, also the processor's part by what it was used for, in the proportions of its samples.
        """
        named = {part.name: part.seconds for part in self.parts}
        rows: dict[str, float] = {}
        for each in self.calls:
            name = f"{each.part}, {each.side}: {each.operation}"
            rows[name] = rows.get(name, 0.0) + each.seconds
            named[each.part] -= each.seconds
        if categories:
            rows |= self._categories(named.pop(CPU, 0.0))
        return {
            name: seconds * self.wall / self.slot_time
            for name, seconds in {**named, **rows}.items()
            if abs(seconds) > _NOTHING
        }

    def _categories(self, seconds: float) -> dict[str, float]:
        found = next((part.operations for part in self.parts if part.name == CPU), ())
        whole = sum(each.seconds for each in found)
        if not whole:
            return {CPU: seconds}
        return {f"{CPU}: {each.name}": seconds * each.seconds / whole for each in found}

    def files(self, path_class: str, side: str) -> float | None:
        """Seconds of the wall time that file calls on these paths took at this side of shuffles; None where not counted."""
        if "fileops" in self.coverage.missing:
            return None
        mine = [each for each in self.calls if each.files == path_class and each.side == side]
        return sum(each.seconds for each in mine) * self.wall / self.slot_time
