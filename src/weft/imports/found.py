"""What a log says of the cluster and of the job's time; and what had to be assumed because it does not say."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars

from weft.imports.recognize import Kind
from weft.model import eventlog, flinkjobs, jobhistory
from weft.model.jobmetrics import JobMetrics

_READERS = {"spark": eventlog.read, "mapreduce": jobhistory.read, "flink": flinkjobs.read}
_SETTINGS = "SparkListenerEnvironmentUpdate"
_CHANGING = re.compile(
    r"\.(id|startTime|port|host|submitTime|dir|name|initial\.jar\.urls|initial\.file\.urls)$|^spark\.app\.|^spark\.repl\."
)
"""Settings that differ from run to run."""
_OPENED = re.compile(
    r"--add-\S+\s*|-XX:\+IgnoreUnrecognizedVMOptions\s*|-D(jdk\.reflect|java\.net|io\.netty)\.\S+\s*"
)
"""Java options that Spark adds to those of the user."""
_NAME = 60


@dataclass(frozen=True)
class Found:
    """Times are seconds since the epoch."""

    app: str
    name: str
    version: str
    begin: float
    end: float
    nodes: Mapping[str, int]
    """Cores, or slots, by host."""
    slots: int
    slots_are: str
    """How many slots there were, as text that says how that is known."""
    tasks: int
    settings: Mapping[str, str]
    assumed: Sequence[str]
    gaps: Sequence[str]
    """Lines of the log that could not be read."""


def found_in(folder: Path, kind: Kind) -> Found:
    """Everything that the record needs, from the logs in its folder."""
    metrics = _READERS[kind](folder)
    settings = _settings(folder) if kind == "spark" else {}
    assumed: list[str] = []
    first = metrics.applications.row(0, named=True) if metrics.applications.height else {}
    begin, end = _stretch(metrics, assumed)
    slots, slots_are = _slots(metrics, kind, settings, assumed)
    app = str(first.get("app") or "")
    name = "".join(letter for letter in str(first.get("name") or app) if letter.isprintable())[:_NAME]
    return Found(
        app, name, str(first.get("version") or ""), begin, end, _nodes(metrics), slots, slots_are, metrics.tasks.height,
        _chosen(settings), assumed, metrics.gaps,
    )  # fmt: skip


def _chosen(settings: Mapping[str, str]) -> dict[str, str]:
    """What a user may have chosen, so that a comparison shows how two jobs differ."""
    found = {key: value for key, value in settings.items() if not _CHANGING.search(key)}
    for key in [key for key in found if key.endswith("extraJavaOptions")]:
        found[key] = _OPENED.sub("", found[key]).strip()
    return {key: value for key, value in found.items() if value}


def _stretch(metrics: JobMetrics, assumed: list[str]) -> tuple[float, float]:
    """From the application's begin to its end; else from the first to the last event that the log has of it."""
    signs = [
        value
        for table in (metrics.applications, metrics.jobs, metrics.stages, metrics.tasks)
        for column in ("begin", "end")
        for value in table[column].drop_nulls().to_list()
    ]
    begins, ends = (metrics.applications[column].drop_nulls().to_list() for column in ("begin", "end"))
    if not begins:
        assumed.append(
            "the log has no begin of the application: its time begins with its first job, stage or task"
        )
    if len(ends) < max(1, metrics.applications.height):
        assumed.append(
            "the log has no end of the application: its time ends with its last task, stage or job"
        )
        ends = signs
    return min(begins or signs, default=0.0), max(ends, default=0.0)


def _slots(
    metrics: JobMetrics, kind: Kind, settings: Mapping[str, str], assumed: list[str]
) -> tuple[int, str]:
    """Slots that there were at most at one time."""
    together = _at_once(metrics.tasks.select(begin="begin", end="end", count=polars.lit(1)))
    if kind == "mapreduce":
        assumed.append(
            "a job history does not say how many containers the job could have: its slots are the most tasks at one time"
        )
        return max(1, together), "the most tasks at one time"
    ends = polars.col("removed").fill_null(float("inf"))
    cores = _at_once(
        metrics.executors.select(begin=polars.col("added").fill_null(0.0), end=ends, count="cores")
    )
    each = int(settings["spark.task.cpus"]) if settings.get("spark.task.cpus", "").isdigit() else 1
    slots = cores // max(1, each)
    if kind == "flink" and slots:
        return slots, "slots that the TaskManagers used"
    if not slots or not set(metrics.tasks["executor"].drop_nulls()) <= set(metrics.executors["executor"]):
        assumed.append("the log does not have all executors: the slots are the most tasks at one time")
        return max(1, together, slots), "the most tasks at one time"
    if metrics.executors["removed"].drop_nulls().len() and _changed(metrics):
        assumed.append(
            "executors were added and removed: slots that did not exist yet, or any more, are counted as empty"
        )
    return slots, "cores of the executors, the most at one time"


def _changed(metrics: JobMetrics) -> bool:
    """Whether executors were removed while tasks still began."""
    last: Any = metrics.tasks["begin"].max()
    first: Any = metrics.executors["removed"].min()
    return last is not None and first is not None and first < last


def _at_once(spans: polars.DataFrame) -> int:
    """The largest sum of `count` over spans of time that overlap; one that ends as another begins does not."""
    spans = spans.drop_nulls()
    steps = polars.concat([
        spans.select(t="begin", step=polars.col("count").cast(polars.Int64)),
        spans.select(t="end", step=-polars.col("count").cast(polars.Int64)),
    ]).sort("t", "step")  # fmt: skip
    highest: Any = steps["step"].cum_sum().max()
    return int(highest or 0)


def _nodes(metrics: JobMetrics) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in metrics.executors.iter_rows(named=True):
        if row["host"]:
            found[row["host"]] = found.get(row["host"], 0) + (row["cores"] or 0)
    for host in metrics.tasks["host"].drop_nulls().unique().sort():
        found.setdefault(str(host), 0)
    return dict(sorted(found.items()))


def _settings(folder: Path) -> dict[str, str]:
    """Spark's properties, as its driver logged them: without passwords, which Spark replaces itself."""
    for path in sorted(folder.iterdir()):
        with path.open(encoding="utf-8", errors="replace") as file:
            for line in file:
                if _SETTINGS in line[:200]:
                    try:
                        found = json.loads(line)["Spark Properties"]
                        return {str(key): str(value) for key, value in sorted(found.items())}
                    except (ValueError, KeyError, TypeError, AttributeError):
                        return {}
    return {}
