"""What weft knows of an engine besides how to start it. Each engine's facts are a module of `facts/engines`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal


@dataclass(frozen=True)
class Settings:
    """The engine's own settings, by what they decide; empty: it has none."""

    local_directories: str = ""
    heap: str = ""
    """Of the processes in which tasks run; and weft's key for the same, if there is one."""
    heap_key: str = ""
    driver_key: str = ""
    """weft's key for the heap of a job's driver."""
    driver: str = ""
    """The engine's own for the same, which the JVM must have when it starts."""
    cluster: tuple[str, ...] = ()
    """Those, by how they begin, that say where a cluster is and what it writes; a file for another cluster may have them."""
    nodes: str = ""
    partitions: tuple[str, ...] = ()
    begin_late: str = ""
    """With which tasks begin when those have ended whose output they read."""
    compression: tuple[str, ...] = ()
    """Of what is shuffled; `false` ends it."""


@dataclass(frozen=True)
class Held:
    """The memory in which tasks sort and group, and in which a job caches; what it has no room for is spilled, or dropped."""

    part: str = ""
    """What it is a part of, as plans name its size; empty: the executor's heap."""
    of: Literal["task", "slot", "running"] = "running"
    """Who has a part of that size: each task; a process, for each of its slots alike; or a process, for the tasks that run in it."""
    share: float = 1.0
    """Of that part, without `reserved`."""
    setting: str = ""
    """The engine's own, which changes the share."""
    reserved: int = 0
    """Bytes of the part that are for something else."""
    page: int = 0
    """Bytes that a task takes at a time at most, so that it may hold as much less than it took."""
    pages: int = 1
    """Of which at least so many are the room of a slot."""
    reported: bool = True
    """Whether the engine says how much its tasks held."""
    elsewhere: tuple[str, ...] = ()
    """Settings with which the memory is another part, or of another size."""


@dataclass(frozen=True)
class Paying:
    """A setting of the engine's own with which a measured job took less time than with the engine's default."""

    key: str
    value: str
    stages: str
    """Pattern of the names of the stages that it made faster."""
    seen: str
    """What it is, and what was measured, in a clause."""


@dataclass(frozen=True)
class Sql:
    """How it runs SQL queries on Parquet."""

    library: str = ""
    """The distribution with what its own lacks for it; empty: none."""
    columns: bool = False
    """Whether the columns of tables must be declared: it does not take them from the files."""
    casts: bool = False
    """Whether an average of integers is an integer and a null needs a type, unless the query casts them."""
    itself: bool = False
    """Whether it is the engine that also checks answers, of another version."""


@dataclass(frozen=True)
class Streaming:
    """How it processes a stream from Kafka. Times are seconds."""

    library: str
    """The distribution with its connector."""
    shortest: float
    """The shortest window or micro-batch."""
    interval: float = 0.0
    """Between results, by default; 0: one for each record."""
    checkpoint: float = 1.0
    """Between checkpoints, by default."""
    buffers: bool = False
    """Whether a record waits for others of its buffer, for a time that can be set."""
    real_time: str = ""
    """The mode with a result for each record, if it is another: its tasks all hold a slot, and `checkpoint` is its shortest."""


@dataclass(frozen=True)
class TaskLog:
    """How the log of a submitted program names its tasks: regular expressions; empty: it does not."""

    failed: str = ""
    """Where an exception of the program came from a task; its groups say which: `task`, `stage`, `host`."""
    ended: str = ""
    """A task that ended well: `task`, `stage`."""
    block: bool = False
    """Whether the lines up to the next that has a time say why; its `attempt` is in the log of its process."""
    placed: str = ""
    """In the log of a daemon, a task that failed, if the program's log does not have its `host`."""
    silent: str = ""
    """In the log of a daemon, members that it takes for dead because they were silent; they may come back."""
    lost: str = ""
    """A process of tasks that ended early: `name`, `host`, `code`."""
    stops: str = ""
    """In the program's log, that it ends all its processes: their errors after it are consequences."""


OWN_PACKAGES = "--set engine.packages=DIR adds a directory of packages that all nodes see, such as `pip install --target DIR` fills; --py-files FILE adds a module of your own"
"""Of engines whose Python is weft's own."""


@dataclass(frozen=True)
class EngineFacts:
    """An engine without any of these is one that leaves no log, runs no JVM, and has no settings."""

    log: str = ""
    """The module that reads its logs, as `LOG`: tables take long to import."""
    live: str = ""
    """The module that reads what a running job does, as `LIVE`; empty: it logs nothing of it before the job has ended."""
    rules: Path | None = None
    """Names of its threads and of its code (TOML), by which their time is divided."""
    settings: Settings = field(default_factory=Settings)
    empty_job: Mapping[str, Any] = field(default_factory=dict)
    """The workload whose tasks do least, with as many as make a rate that repeats."""
    directories: int = 1
    """Over how many directories of a node it spreads its files in scratch."""
    block_files: bool = False
    """Whether a map task first writes a file for each block where there are few reducers."""
    jvm_a_task: bool = False
    """Whether it starts a JVM for each task, which loads its classes and runs them uncompiled first."""
    pipelined: bool = False
    """Whether all stages run at once and share slots: no more partitions than slots, and tasks at one time do not count slots."""
    most_tasks: int | None = None
    """Most tasks of one stage; None: any number."""
    idle: bool = False
    """Whether it starts nothing, so that there are no tasks to explain."""
    tasks: TaskLog = field(default_factory=TaskLog)
    memory_key: str = ""
    """weft's key for the memory of the processes in which tasks run."""
    modules: str = "--py-files FILE adds one of your own"
    """How the Python of its programs and workers gets a module that it has not."""
    held: Held | None = None
    """None: how much its tasks may hold is not known."""
    paying: tuple[Paying, ...] = ()
    command: str = ""
    """An example command that runs a user's own program on it; empty: it runs none."""
    persistent: bool = False
    """Whether users' own commands find it by what its client says, so that a cluster of it can stay."""
    sql: Sql | None = None
    streaming: Streaming | None = None
