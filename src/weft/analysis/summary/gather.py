"""Creates a summary from a record."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

import polars

from weft.analysis.explain import explanation, findings, pauses, pythontime, recovery, sentences, stacks
from weft.analysis.explain.fitting import Used
from weft.analysis.explain.pauses import Pause
from weft.analysis.explain.spread import Readings
from weft.analysis.explain.stacks import Profiled
from weft.analysis.explain.timeparts import Explanation
from weft.analysis.read import clocks, derived, rates, resolved, spans
from weft.analysis.read.resolved import Resolved
from weft.analysis.read.sources import Sources
from weft.analysis.read.spans import Span
from weft.analysis.summary import (
    documents,
    engine,
    executors,
    replayed,
    streamed,
    streamoperators,
    totals,
    vertices,
)
from weft.analysis.summary.summary import ExecutorRow, Loss, Series, Summary
from weft.facts import kept
from weft.facts.engines.hadoop import jobhistory
from weft.facts.jobmetrics import JobMetrics
from weft.record.derived import shown
from weft.record.head import RunInfo
from weft.record.record import Stored
from weft.record.sampletable import SCHEMA
from weft.text.units import show_seconds

_OF_ENGINES = "engine"
"""The probe whose folder has the engines' logs, in their own forms."""


def summarize(stored: Stored, metrics: JobMetrics | None = None) -> Summary:
    """Everything that a report shows about a run, whose job metrics may be read already. Of a damaged one, it names the gaps."""
    sources = Sources(stored)
    verdict = sources.verdict()
    events, samples, metrics = sources.events(), sources.samples(), sources.metrics(metrics)
    decided = _resolved(sources)
    samples, metrics = clocks.aligned(events, samples, metrics, decided.nodes)
    begin = spans.begin(events, samples)
    last = metrics.every.select(polars.col("end").max()).collect().item()
    signs = [*samples["t"].drop_nulls().to_list()[-1:], *([] if last is None else [last])]
    phases = spans.phases(sources, events, max(signs, default=begin), begin)
    stages = sources.rows("the stages", lambda: engine.stages(metrics, begin))
    names = explanation.names(decided.nodes)
    profile = sources.attempt("the stacks", lambda: stacks.of_record(stored.folder), None)
    no_pauses: dict[tuple[str, str], list[Pause]] = {}
    logged = sources.attempt("GC's pauses", lambda: pauses.read(stored.folder / "pauses"), no_pauses)
    marks = sources.rows("the losses", lambda: _marks(events, metrics, begin))
    losses = [(mark.at, mark.words) for mark in marks]
    stream = sources.attempt("the stream", lambda: streamed.of_record(stored, begin, losses), None)
    streams = stream is not None or metrics.streams
    found = {
        **_head(stored, verdict),
        **_decided(decided, stored.head.engine),
        "program": decided.program or (engine.application(metrics) if stored.head.imported else ""),
        **_of_files(sources, stored),
        **_of_logs(sources, stored, verdict),
        "phases": phases,
        "engine_version": engine.version(metrics),
        "recoveries": sources.rows("the recoveries", lambda: tuple(recovery.sentences(metrics))),
        "marks": marks,
        "stages": stages[: engine.MOST_STAGES],
        "stages_left_out": len(stages[engine.MOST_STAGES :]),
        "slowest": sources.rows("the tasks", lambda: engine.slowest(metrics)),
        **_executors(sources, metrics, begin, names),
        "usage": sources.attempt("the use of slots", lambda: engine.usage(metrics), None),
        "explanation": None
        if stream
        else _explained(
            sources, metrics, samples, phases, decided, begin, profile, pauses.stopped(logged, samples)
        ),
        "profile": profile,
        "replay": sources.attempt("the replayed jobs", lambda: replayed.of_record(stored, metrics), None),
        "stream": stream,
        "operators": sources.rows(
            "the operators of the stream",
            lambda: streamoperators.of_stream(stored.folder / "engine", metrics),
        )
        if streams
        else (),
        "pauses": sources.rows(
            "GC pauses",
            lambda: pauses.of_nodes(logged, samples, metrics, names),
        ),
        "counters": sources.rows("the counters", lambda: totals.sums(sources, samples, phases, begin)),
        "series": sources.rows("the samples", lambda: _series(samples, begin)),
    }
    sources.gaps += documents.irregular(stored.folder)
    measured = _throughput(sources, verdict, phases, len(found["nodes"]))
    return Summary(**{**found, **measured, "gaps": tuple(dict.fromkeys(sources.gaps))})


