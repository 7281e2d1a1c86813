"""What workers of PySpark did for each task, from the lines that they wrote: seconds by part.

A worker works while its task's JVM thread waits for it, and beside it while that computes: what of it the task waited for is not here.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars

from weft.analysis.explain.spread import Numbers
from weft.analysis.explain.tasktime import PYTHON_EXCHANGE, PYTHON_START, PYTHON_USER, PYTHON_WAITING, WAITING
from weft.analysis.explain.timeparts import PythonWorkers
from weft.facts.loglines import DAMAGED
from weft.text.entry import Entry, decode


class Spent(NamedTuple):
    """Seconds of one activity: in all, the main thread on a CPU and waiting for one, all threads on CPUs."""

    wall: float = 0.0
    cpu: float = 0.0
    runnable: float = 0.0
    every: float = 0.0


class Worker(NamedTuple):
    """A task in a worker, or with no `task` a daemon's start. `begin`, `end`: seconds since the epoch, of the process and of the task."""

    app: str
    executor: str
    pid: int
    begin: float
    end: float
    task: int = -1
    daemon: int = 0
    first: bool = False
    peak: int = 0
    """Bytes of memory, the most until then."""
    modules: int = 0
    """Loaded then."""
    spent: Mapping[str, Spent] = {}


def read(directory: Entry) -> list[Worker]:
    """The lines of a record's folder, `NODE/engine/PID.jsonl`; damaged ones are left out."""
    return [
        each
        for path in directory.files("*/engine/*.jsonl")
        for line in path.text().splitlines()
        if (each := _worker(line))
    ]


def _worker(line: str) -> Worker | None:
    try:
        row = decode(line)
        spent = {str(kind): Spent(*map(float, values)) for kind, values in row.get("seconds", {}).items()}
        return Worker(
            str(row.get("app", "")),
            str(row.get("executor", "")),
            int(row["pid"]),
            float(row["begin"]),
            float(row["end"]),
            int(row.get("task", -1)),
            int(row.get("daemon", 0)),
            bool(row.get("first", False)),
            int(row.get("peak", 0)),
            int(row.get("modules", 0)),
            spent,
        )
    except DAMAGED:
        return None


def workers_of(workers: Sequence[Worker], tasks: polars.DataFrame) -> PythonWorkers | None:
    """How many of them served these tasks; None if none did."""
    asked = set(zip(tasks["app"].to_list(), tasks["task"].to_list(), strict=True))
    found = [each for each in workers if (each.app, each.task) in asked]
    if not found:
        return None
    return PythonWorkers(
        processes=len({(each.app, each.executor, each.pid) for each in found}),
        tasks=len({(each.app, each.task) for each in found}),
        peak=max(each.peak for each in found),
        modules=max(each.modules for each in found),
    )


def of_tasks(workers: Sequence[Worker], tasks: polars.DataFrame, weight: Numbers) -> dict[str, Numbers]:
    """By part: seconds of each task; empty where no worker wrote of any. `weight`: what of each task's time counts."""
    ids = zip(tasks["app"].to_list(), tasks["task"].to_list(), strict=True)
    where = {key: index for index, key in enumerate(ids)}
    daemons = {(each.app, each.executor, each.pid): each for each in workers if each.task < 0}
    begins = tasks["begin"].to_numpy()
    parts = {
        name: np.zeros(len(weight))
        for name in (PYTHON_USER, PYTHON_WAITING, PYTHON_EXCHANGE, PYTHON_START, WAITING)
    }
    found = False
    for each in workers:
        index = where.get((each.app, each.task))
        if index is None:
            continue
        found = True
        for name, seconds in divided(each).items():
            parts[name][index] += seconds * weight[index]
        if each.first and (daemon := daemons.get((each.app, each.executor, each.daemon))):
            # the first tasks of an executor wait for it
            waited = max(0.0, daemon.end - max(daemon.begin, float(begins[index])))
            parts[PYTHON_START][index] += waited * weight[index]
    return parts if found else {}


def divided(worker: Worker) -> dict[str, float]:
    """A worker's seconds by part: what it computed, what the job's code waited for, what modules took to load.

    Where PySpark's own code is not on a CPU it waits for the JVM, which is the task's own work.
    """
    user, exchange, imports, init = (
        worker.spent.get(kind, Spent()) for kind in ("user", "exchange", "imports", "init")
    )
    blocked = max(0.0, user.wall - user.cpu - user.runnable)
    # the main thread may wait for other threads of the job that compute
    of_others = min(blocked, max(0.0, user.every - user.cpu))
    return {
        PYTHON_USER: user.cpu + of_others,
        PYTHON_WAITING: blocked - of_others,
        PYTHON_EXCHANGE: exchange.cpu,
        PYTHON_START: max(0.0, imports.wall - imports.runnable) + init.cpu,
        WAITING: sum(each.runnable for each in (user, exchange, imports, init)),
    }
