"""GC pauses by the JVMs' own logs, and how much of the tasks' time lies in them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars

from weft.analysis.explain.spread import Readings
from weft.analysis.read.part import Part
from weft.facts.jobmetrics import JobMetrics
from weft.facts.threadkinds import runs_tasks
from weft.text.entry import Entry

_LINE = re.compile(r"^\[(\d+)ms\].*\bPause .* (\d+(?:\.\d+)?)ms$")


@dataclass(frozen=True)
class Pause:
    """One pause. Times are seconds since the epoch."""

    begin: float
    end: float


class PausedNode(Part):
    """A node's pauses in the processes in which tasks ran, in seconds."""

    node: str
    processes: int
    count: int
    seconds: float
    longest: float
    of_tasks: float
    """Seconds of tasks that lie in pauses: a second measurement of what the engine says."""


def read(directory: Entry) -> dict[tuple[str, str], list[Pause]]:
    """By node and PID: the pauses in a record's folder `NODE/engine/PID.log`."""
    paths = directory.files("*/engine/*.log")
    return {(path.parts[-3], path.stem): parse(path.text()) for path in paths}


def parse(text: str) -> list[Pause]:
    """The pauses of a log with the decoration `tm`; a line is written at the end of its pause."""
    found = []
    for line in text.splitlines():
        if match := _LINE.match(line):
            end = int(match[1]) / 1000
            found.append(Pause(end - float(match[2]) / 1000, end))
    return found


def of_nodes(
    logs: Mapping[tuple[str, str], Sequence[Pause]],
    samples: polars.DataFrame,
    metrics: JobMetrics,
    nodes: Mapping[str, str],
) -> tuple[PausedNode, ...]:
    """By node; `nodes`: node by the address or name that the engine calls it by."""
    lives = _lives(samples)
    mine = _of_tasks(logs, lives)
    if not mine:
        return ()
    tasks = metrics.every.select("host", "begin", "end").drop_nulls(["begin", "end"]).collect()
    found = []
    for node in dict.fromkeys(node for node, _ in mine):
        own = [pauses for (where, _), pauses in mine.items() if where == node]
        here = [(begin, end) for host, begin, end in tasks.iter_rows() if nodes.get(host or "", host) == node]
        live = [life for (where, _), life in lives.items() if where == node and runs_tasks(life[0])]
        every = [pause for pauses in own for pause in pauses]
        lengths = [pause.end - pause.begin for pause in every]
        stopped = sum(_stopped(pause, here) / _sharing(pause, live) for pause in every)
        found.append(
            PausedNode(
                node=node,
                processes=len(own),
                count=len(every),
                seconds=sum(lengths),
                longest=max(lengths, default=0.0),
                of_tasks=stopped,
            )
        )
    return tuple(found)


def _of_tasks(
    logs: Mapping[tuple[str, str], Sequence[Pause]], lives: Mapping[tuple[str, str], tuple[str, float, float]]
) -> dict[tuple[str, str], Sequence[Pause]]:
    """Those of the JVMs in which tasks ran; without the probe `threads` nobody knows which JVM is which."""
    programs = {key: program for key, (program, _, _) in lives.items()}
    return {key: pauses for key, pauses in logs.items() if runs_tasks(programs.get(key, "")) or not programs}


def stopped(
    logs: Mapping[tuple[str, str], Sequence[Pause]], samples: polars.DataFrame
) -> dict[str, Readings]:
    """By node: for how many seconds a task there was stopped up to each moment, on average over the JVMs that ran tasks then."""
    lives = _lives(samples)
    found = {}
    mine = _of_tasks(logs, lives)
    for node in dict.fromkeys(node for node, _ in mine):
        live = [life for (where, _), life in lives.items() if where == node and runs_tasks(life[0])]
        pauses = sorted(
            (pause for (where, _), own in mine.items() if where == node for pause in own),
            key=lambda pause: pause.begin,
        )
        times, values, passed = [0.0], [0.0], 0.0
        for pause in pauses:
            begin = max(pause.begin, times[-1])
            grown = max(0.0, pause.end - pause.begin) / _sharing(pause, live)
            times += [begin, max(begin, pause.end)]
            values += [passed, passed + grown]
            passed += grown
        found[node] = Readings(np.asarray(times), np.asarray(values))
    return found


def _stopped(pause: Pause, tasks: Sequence[tuple[float, float]]) -> float:
    """Seconds of all tasks of the node that lie in a pause."""
    return sum(max(0.0, min(end, pause.end) - max(begin, pause.begin)) for begin, end in tasks)


def _sharing(pause: Pause, lives: Sequence[tuple[str, float, float]]) -> int:
    """Processes that ran the node's tasks then: a pause stops the tasks of one of them."""
    return max(1, sum(begin <= pause.end and end >= pause.begin for _, begin, end in lives))


def _lives(samples: polars.DataFrame) -> dict[tuple[str, str], tuple[str, float, float]]:
    """By node and PID: main class, first and last reading, from the names of sampled processes, PROGRAM/PID."""
    rows = samples.filter(polars.col("counter").str.starts_with("threads.") & (polars.col("process") != ""))
    grouped = rows.group_by("node", "process").agg(
        polars.col("t").min().alias("begin"), polars.col("t").max().alias("end")
    )
    found = {}
    for node, process, begin, end in grouped.iter_rows():
        program, pid = process.split("/")[:2]
        found[node, pid] = (program, begin, end)
    return found
