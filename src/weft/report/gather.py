"""Creates a summary from a record."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import polars

from weft.model import derived, jobhistory, rates, recovery
from weft.model.fitting import Used
from weft.model.jobmetrics import JobMetrics
from weft.record.record import Stored
from weft.record.samples import SCHEMA
from weft.report import (
    counters,
    engine,
    explanation,
    files,
    flink,
    paused,
    profiled,
    replayed,
    spans,
    streamed,
)
from weft.report.sources import Sources
from weft.report.summary import Mark, NodeInfo, PlaceInfo, Series, Span, Summary
from weft.text.units import show_seconds


def summarize(stored: Stored) -> Summary:
    """Everything that a report shows about a run. For a damaged record, the summary is incomplete and names its gaps."""
    sources = Sources(stored)
    verdict = sources.verdict()
    events, samples, metrics = sources.events(), sources.samples(), sources.metrics()
    begin = spans.begin(events, samples)
    signs = [*samples["t"].to_list()[-1:], *metrics.tasks["end"].drop_nulls().to_list()]
    phases = spans.phases(sources, events, max(signs, default=begin), begin)
    stages = sources.rows("the stages", lambda: engine.stages(metrics, begin))
    resolved = _resolved(sources)
    profile = sources.attempt("the stacks", lambda: profiled.of_record(stored.directory), None)
    stream = sources.attempt("the stream", lambda: streamed.of_record(stored, begin), None)
    found = {
        **_head(sources),
        **resolved,
        **_of_files(sources, stored),
        "phases": phases,
        "engine_version": engine.version(metrics),
        "recoveries": sources.rows("the recoveries", lambda: tuple(recovery.sentences(metrics))),
        "marks": sources.rows("the losses", lambda: _marks(events, metrics, begin)),
        "stages": stages[: engine.MOST_STAGES],
        "stages_left_out": len(stages[engine.MOST_STAGES :]),
        "slowest": sources.rows("the tasks", lambda: engine.slowest(metrics)),
        "usage": sources.attempt("the use of slots", lambda: engine.usage(metrics), None),
        # a stream lasts as long as its schedule, however fast its engine is
        "explanation": None
        if stream
        else sources.attempt(
            "the slot time",
            lambda: explanation.explain(
                metrics,
                samples,
                phases,
                resolved["nodes"],
                begin,
                _whole_text(resolved["derived"].get("slots")),
                _calibration(sources),
                profile,
            ),
            None,
        ),
        "profile": profile,
        "replay": sources.attempt("the replayed jobs", lambda: replayed.of_record(stored, metrics), None),
        "stream": stream,
        "pauses": sources.rows(
            "the collector's pauses",
            lambda: paused.of_record(
                stored.directory, samples, metrics, explanation.names(resolved["nodes"])
            ),
        ),
        "counters": sources.rows("the counters", lambda: counters.sums(sources, samples, phases, begin)),
        "series": sources.rows("the samples", lambda: _series(samples, begin)),
        "logs": sources.rows(
            "the logs", lambda: files.logs(stored.directory, tails=verdict not in {"VALID", "UNCHECKED"})
        ),
    }
    measured = _throughput(sources, verdict, phases, len(found["nodes"]))
    return Summary(id=stored.directory.name, directory=str(stored.directory), verdict=verdict,
                   **found, **measured, gaps=tuple(dict.fromkeys(sources.gaps)))  # fmt: skip


def _of_files(sources: Sources, stored: Stored) -> dict[str, Any]:
    """What single files of the record hold, beside the engine's metrics and the samples."""
    return {
        "fileops": sources.attempt("the file operations", lambda: files.fileops(stored), _nothing()),
        "mapreduce": sources.attempt(
            "the jobs' counters", lambda: jobhistory.counters(stored.directory / "engine"), _nothing()
        ),
        "hdfs": sources.attempt("HDFS's counters", lambda: files.hdfs(stored.directory), _nothing()),
        "lustre": sources.attempt("Lustre's counters", lambda: files.lustre(stored.directory), _nothing()),
        "dvs": sources.attempt("DVS's counters", lambda: files.dvs(stored.directory), _nothing()),
        "flink": sources.rows("Flink's vertices", lambda: tuple(flink.vertices(stored.directory))),
        "documents": sources.rows("the configuration", lambda: files.documents(stored.directory)),
    }


def _calibration(sources: Sources) -> Used:
    never = {"refused": {"machine": "this machine was not calibrated when this ran"}}
    return sources.attempt(
        "the calibration",
        lambda: Used.model_validate(sources.stored.json("calibration.json") or never),
        Used(),
    )


def _nothing() -> dict[str, Any]:
    return {}