def _executors(
    sources: Sources, metrics: JobMetrics, begin: float, nodes: Mapping[str, str]
) -> dict[str, Any]:
    none: tuple[tuple[ExecutorRow, ...], int] = ((), 0)
    rows, left_out = sources.attempt(
        "the executors", lambda: executors.executors(metrics, begin, nodes), none
    )
    return {"executors": rows, "executors_left_out": left_out}


def _of_files(sources: Sources, stored: Stored) -> dict[str, Any]:
    """What single files of the record hold, beside the engine's metrics and the samples."""
    left = {
        probe: sources.attempt(f"readings of {probe}", partial(documents.readings, stored, probe), _nothing())
        for probe in stored.head.probes
        if probe != _OF_ENGINES
    }
    return {
        "readings": {probe: found for probe, found in left.items() if found},
        "mapreduce": sources.attempt(
            "the jobs' counters", lambda: jobhistory.counters(stored.folder / "engine"), _nothing()
        ),
        "flink": sources.rows("Flink's vertices", lambda: tuple(vertices.vertices(stored.folder / "engine"))),
        "documents": sources.rows("the configuration", lambda: documents.documents(stored.folder)),
    }


def _of_logs(sources: Sources, stored: Stored, verdict: str) -> dict[str, Any]:
    """The logs, with their ends and the evidence if the run failed."""
    evidence, tails = stored.head.evidence, verdict not in {"VALID", "UNCHECKED"}
    return {
        "logs": sources.rows("the logs", lambda: documents.logs(stored.folder, evidence, tails=tails)),
        "around": sources.rows(
            "the evidence of the failure",
            lambda: documents.around(stored.folder, evidence) if evidence else (),
        ),
    }


def _explained(
    sources: Sources,
    metrics: JobMetrics,
    samples: polars.DataFrame,
    phases: Sequence[Span],
    decided: Resolved,
    begin: float,
    profile: Profiled | None,
    stopped: Mapping[str, Readings],
) -> Explanation | None:
    """The attribution needs every task as an object; the figures of stages are sums, whatever the number of tasks.

    Not of a stream, which lasts as long as its schedule, however fast its engine is.
    """
    head = sources.stored.head
    if metrics.count <= kept.IN_MEMORY:
        used = _calibration(sources)
        workers = sources.rows(
            "what Python workers did", lambda: tuple(pythontime.read(sources.stored.folder / "python"))
        )
        found = sources.attempt(
            "the slot time",
            lambda: explanation.explain(
                metrics,
                samples,
                phases,
                decided.nodes,
                begin,
                decided.slots,
                used,
                profile,
                stopped,
                workers,
                no_gain=_no_gain(sources, metrics),
            ),
            None,
        )
        engine = "+".join(decided.engines) or head.engine
        imported = head.imported is not None
        return found and findings.of_run(found, head.probes, engine, decided.conf, imported=imported)
    sources.gaps.append(
        f"where the slot time went was left out: the job has {metrics.count:,} tasks, and at most"
        f" {kept.IN_MEMORY:,} are attributed; the figures of its stages are of all tasks"
    )
    return None


