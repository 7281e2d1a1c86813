"""Spark's event log as tables. Streams: works for a log of any length, and for one that ends within a line."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import polars

from weft.facts import jobmetrics, loglines
from weft.facts.engines.spark import properties, tasks
from weft.facts.engines.spark.copies import MARK, TASK, OpenCopies
from weft.facts.engines.spark.cores import MOST
from weft.facts.engines.spark.plans import Plans
from weft.facts.engines.spark.stagename import stage_name
from weft.facts.joblog import JobLog
from weft.facts.jobmetrics import JobMetrics
from weft.facts.kept import KeptRows
from weft.facts.loglines import Damaged
from weft.text.entry import Entry

_EVENT = re.compile(r'\{\s*"Event"\s*:\s*"(?:[\w.]*\.)?(?:SparkListener|StreamingQueryListener\$)(\w+)"')
_BEGINS = re.compile(rb'"Event"\s*:\s*"(?:[\w.]*\.)?SparkListener')
_BATCH = 5000
"""Task lines parsed at once: each has about 1 kB of text that is needed."""
_CHARACTERS = 1 << 23
"""Of fewer lines, where they are longer."""
_OTHERS = (".json", ".jsonl", ".jhist", ".summary", ".xml")
"""Files with the job metrics of Flink, Dask, Ray and Hadoop, which are beside it if they shared a cluster."""
_DEFAULT, _PROFILES, _RESOURCES = 0, 10_000, 10
"""The resource profile of a job that asks for none, and how many are kept, with how many resources of each."""
_CORES, _TEXT = "cpus", 100
"""The resource that Spark names so, and characters of a name that are kept."""
_CACHED = 100_000
"""RDDs in memory that are kept, give or take those of a stage."""
_STREAMS = ("sql.streaming.queryId", "spark.streaming.internal.batchTime")
"""Properties of which a job that is a micro-batch has one: of Structured Streaming, and of DStreams (JobScheduler.scala)."""
_STOPPED = re.compile(r"part of cancelled job (group|tags?)\b")
"""What only programs do to a job: a stream that is stopped ends its last micro-batch, and SQL a broadcast that nobody needs any more."""
_COMPRESSED = (".zstd", ".lz4", ".snappy", ".lzf")
_COMPACTED = ".compact"
"""The ending of what the History Server made of the older parts of a rolling log (EventLogFileWriters.scala)."""
_STANDALONE = ("spark:", "mesos:")
"""How the masters begin that limit the cores of an application: YARN, Kubernetes and local mode do not know that setting."""


def found(directory: Entry) -> bool:
    """Whether a record's engine folder contains an event log."""
    return bool(_logs(directory))


def read(directory: Entry) -> JobMetrics:
    """Parse every event log below a record's engine folder."""
    reader = _EventLog()
    for path in _logs(directory):
        if path.suffix in _COMPRESSED:
            reader.gaps.append(f"{path.name} is compressed and was skipped")
            continue
        if path.suffix == _COMPACTED:
            reader.gaps.append(
                f"{path.name} was compacted: Spark left out tasks of jobs that had ended, so that their slots seem empty"
            )
        reader.feed(_app(path), path)
    return reader.metrics()


def _logs(directory: Entry) -> list[Entry]:
    """Plain logs and the parts of rolling ones, in order; no checksums, marks or hidden files."""
    found = [
        path
        for path in directory.files()
        if not path.name.startswith((".", "appstatus")) and path.suffix not in _OTHERS
    ]
    return sorted(
        found, key=lambda path: [int(w) if w.isdigit() else w for w in re.split(r"(\d+)", str(path))]
    )


def _app(path: Entry) -> str:
    """The application's ID: the file's name, without the suffix of a log in progress."""
    name = path.name.split(".", 1)[0]
    return re.sub(r"^events_\d+_", "", name)


_TABLES: Mapping[str, tuple[Mapping[str, Any], Sequence[str]]] = {
    "applications": (jobmetrics.APPLICATIONS, ("app",)),
    "executors": (jobmetrics.EXECUTORS, ("app", "executor")),
    "jobs": (jobmetrics.JOBS, ("app", "job")),
    "stages": (jobmetrics.STAGES, ("app", "stage", "attempt")),
}
"""By table: its columns, and those by which later events find an earlier row."""


