"""Small runs that weft can make to know a prediction better: each differs from the measured run in one thing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from weft.analysis.predict.candidates import MADE, Situation, count_flags, on_nodes
from weft.analysis.predict.storages import service
from weft.analysis.predict.target import Target
from weft.errors import UsageError

SMALL = 2.0
"""Times the measured run that one of them may take, as predicted."""


@dataclass(frozen=True)
class Experiment:
    """One run."""

    flags: tuple[str, ...]
    """Of `weft run`, beside the spec of the measured run; none: the same run again."""
    target: Target


def offered(run: Situation, scratches: Sequence[str]) -> list[Experiment]:
    """The same again; half and twice the nodes, tasks and data; and each scratch that is asked for."""
    return [Experiment((), run.target), *_nodes(run), *_tasks(run), *_sizes(run), *_scratches(run, scratches)]


def _nodes(run: Situation) -> Iterator[Experiment]:
    if run.spec.get("nodes", {}).get("kind") in MADE:
        for count in {max(1, run.work.nodes // 2), 2 * run.work.nodes} - {run.work.nodes}:
            yield Experiment(("--nodes", on_nodes(run, count)), replace(run.target, nodes=count))


def _tasks(run: Situation) -> Iterator[Experiment]:
    now = max((stage.count for stage in run.work.stages if stage.reads_shuffle), default=0)
    for count in {max(1, now // 2), 2 * now} - {now} if now else set():
        if flags := count_flags(run, now, count):
            yield Experiment(flags, replace(run.target, partitions=count))


def _sizes(run: Situation) -> Iterator[Experiment]:
    if run.work.size:
        for size in (run.work.size / 2, run.work.size * 2):
            yield Experiment(("--set", f"size={size:.0f}"), replace(run.target, size=float(round(size))))


def _scratches(run: Situation, scratches: Sequence[str]) -> Iterator[Experiment]:
    for text in scratches:
        try:
            found = service(text, run.target.machine)
        except UsageError:
            continue  # another machine's
        if found.name != run.work.storages.get("scratch"):
            storages = {**run.target.storages, "scratch": found}
            yield Experiment(("--scratch", text), replace(run.target, storages=storages))
