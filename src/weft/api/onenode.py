"""What runs of the same work by engines of one node say about a run on a cluster."""

import shlex
from collections.abc import Sequence
from typing import Any

from weft.adapters.engines import KINDS as ENGINES
from weft.adapters.workloads import KINDS as WORKLOADS
from weft.analysis.predict.advice import OneNode
from weft.facts import engines as facts
from weft.host import settings
from weft.record import record
from weft.record.record import Stored
from weft.text.units import show_seconds

_STOPPED = "stopped by the user"
_OF_A_RUN = {"conf", "result"}


def lines(stored: Stored) -> list[OneNode]:
    """Of each engine of one node that runs the same queries: the newest run's time or its failure, or how to try it."""
    head, work = stored.head, _work(stored)
    if work is None or head.workload not in WORKLOADS or head.engine in _kinds() or head.measured is None:
        return []
    kinds = [kind for kind in _kinds() if kind in WORKLOADS[head.workload].engines]
    same = [
        other
        for other in record.all_records(settings.runs())
        if other.head.engine in kinds
        and other.head.workload == head.workload
        and not other.head.reason.startswith(_STOPPED)
        and _work(other) == work
    ]
    return [
        OneNode(
            change=f"{kind} on one node",
            flags=_flags(kind, stored) if _here(stored) else (),
            says=_sentence(kind, stored, [other for other in same if other.head.engine == kind]),
        )
        for kind in kinds
    ]


def _kinds() -> Sequence[str]:
    return [kind for kind, engine in ENGINES.items() if engine.most_nodes == 1 and facts.of(kind).sql]


def _work(stored: Stored) -> Any:
    """The workload with its parameters, but those of the engine's own and of where the result is; None if the record has none."""
    work = _parameters(stored)
    return work and {key: value for key, value in work.items() if key not in _OF_A_RUN}


def _parameters(stored: Stored) -> Any:
    """All of them; None of a record that was imported, or is not whole."""
    if stored.head.imported is not None:
        return None
    return stored.json("resolved.json").get("spec", {}).get("workload")


def _here(stored: Stored) -> bool:
    """Whether it ran on this machine: nobody wants on a login node what ran in a job."""
    nodes = stored.json("resolved.json").get("spec", {}).get("nodes") or {}
    return nodes.get("kind", "local") in {"local", "virtual"}


def _flags(kind: str, stored: Stored) -> tuple[str, ...]:
    """Those of `weft run` with the record's spec, whose settings are another engine's."""
    found = ("--engine", kind, "--nodes", "virtual:1")
    return (*found, "--set", "workload.conf=") if _parameters(stored).get("conf") else found


def _sentence(kind: str, stored: Stored, runs: Sequence[Stored]) -> str:
    if not runs:
        try_it = shlex.join(["weft", "run", f"{stored.directory}/spec.toml", *_flags(kind, stored)])
        where = "" if _here(stored) else "on a node of the cluster, "
        return f"whether {kind} on one node is faster is not known: {where}{try_it}"
    newest, own = runs[-1], stored.head.phases.get("run", 0.0)
    name, seconds = newest.directory.name, newest.head.phases.get("run", 0.0)
    if newest.verdict not in {"VALID", "UNCHECKED"} or not seconds:
        return f"the newest run of {kind} on one node is {newest.verdict}: {newest.head.reason} ({name})"
    ratio = f"{own / seconds:.1f} times faster" if own >= seconds else f"{seconds / own:.1f} times slower"
    return (
        f"the run phase of {kind} on one node was {ratio}: {show_seconds(seconds)} ({newest.verdict}, {name})"
        f" instead of {show_seconds(own)}"
    )
