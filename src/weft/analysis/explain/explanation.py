"""Where a run's slot time went, as a report says it: the numbers of the attribution, and one sentence."""

from collections.abc import Iterator, Mapping, Sequence

import polars

from weft.analysis.explain import (
    attribution,
    findings,
    limits,
    operators,
    planfindings,
    sentences,
    taskfindings,
)
from weft.analysis.explain.attribution import MOST_UNKNOWN, Attribution
from weft.analysis.explain.evidence import Window
from weft.analysis.explain.fitting import Used
from weft.analysis.explain.limits import Ceilings
from weft.analysis.explain.pythontime import Worker
from weft.analysis.explain.spread import Readings
from weft.analysis.explain.stacks import Profiled
from weft.analysis.explain.tasktime import CPU, UNCLASSIFIED
from weft.analysis.explain.timeparts import Explanation, SideCalls, StageTime, Suggestion, TimePart
from weft.analysis.read.nodes import NodeInfo
from weft.analysis.read.spans import Span
from weft.analysis.read.sums import sums
from weft.facts.jobmetrics import JobMetrics

_LEAST = 1e-3
"""Seconds below which file calls are not listed by side and operation."""
_STAGES = 5
"""Stages that are shown: those with the most slot time."""


def explain(
    metrics: JobMetrics,
    samples: polars.DataFrame,
    phases: Sequence[Span],
    nodes: Sequence[NodeInfo],
    begin: float,
    slots: int | None,
    used: Used,
    profile: Profiled | None = None,
    stopped: Mapping[str, Readings] | None = None,
    workers: Sequence[Worker] = (),
    *,
    no_gain: str = "",
) -> Explanation | None:
    """The run phase explained; None where the engine left no job metrics.

    A profile divides the part of the CPU; `stopped` is by node how long GC had stopped a task up to each moment; `workers` is what Python
    workers wrote. `no_gain`: why nothing is to be gained from what its parts cost, as a sentence.
    """
    run = [span for span in phases if span.name == "run"]
    if not run:
        return None
    first, last = begin + run[0].begin, begin + run[-1].begin + run[-1].seconds
    count = slots or sum(node.cores or 0 for node in nodes)
    window = Window(first, last, count, names(nodes), link(nodes, used), stopped or {})
    found = attribution.attribute(metrics, samples, window, workers)
    if found is None:
        return None
    cores = {node.name: node.cores or 0 for node in nodes}
    ceilings = limits.ceilings(samples, metrics.tasks, window, cores, used)
    explained = _of_queries(metrics, found, _explanation(found, ceilings, profile, no_gain=no_gain))
    if found.unknown <= MOST_UNKNOWN:
        return explained
    # before anything is changed, somebody has to look
    ordered = sorted(explained.findings, key=lambda one: one.part != UNCLASSIFIED)
    return explained.model_copy(update={"findings": tuple(ordered)})


def names(nodes: Sequence[NodeInfo]) -> dict[str, str]:
    """Node by the address or name that an engine calls it by."""
    return {word: node.name for node in nodes for word in (node.address, node.name) if word}


def link(nodes: Sequence[NodeInfo], used: Used) -> float | None:
    """Bytes a second of the slowest link: as the nodes have it, or as it was calibrated."""
    known = [node.link for node in nodes if node.link]
    measured = used.calibration.links if used.calibration else ()
    return min([*known, *(one.bandwidth.value for one in measured)], default=None)


def _explanation(
    found: Attribution, ceilings: Ceilings, profile: Profiled | None, *, no_gain: str
) -> Explanation:
    sampled = {"operations": profile.of_tasks()} if profile else {}
    unbounded = {"bound": None} if no_gain else {}
    parts = tuple(
        part.model_copy(
            update={"split": ceilings.split(part), **unbounded, **(sampled if part.name == CPU else {})}
        )
        for part in found.parts
    )
    best = sentences.largest(parts)
    limit = ceilings.of_part(best.name)
    return Explanation(
        sentence=sentences.of_job(found, parts, limit=limit, no_gain=no_gain) + _unmeasured(found),
        start=sentences.of_start(found.start, found.wall, found.unasked),
        work=sentences.of_work(parts, ceilings.gauges) if found.verdict else "",
        no_gain=no_gain,
        verdict=found.verdict,
        headline=best.name,
        wall=found.wall,
        slots=found.slots,
        slot_time=found.slot_time,
        parts=parts,
        stages=tuple(found.stages.values())[:_STAGES],
        sides=sums((row.side, row.seconds) for row in found.stages.values()),
        calls=tuple(call for row in found.stages.values() for call in _calls(row)),
        findings=() if no_gain else _findings(found, parts, ceilings),
        background=found.evidence.background,
        gauges=tuple(ceilings.gauges),
        calibration=ceilings.sentence,
        coverage=found.coverage,
    )


def _findings(found: Attribution, parts: Sequence[TimePart], ceilings: Ceilings) -> tuple[Suggestion, ...]:
    return findings.refined(
        tuple(taskfindings.suggestions(found.evidence, found.stages)),
        findings.of_parts(found, parts, ceilings),
    )


def _of_queries(metrics: JobMetrics, found: Attribution, explained: Explanation) -> Explanation:
    """With the operators of its queries, where it ran any: what they did, and what they suggest."""
    job = explained.job or 1.0
    sql = operators.of_run(metrics, found.stages, job)
    if sql is None:
        return explained
    rows = operators.rows(metrics)
    of_stage = operators.by_stage(rows)
    named = {
        operators.stage_key(key): title
        for key in found.stages
        if (title := operators.title(of_stage.get(operators.stage_key(key), ())))
    }
    keys = list(found.stages)[:_STAGES]
    stages = [
        row.model_copy(update={"name": named.get(operators.stage_key(key), row.name)})
        for key, row in zip(keys, explained.stages, strict=True)
    ]
    facts = () if explained.no_gain else planfindings.suggestions(rows, found.stages, found.bounds, job)
    both = findings.refined(facts, explained.findings)
    return explained.model_copy(update={"sql": sql, "stages": tuple(stages), "findings": both})


def _unmeasured(found: Attribution) -> str:
    """What a reader would take for a wait for something else."""
    seen, ran = found.coverage.processes_seen, found.coverage.processes_ran
    if not found.verdict and 0 < seen < ran:
        return f" Threads of {seen} of {ran} executors were read: what tasks of the others waited for has no name."
    if not found.verdict or "threads" not in found.coverage.missing:
        return ""
    return " Run-queue wait was not measured: what there was of it is counted as something else."


def _calls(row: StageTime) -> Iterator[SideCalls]:
    """A stage's file calls, each with its share of what is the part's alone."""
    for part, operations in row.operations.items():
        whole = sum(each.seconds for each in operations)
        for each in operations:
            alone = row.parts[part] * each.seconds / whole
            if alone >= _LEAST:
                yield SideCalls(
                    part=part,
                    files=each.files,
                    side=row.side,
                    operation=each.name,
                    seconds=alone,
                    calls=each.calls,
                )