def _head(sources: Sources) -> dict[str, Any]:
    head = sources.head
    cell = head.get("cell")
    mark: Mapping[str, Any] = cell if isinstance(cell, Mapping) else {}
    return {
        "weft": _word(head.get("weft")),
        "created": _word(head.get("created")),
        "host": _word(head.get("host")),
        "reason": _word(head.get("reason")),
        "checked_by": _word(head.get("checked_by")),
        "hint": _word(head.get("hint")),
        "tail": _words(head.get("tail")),
        "phase": _word(head.get("phase")),
        "workload": _word(head.get("workload")),
        "engine": _word(head.get("engine")),
        "nodes_asked": _word(head.get("nodes")),
        "batch_job": _batch_job(head.get("slurm")),
        "storages": {role: _word(head[role]) for role in ("input", "output", "scratch") if head.get(role)},
        "key": _word(head.get("key")),
        "unsecured": _word(head.get("unsecured")),
        "study": _word(mark.get("study")),
        "coordinates": _texts(mark.get("coordinates")),
        "repeat": _whole(mark.get("repeat")),
        "measured": _number(head.get("measured")),
        "bytes_in": _whole(head.get("bytes_in")),
        "bytes_out": _whole(head.get("bytes_out")),
        "facts": dict(facts) if isinstance(facts := head.get("facts"), Mapping) else {},
        "lost": _words(head.get("lost")),
        "probes": _words(head.get("probes")),
        "probes_missing": _texts(head.get("probes_missing")),
        "probes_added": _texts(head.get("probes_added")),
    }


def _batch_job(job: Any) -> str:
    if not isinstance(job, Mapping):
        return ""
    words = f"Slurm {_word(job.get('job'))} on {', '.join(_words(job.get('nodes')))}"
    try:
        asked, began = (datetime.fromisoformat(job[key]) for key in ("SubmitTime", "StartTime"))
    except (KeyError, ValueError, TypeError):
        return words
    return f"{words}, after {show_seconds((began - asked).total_seconds())} in the queue"


def _resolved(sources: Sources) -> dict[str, Any]:
    table = sources.table("resolved.json", because="the run ended before its layout was decided")
    workload = table.get("spec", {}).get("workload", {}) if isinstance(table.get("spec"), Mapping) else {}
    listed = table.get("nodes") or ()
    nodes = sources.rows("the nodes", lambda: tuple(NodeInfo(**node) for node in listed))
    places = sources.rows(
        "the places", lambda: tuple(_place(role, place) for role, place in table.get("places", {}).items())
    )
    return {
        "nodes": nodes,
        "places": places,
        "limits": _words(table.get("limits")),
        "derived": _texts(table.get("derived")),
        "size": _whole(workload.get("size")) if isinstance(workload, Mapping) else None,
    }


def _place(role: str, place: Mapping[str, Any]) -> PlaceInfo:
    return PlaceInfo(
        role=role,
        storage=_word(place.get("storage")),
        description=_word(place.get("description")),
        emulated=_word(place.get("emulated")),
        paths=tuple(dict.fromkeys(str(path) for path in place.get("paths", {}).values())),
    )


def _marks(events: Sequence[Mapping[str, Any]], metrics: JobMetrics, begin: float) -> tuple[Mark, ...]:
    """When daemons and executors were lost."""
    daemons = [
        Mark(at=event["t"] - begin, words=f"{event.get('daemon', 'a daemon')} lost")
        for event in events
        if event["event"] == "daemon-lost"
    ]
    executors = [
        Mark(at=row["removed"] - begin, words=f"executor {row['executor']} lost")
        for row in recovery.lost_executors(metrics).iter_rows(named=True)
    ]
    return tuple(sorted([*daemons, *executors], key=lambda mark: mark.at))


def _throughput(
    sources: Sources, verdict: str, phases: Sequence[Span], nodes: int
) -> dict[str, float | None]:
    """Only a checked result has a throughput: input (else output) over the measured seconds, or over the phase without them."""
    size = _whole(sources.head.get("bytes_in")) or _whole(sources.head.get("bytes_out"))
    took = _number(sources.head.get("measured")) or sum(s.seconds for s in phases if s.name == "run")
    if verdict != "VALID" or not size or took <= 0:
        return {}
    own = size / took / nodes if nodes else None
    per_node = _number(sources.head.get("throughput_per_node"))
    return {"throughput": size / took, "throughput_per_node": per_node or own}


def _series(samples: polars.DataFrame, begin: float) -> tuple[Series, ...]:
    """Counters of nodes and of the machine over time; those of files and daemons, hundreds, only as sums."""
    drawn = samples.filter(~polars.col("counter").str.contains(".", literal=True)).select(list(SCHEMA))
    every = [rates.of_nodes(part, begin) for part in (drawn, derived.of_nodes(samples.select(list(SCHEMA))))]
    grouped = polars.concat(every).partition_by("node", "counter", as_dict=True, maintain_order=True)
    return tuple(
        Series(node=str(node), counter=str(counter), points=tuple(frame.select("t", "value").iter_rows()))
        for (node, counter), frame in grouped.items()
    )


def _word(value: Any) -> str:
    return "" if value is None else str(value)


def _words(value: Any) -> tuple[str, ...]:
    return tuple(str(word) for word in value) if isinstance(value, (list, tuple)) else ()


def _texts(value: Any) -> dict[str, str]:
    return {str(key): _word(inner) for key, inner in value.items()} if isinstance(value, Mapping) else {}


def _whole(value: Any) -> int | None:
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _whole_text(value: str | None) -> int | None:
    return int(value) if value and value.isdigit() else None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
