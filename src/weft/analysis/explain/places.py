"""Where tasks ran: on which node, and in which process where its name says so."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars

from weft.analysis.explain.spread import Indexes

_NAMED = 2
"""Slashes in the name of a process that has the engine's own name for it: PROGRAM/PID/NAME."""


@dataclass(frozen=True)
class TaskPlaces:
    """The indexes of the tasks of each place."""

    nodes: Mapping[str, Indexes]
    processes: Mapping[str, Indexes]
    """By the engine's name of the process; of tasks whose process was not sampled by name, by node."""
    of_process: Mapping[tuple[str, str], str]
    """By node and sampled process: the engine's name of it."""


def of_tasks(tasks: polars.DataFrame, samples: polars.DataFrame, nodes: Mapping[str, str]) -> TaskPlaces:
    """`nodes`: node by the address or name that the engine calls it by."""
    named = samples.filter(polars.col("process").str.count_matches("/", literal=True) == _NAMED)
    of_process = {
        (node, process): process.split("/", _NAMED)[-1]
        for node, process in named.select("node", "process").unique().iter_rows()
    }
    hosts = [nodes.get(host or "", host or "") for host in tasks["host"].to_list()]
    own = _names(tasks, set(of_process.values())) if of_process else [""] * len(hosts)
    places = [name or host for name, host in zip(own, hosts, strict=True)]
    return TaskPlaces(_indexes(hosts), _indexes(places), of_process)


def _indexes(places: list[str]) -> dict[str, Indexes]:
    found: dict[str, list[int]] = defaultdict(list)
    for index, place in enumerate(places):
        found[place].append(index)
    return {place: np.asarray(indexes, dtype=np.intp) for place, indexes in sorted(found.items())}


def _names(tasks: polars.DataFrame, known: set[str]) -> list[str]:
    """Of each task: which of these processes is its own; empty for none. An executor's has the application's ID before its own."""
    executors: dict[tuple[str, str], str] = {}
    columns = tasks.select("app", "executor", "stage", "index", "retry")
    found = []
    for app, executor, stage, index, retry in columns.iter_rows():
        key = (app or "", executor or "")
        if key not in executors:
            executors[key] = _of_executor(*key, known)
        found.append(executors[key] or _of_attempt(key[0], stage, index, retry, known))
    return found


def _of_executor(app: str, executor: str, known: set[str]) -> str:
    # on YARN, the name of an event log has the number of the application's attempt too
    both = (f"{app} {executor}", f"{app.rpartition('_')[0]} {executor}")
    return next((name for name in both if name in known), "")


def _of_attempt(app: str, stage: int, index: int | None, retry: int | None, known: set[str]) -> str:
    """A container of MapReduce is one attempt; of its stages those with even numbers are map tasks."""
    if not app.startswith("job_") or index is None or retry is None:
        return ""
    kind = "r" if stage % 2 else "m"
    name = f"attempt_{app.removeprefix('job_')}_{kind}_{index:06d}_{retry}"
    return name if name in known else ""