def _no_gain(sources: Sources, metrics: JobMetrics) -> str:
    """Why no change of the run makes its job faster, as sentences."""
    failed = sources.verdict() in {"INVALID", "KILLED"}
    ended = {True: sentences.AT_ONCE, False: sentences.STREAM, None: sentences.MAYBE_STOPPED}
    stream = ended[metrics.input_ended] if metrics.streams else ""
    apart = sentences.IN_DRIVER if metrics.in_driver and sources.stored.head.imported is None else ""
    return " ".join(filter(None, [sentences.FAILED_RUN if failed else stream, apart]))


def _calibration(sources: Sources) -> Used:
    never = {"refused": {"machine": "this machine was not calibrated when this ran"}}
    return sources.attempt(
        "the calibration",
        lambda: Used.model_validate(sources.stored.json("calibration.json") or never),
        Used(),
    )


def _nothing() -> dict[str, Any]:
    return {}


def _head(stored: Stored, verdict: str) -> dict[str, Any]:
    head = stored.head
    return {
        **{key: getattr(head, key) for key in RunInfo.model_fields},
        "id": stored.directory.name,
        "directory": str(stored.directory),
        "verdict": verdict,
        "storages": head.storages,
        "nodes_asked": head.nodes,
        "own_clock": head.measured is not None and head.measured != head.phases.get("run"),
        "batch_job": _batch_job("Slurm", head.slurm) or _batch_job(head.batch.get("title", ""), head.batch),
        "study": head.cell.study,
        "coordinates": head.cell.coordinates,
        "repeat": head.cell.repeat,
    }


def _batch_job(system: str, job: Mapping[str, Any]) -> str:
    if not job:
        return ""
    nodes = job.get("nodes")
    words = (
        f"{system} {job.get('job', '')} on {', '.join(map(str, nodes if isinstance(nodes, list) else ()))}"
    )
    try:
        asked, began = (datetime.fromisoformat(job[key]) for key in ("SubmitTime", "StartTime"))
    except (KeyError, ValueError, TypeError):
        return words
    return f"{words}, after {show_seconds((began - asked).total_seconds())} in the queue"


def _resolved(sources: Sources) -> Resolved:
    if not (sources.stored.folder / resolved.FILE).exists():
        sources.gaps.append(f"{resolved.FILE} does not exist: the run ended before its layout was decided")
    lost: list[str] = []
    found = sources.attempt(resolved.FILE, lambda: resolved.of_record(sources.stored, lost), Resolved())
    sources.gaps += [f"{name} in {resolved.FILE} cannot be read: they are damaged" for name in lost]
    return found


def _decided(found: Resolved, engine: str) -> dict[str, Any]:
    engines = found.engines or tuple(filter(None, [engine]))
    own = {"nodes": found.nodes, "limits": found.limits, "size": found.data, "engines": engines}
    return {**own, "places": found.located(), "derived": shown(found.derived)}


def _marks(events: Sequence[Mapping[str, Any]], metrics: JobMetrics, begin: float) -> tuple[Loss, ...]:
    """When daemons and executors were lost."""
    daemons = [
        Loss(at=event["t"] - begin, words=f"{event.get('daemon', 'a daemon')} lost")
        for event in events
        if event["event"] == "daemon-lost"
    ]
    executors = [
        Loss(at=row["removed"] - begin, words=f"executor {row['executor']} lost")
        for row in recovery.lost_executors(metrics).iter_rows(named=True)
    ]
    return tuple(sorted([*daemons, *executors], key=lambda mark: mark.at))


def _throughput(
    sources: Sources, verdict: str, phases: Sequence[Span], nodes: int
) -> dict[str, float | None]:
    """Only a checked result has a throughput: input (else output) over the measured seconds, or over the phase without them."""
    size = sources.head.bytes_in or sources.head.bytes_out
    took = sources.head.measured or sum(s.seconds for s in phases if s.name == "run")
    if verdict != "VALID" or not size or took <= 0:
        return {"throughput_per_node": None}
    own = size / took / nodes if nodes else None
    per_node = sources.head.throughput_per_node
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