@dataclass
class _EventLog:
    """Rows by table, by the key of their subject; later events complete earlier rows."""

    rows: dict[str, dict[tuple[Any, ...], dict[str, Any]]] = field(
        default_factory=lambda: {name: {} for name in _TABLES}
    )
    kept: KeptRows = field(default_factory=KeptRows)
    asked: dict[tuple[str, int], Mapping[str, float]] = field(default_factory=dict)
    """By application and resource profile: what a task takes of cores and of other resources, such as GPUs."""
    cached: set[tuple[str, int]] = field(default_factory=set)
    """By application: RDDs that a stage has computed and keeps in memory."""
    copies: OpenCopies = field(default_factory=OpenCopies)
    plans: Plans = field(default_factory=Plans)
    queries: list[dict[str, Any]] = field(default_factory=list)
    operators: list[dict[str, Any]] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)

    def feed(self, app: str, path: Entry) -> None:
        """All events of one file."""
        bad = Damaged()
        batch: list[str] = []
        numbers: list[int] = []
        characters = 0
        for number, line in enumerate(loglines.read(path), 1):
            match = _EVENT.match(line)
            if match and match[1] == "TaskEnd":
                batch.append(tasks.needed(line))
                numbers.append(number)
                characters += len(batch[-1])
                if len(batch) == _BATCH or characters > _CHARACTERS:
                    self._take(app, batch, numbers, bad)
                    batch, numbers, characters = [], [], 0
            elif match and match[1] == "TaskStart" and MARK not in line:
                continue
            elif match and (handle := getattr(self, f"_on_{match[1]}", None)):
                try:
                    handle(app, loglines.decode(line))
                except loglines.DAMAGED:
                    bad.at(number)
        self._take(app, batch, numbers, bad)
        self.gaps += bad.gap(f"the event log {path.name}")

    def _take(self, app: str, batch: Sequence[str], numbers: Sequence[int], bad: Damaged) -> None:
        """Task lines as a table."""
        lost: list[int] = []
        found = tasks.parse(app, batch, lost)
        self.copies.end(found)
        self.kept.add(found)
        for position in lost:
            bad.at(numbers[position])

    def metrics(self) -> JobMetrics:
        tables = {
            name: jobmetrics.table(self.rows[name].values(), schema) for name, (schema, _) in _TABLES.items()
        }
        self._ran(self.plans.rest())
        if self.plans.lost:
            self.gaps.append(f"operators of {self.plans.lost:,} queries were left out: the log has too many")
        tables["queries"] = jobmetrics.table(self.queries, jobmetrics.QUERIES)
        tables["operators"] = jobmetrics.table(self.operators, jobmetrics.OPERATORS)
        ends = {key: row.get("end") for key, row in self.rows["stages"].items()}
        for app, line in self.copies.killed(ends.get):
            self.kept.add(tasks.parse(app, [line], []))
        found = self.kept.metrics(self.gaps, **tables)
        return replace(found, tasks=_once(found.tasks))

    def _ran(self, ended: Iterable[tuple[dict[str, Any], list[dict[str, Any]]]]) -> None:
        """Keep a query with its operators. Raises ValueError for what no Spark writes."""
        for query, operators in ended:
            fit = jobmetrics.fitting(jobmetrics.QUERIES, query)
            rows = [jobmetrics.fitting(jobmetrics.OPERATORS, row) for row in operators]
            self.queries.append(fit)
            self.operators += rows

    def _put(self, table: str, **values: Any) -> None:
        """Add what an event says to a row. Raises ValueError for what no Spark writes."""
        schema, key = _TABLES[table]
        fit = jobmetrics.fitting(schema, values)
        rows, name = self.rows[table], tuple(fit[column] for column in key)
        if self.kept.room(fit.values(), rows=name not in rows):
            rows.setdefault(name, {}).update(fit)

    def _on_LogStart(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802 - the engine's name
        self._put("applications", app=app, version=event["Spark Version"])

    def _on_ApplicationStart(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802
        self._put("applications", app=app, name=event["App Name"], begin=_time(event["Timestamp"]))

    def _on_ApplicationEnd(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802
        self._put("applications", app=app, end=_time(event["Timestamp"]))
        if code := event.get("ExitCode"):  # since Spark 4.0
            self._put("applications", app=app, failure=f"The application ended with exit code {int(code)}")

    def _on_QueryStartedEvent(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802
        self._put("applications", app=app, stream="runId" in event)

    def _on_QueryTerminatedEvent(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802
        if cause := event.get("exception"):
            self._put("applications", app=app, failure=f"A streaming query did not succeed: {cause}")

    def _on_EnvironmentUpdate(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802
        settings = event["Spark Properties"]
        if "spark.task.cpus" in settings:  # logs of before Spark 3.1 have no resource profiles
            self.asked.setdefault((app, _DEFAULT), {_CORES: int(settings["spark.task.cpus"])})
        dynamic = settings.get("spark.dynamicAllocation.enabled") == "true"
        most = settings.get(MOST, "")
        obeyed = str(settings.get("spark.master", _STANDALONE[0])).startswith(_STANDALONE)
        limit = int(most) if obeyed and most.isdecimal() and most.isascii() else None
        self._put("applications", app=app, dynamic=dynamic, most_cores=limit)

    def _on_ResourceProfileAdded(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802
        asked = islice(event["Task Resource Requests"].items(), _RESOURCES)
        if len(self.asked) < _PROFILES:
            amounts = {name[:_TEXT]: float(each["Amount"]) for name, each in asked}
            self.asked[app, int(event["Resource Profile Id"])] = amounts

    def _on_ExecutorAdded(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802
        info, added = event["Executor Info"], _time(event["Timestamp"])
        name, host, cores = event["Executor ID"], info["Host"], info["Total Cores"]
        usual = self.asked.get((app, _DEFAULT), {}).get(_CORES, 1)
        each = self.asked.get((app, info.get("Resource Profile Id", _DEFAULT)), {})
        slots = _slots(cores, info.get("Resources") or {}, {_CORES: usual, **each})
        own = {"app": app, "executor": name, "host": host, "cores": cores, "slots": slots}
        self._put("executors", **own, added=added)

    def _on_ExecutorRemoved(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802
        name, removed = event["Executor ID"], _time(event["Timestamp"])
        reason = event.get("Removed Reason", "")
        self._put("executors", app=app, executor=name, removed=removed, reason=reason)

    def _on_JobStart(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802
        self._put("jobs", app=app, job=event["Job ID"], begin=_time(event.get("Submission Time")))
        local = event.get("Properties") or ()
        if any(name in local for name in _STREAMS):
            self._put("applications", app=app, stream=True)

    def _on_JobEnd(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802
        result = event["Job Result"]
        failure = "" if result["Result"] == "JobSucceeded" else _message(result)
        failure = "" if _STOPPED.search(failure.partition("\n")[0]) else failure
        self._put(
            "jobs", app=app, job=event["Job ID"], end=_time(event.get("Completion Time")), failure=failure
        )

    def _on_SQLExecutionStart(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802
        self.plans.begun(app, event)

    def _on_SQLAdaptiveExecutionUpdate(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802
        self.plans.changed(app, event)

    def _on_DriverAccumUpdates(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802
        self.plans.counted(app, event)

    def _on_SQLExecutionEnd(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802
        self._ran(self.plans.ended(app, event))

    def _on_TaskStart(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802
        self.copies.begin(app, event)

    def _on_StageSubmitted(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802
        info = event["Stage Info"]
        self._stage(app, info, reads_cache=any((app, rdd) in self.cached for rdd in _in_memory(info)))

    def _on_StageCompleted(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802
        self._stage(app, event["Stage Info"])
        if len(self.cached) < _CACHED:
            self.cached |= {(app, rdd) for rdd in _in_memory(event["Stage Info"])}
        self.plans.stage(app, event["Stage Info"])

    def _on_UnpersistRDD(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802
        self.cached.discard((app, int(event["RDD ID"])))

    def _stage(self, app: str, info: dict[str, Any], **more: Any) -> None:
        self._put(
            "stages",
            app=app,
            stage=info["Stage ID"],
            attempt=info["Stage Attempt ID"],
            name=stage_name(info),
            tasks=info["Number of Tasks"],
            begin=_time(info.get("Submission Time")),
            end=_time(info.get("Completion Time")),
            failure=str(info.get("Failure Reason") or ""),
            parents=info.get("Parent IDs"),
            **more,
        )


def _slots(cores: int, resources: Mapping[str, Any], asked: Mapping[str, float]) -> int:
    """Tasks at one time (ResourceProfile.scala): several may share a GPU, and each of them takes its cores.

    A profile need not ask for cores, and an executor need not have what others have.
    """
    found = cores // max(1, int(asked[_CORES]))
    for name, amount in asked.items():
        if name != _CORES and name in resources and amount > 0:
            count = len(resources[name]["addresses"])
            found = min(found, int(count / amount) if amount >= 1 else count * int(1 / amount))
    return found


def _once(found: polars.DataFrame) -> polars.DataFrame:
    """Each task once: Spark logs one again, with the times that it had, where its output is lost with its executor."""
    again = found.filter(polars.col("reason") == jobmetrics.LOST_OUTPUT)
    if again.is_empty():
        return found
    ended = found.filter("ok").join(again, on=TASK, how="semi")
    reason = polars.lit(jobmetrics.LOST_OUTPUT).cast(found.schema["reason"]).alias("reason")
    lost = ended.with_columns(polars.lit(value=False).alias("ok"), reason)
    alone = again.join(ended, on=TASK, how="anti")
    return polars.concat([found.join(again, on=TASK, how="anti"), lost, alone])


def _in_memory(info: dict[str, Any]) -> list[int]:
    """The RDDs of a stage that are to be kept in memory. A task that finds its part there counts that as input."""
    return [
        int(rdd["RDD ID"])
        for rdd in info.get("RDD Info", ())
        if rdd.get("Storage Level", {}).get("Use Memory")
    ]


def _message(result: dict[str, Any]) -> str:
    exception = result.get("Exception")
    return str(exception.get("Message", "") if isinstance(exception, dict) else exception) or str(
        result["Result"]
    )


def _time(milliseconds: Any) -> float | None:
    return None if milliseconds is None else float(milliseconds) / 1000


def _adopt(plain: Path, source: Path) -> list[str]:
    """A log may have any name, such as one that ends in .json: in a record it has none of another kind of file."""
    del source
    if plain.name.startswith(".") or plain.suffix in (*_OTHERS, *_COMPRESSED):
        plain.rename(plain.with_name(f"{plain.name.lstrip('.')}.log"))
    return []


LOG = JobLog(
    found,
    read,
    name="event logs of Spark",
    begins=lambda data: _BEGINS.search(data) is not None,
    adopt=_adopt,
    settings=properties.chosen,
    slots_are="cores of the executors over those of a task, the most at one time",
)
