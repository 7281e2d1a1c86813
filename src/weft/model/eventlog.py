"""Spark's event log as tables. Streams: works for a log of any length, and for one that ends within a line."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars

from weft.model import jobmetrics, sparktasks
from weft.model.jobmetrics import JobMetrics

_EVENT = re.compile(r'\{\s*"Event"\s*:\s*"(?:[\w.]*\.)?SparkListener(\w+)"')
_BATCH = 5000
"""Task lines parsed at once: each is about 5 kB of text."""
_OTHERS = (".json", ".jhist", ".summary", ".xml")
"""Files with the job metrics of Flink and Hadoop, which are beside it if they shared a cluster."""
_COMPRESSED = (".zstd", ".lz4", ".snappy", ".lzf")


def found(directory: Path) -> bool:
    """Whether a record's engine folder contains an event log."""
    return bool(_logs(directory))


def read(directory: Path) -> JobMetrics:
    """Parse every event log below a record's engine folder."""
    reader = _Reader()
    for path in _logs(directory):
        if path.suffix in _COMPRESSED:
            reader.gaps.append(f"{path.name} is compressed and was skipped")
            continue
        with path.open(encoding="utf-8", errors="replace") as file:
            reader.feed(_app(path), path.name, file)
    return reader.metrics()


def _logs(directory: Path) -> list[Path]:
    """Plain logs and the parts of rolling ones, in order; no checksums, marks or hidden files."""
    found = [
        path
        for path in directory.rglob("*")
        if path.is_file() and not path.name.startswith((".", "appstatus")) and path.suffix not in _OTHERS
    ]
    return sorted(
        found, key=lambda path: [int(w) if w.isdigit() else w for w in re.split(r"(\d+)", str(path))]
    )


def _app(path: Path) -> str:
    """The application's ID: the file's name, without the suffix of a log in progress."""
    name = path.name.split(".", 1)[0]
    return re.sub(r"^events_\d+_", "", name)


@dataclass
class _Reader:
    """Rows by table, by the key of their subject; later events complete earlier rows."""

    rows: dict[str, dict[tuple[Any, ...], dict[str, Any]]] = field(
        default_factory=lambda: {"applications": {}, "executors": {}, "jobs": {}, "stages": {}}
    )
    tasks: list[polars.DataFrame] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)

    def feed(self, app: str, name: str, lines: Iterable[str]) -> None:
        """All events of one file."""
        bad = 0
        batch: list[str] = []
        for line in lines:
            match = _EVENT.match(line)
            if match and match[1] == "TaskEnd":
                if line.rstrip().endswith("}"):
                    batch.append(line)
                else:
                    bad += 1
                if len(batch) == _BATCH:
                    bad += self._take(app, batch)
                    batch = []
            elif match and (handle := getattr(self, f"_on_{match[1]}", None)):
                try:
                    handle(app, json.loads(line))
                except (ValueError, KeyError, TypeError, AttributeError):
                    bad += 1
        bad += self._take(app, batch)
        if bad:
            self.gaps.append(f"{bad} line(s) of the event log {name} are damaged and were skipped")

    def _take(self, app: str, batch: list[str]) -> int:
        """Task lines as a table; how many of them were not readable."""
        found = sparktasks.parse(app, batch)
        self.tasks.append(found)
        return len(batch) - found.height

    def metrics(self) -> JobMetrics:
        def frame(name: str, schema: dict[str, Any]) -> polars.DataFrame:
            return jobmetrics.table(self.rows[name].values(), schema)

        return JobMetrics(
            frame("applications", jobmetrics.APPLICATIONS),
            frame("executors", jobmetrics.EXECUTORS),
            frame("jobs", jobmetrics.JOBS),
            frame("stages", jobmetrics.STAGES),
            polars.concat([polars.DataFrame(schema=jobmetrics.TASKS), *self.tasks]),
            self.gaps,
        )

    def _row(self, table: str, *key: Any) -> dict[str, Any]:
        return self.rows[table].setdefault(key, {})

    def _on_LogStart(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802 - the engine's name
        self._row("applications", app).update(app=app, version=event["Spark Version"])

    def _on_ApplicationStart(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802
        self._row("applications", app).update(
            app=app, name=event["App Name"], begin=_time(event["Timestamp"])
        )

    def _on_ApplicationEnd(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802
        self._row("applications", app).update(app=app, end=_time(event["Timestamp"]))

    def _on_ExecutorAdded(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802
        info = event["Executor Info"]
        self._row("executors", app, event["Executor ID"]).update(
            app=app,
            executor=event["Executor ID"],
            host=info["Host"],
            cores=info["Total Cores"],
            added=_time(event["Timestamp"]),
        )

    def _on_ExecutorRemoved(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802
        self._row("executors", app, event["Executor ID"]).update(
            app=app,
            executor=event["Executor ID"],
            removed=_time(event["Timestamp"]),
            reason=event.get("Removed Reason", ""),
        )

    def _on_JobStart(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802
        self._row("jobs", app, event["Job ID"]).update(
            app=app, job=event["Job ID"], begin=_time(event["Submission Time"])
        )

    def _on_JobEnd(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802
        result = event["Job Result"]
        failure = "" if result["Result"] == "JobSucceeded" else _message(result)
        self._row("jobs", app, event["Job ID"]).update(
            app=app, job=event["Job ID"], end=_time(event["Completion Time"]), failure=failure
        )

    def _on_StageSubmitted(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802
        self._stage(app, event["Stage Info"])

    def _on_StageCompleted(self, app: str, event: dict[str, Any]) -> None:  # noqa: N802
        self._stage(app, event["Stage Info"])

    def _stage(self, app: str, info: dict[str, Any]) -> None:
        key = (info["Stage ID"], info["Stage Attempt ID"])
        self._row("stages", app, *key).update(
            app=app,
            stage=key[0],
            attempt=key[1],
            name=_name(info),
            tasks=info["Number of Tasks"],
            begin=_time(info.get("Submission Time")),
            end=_time(info.get("Completion Time")),
            failure=str(info.get("Failure Reason") or ""),
            parents=info.get("Parent IDs"),
        )


def _name(info: dict[str, Any]) -> str:
    """The line of the program that caused a stage; of a query's, which a thread of Spark's own causes, its operators in order."""
    name = str(info["Stage Name"])
    if not name.startswith("$anonfun$"):
        return name
    steps = sorted((rdd["RDD ID"], rdd["Scope"]) for rdd in info.get("RDD Info", []) if rdd.get("Scope"))
    return ", ".join(dict.fromkeys(json.loads(scope)["name"].strip() for _, scope in steps)) or name


def _message(result: dict[str, Any]) -> str:
    exception = result.get("Exception")
    return str(exception.get("Message", "") if isinstance(exception, dict) else exception) or str(
        result["Result"]
    )


def _time(milliseconds: Any) -> float | None:
    return None if milliseconds is None else float(milliseconds) / 1000
