"""The task lines of Spark's event log as a table, parsed many at a time by polars."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars

from weft.facts import jobmetrics

_LONG, _TEXT, _FLAG = polars.Int64, polars.String, polars.Boolean

_METRICS: Mapping[str, tuple[str, ...]] = {
    "run_ms": ("Executor Run Time",),
    "cpu_ns": ("Executor CPU Time",),
    "deserialize_ms": ("Executor Deserialize Time",),
    "deserialize_cpu_ns": ("Executor Deserialize CPU Time",),
    "serialize_ms": ("Result Serialization Time",),
    "gc_ms": ("JVM GC Time",),
    "disk_spill_bytes": ("Disk Bytes Spilled",),
    "held_bytes": ("Peak Execution Memory",),
    "fetch_wait_ms": ("Shuffle Read Metrics", "Fetch Wait Time"),
    "remote_bytes": ("Shuffle Read Metrics", "Remote Bytes Read"),
    "local_bytes": ("Shuffle Read Metrics", "Local Bytes Read"),
    "remote_blocks": ("Shuffle Read Metrics", "Remote Blocks Fetched"),
    "local_blocks": ("Shuffle Read Metrics", "Local Blocks Fetched"),
    "shuffle_write_bytes": ("Shuffle Write Metrics", "Shuffle Bytes Written"),
    "shuffle_write_ns": ("Shuffle Write Metrics", "Shuffle Write Time"),
    "input_bytes": ("Input Metrics", "Bytes Read"),
    "output_bytes": ("Output Metrics", "Bytes Written"),
}
"""Column by the path of its value in Task Metrics."""
_NULL = ("cpu_ns", "deserialize_cpu_ns")
"""Those that Spark before 2.1 does not write, which is not nothing."""

_INFO = {
    "Task ID": _LONG,
    "Index": _LONG,
    "Attempt": _LONG,
    "Launch Time": _LONG,
    "Executor ID": _TEXT,
    "Host": _TEXT,
    "Locality": _TEXT,
    "Speculative": _FLAG,
    "Getting Result Time": _LONG,
    "Finish Time": _LONG,
}
_REASON = dict.fromkeys(
    ("Reason", "Class Name", "Description", "Message", "Kill Reason", "Loss Reason"), _TEXT
)


def _struct(fields: Mapping[str, Any]) -> polars.Struct:
    return polars.Struct(
        {name: _struct(inner) if isinstance(inner, dict) else inner for name, inner in fields.items()}
    )


def _tree() -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for path in _METRICS.values():
        here = tree
        for word in path[:-1]:
            here = here.setdefault(word, {})
        here[path[-1]] = _LONG
    return tree


_LINE = _struct(
    {
        "Stage ID": _LONG,
        "Stage Attempt ID": _LONG,
        "Task End Reason": _REASON,
        "Task Info": _INFO,
        "Task Metrics": _tree(),
    }
)


_FROM, _TO = '"Accumulables":[', '"Task Metrics":{'
"""In no text that JSON has between quotes, where a quote has a backslash."""


def needed(line: str) -> str:
    """A task line without the values that follow once more as metrics, which are most of it."""
    begin, end = line.find(_FROM), line.rfind(_TO)
    return f"{line[:begin]}{_FROM}]}},{line[end:]}" if 0 < begin < end else line


def parse(app: str, lines: Sequence[str], bad: list[int], first: int = 0) -> polars.DataFrame:
    """Task lines as rows of `jobmetrics.TASKS`; a line that is not one is left out, and `bad` then has its position."""
    empty = polars.DataFrame(schema=jobmetrics.TASKS)
    if not lines:
        return empty
    try:
        found = _decoded(app, lines)
    except polars.exceptions.PolarsError:
        if len(lines) == 1:
            bad.append(first)
            return empty
        half = len(lines) // 2  # the damaged ones are found by halves
        parts = [parse(app, lines[:half], bad, first), parse(app, lines[half:], bad, first + half)]
        return polars.concat(parts)
    known = polars.all_horizontal(polars.col("stage", "attempt", "task").is_not_null())
    whole = found.select(known & jobmetrics.plausible()).to_series()
    bad.extend(first + at for at in (~whole).arg_true())
    return found.filter(whole).cast(jobmetrics.TASKS)  # type: ignore[arg-type]


def _decoded(app: str, lines: Sequence[str]) -> polars.DataFrame:
    decoded = polars.Series(lines, dtype=_TEXT).str.json_decode(_LINE)
    return decoded.to_frame("line").select(_columns(app))


def _at(*path: str) -> polars.Expr:
    here = polars.col("line")
    for word in path:
        here = here.struct.field(word)
    return here


def _columns(app: str) -> list[polars.Expr]:
    values = {name: _at("Task Metrics", *path) for name, path in _METRICS.items()}
    numbers = {name: value if name in _NULL else value.fill_null(0) for name, value in values.items()}
    begin, finished = _at("Task Info", "Launch Time"), _at("Task Info", "Finish Time")
    getting = _at("Task Info", "Getting Result Time")
    # from then on the driver fetches a large result, and the task's slot has another task
    end = polars.when(getting > 0).then(getting).otherwise(finished)
    busy = numbers["run_ms"] + numbers["deserialize_ms"] + numbers["serialize_ms"]
    reason = _at("Task End Reason", "Reason").fill_null("")
    message = polars.coalesce(
        *(_at("Task End Reason", key) for key in ("Description", "Message", "Kill Reason", "Loss Reason"))
    )
    kind = _at("Task End Reason", "Class Name")
    found = {
        "app": polars.lit(app),
        "stage": _at("Stage ID"),
        "attempt": _at("Stage Attempt ID"),
        "task": _at("Task Info", "Task ID"),
        "index": _at("Task Info", "Index"),
        "retry": _at("Task Info", "Attempt"),
        "executor": _at("Task Info", "Executor ID"),
        "host": _at("Task Info", "Host"),
        "speculative": _at("Task Info", "Speculative").fill_null(value=False),
        "locality": _at("Task Info", "Locality").cast(jobmetrics.LOCALITY, strict=False),
        "begin": begin / 1000,
        "end": end / 1000,
        "ok": reason == "Success",
        "reason": reason,
        "failure": polars.concat_str([kind, message], separator=": ", ignore_nulls=True),
        **numbers,
        "scheduler_ms": (end - begin - busy).clip(lower_bound=0),
        "shuffle_write_ms": (numbers["shuffle_write_ns"] / 1e6).round(),
    }
    return [found.get(name, polars.lit(None)).alias(name) for name in jobmetrics.TASKS]
