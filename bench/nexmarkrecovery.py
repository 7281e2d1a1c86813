"""Kills a process while an engine answers a query of Nexmark, and prints how the stream went on: its answer, and how long it was late."""

import json
import signal
import subprocess
import time
from argparse import Namespace
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import psutil
from figures import cells, rows
from figures.rows import Row
from nexmark import FIRST

from weft.analysis.summary.streamrecovery import moments, recovery, waiting
from weft.cli.guard import run_guarded
from weft.errors import WorkloadError
from weft.host import settings, signals
from weft.host.programs import marks

HERE = Path(__file__).parent
TABLE = "nexmark-recovery"
QUERIES = ("q5", "q8")
WORKERS = {"flink": "TaskManagerRunner", "spark": "CoarseGrainedExecutorBackend"}
"""Main classes of the processes that run tasks."""
BROKER = "kafka.Kafka"
SHARE = 0.5
"""Of the highest rate that is sustained (bench/nexmark): an engine that is late must be able to catch up."""
WINDOW = 5
WARMUP = 10
BEFORE = 25
"""Seconds of the measured time before a process is killed: what is usual until then."""
PATIENCE = 600
"""Seconds until a run has begun, and until it has ended."""


def main() -> None:
    """A row for each query, engine, kind of process and repetition that has none yet."""
    parser = cells.options("bench/nexmark-recovery", __doc__, repeat=3)
    parser.add_argument(
        "--rate", type=float, help="events per second; default: half of what bench/nexmark found"
    )
    parser.add_argument("--seconds", type=int, default=80, help="measured time (default 80)")
    given = parser.parse_args()
    kills = [
        cells.cell(
            {"query": query, "engine": engine, "killed": killed},
            partial(measured, query, engine, killed, given),
        )
        for query in QUERIES
        for engine in FIRST
        for killed in ("worker", "broker")
    ]
    cells.measure(TABLE, kills, given)


def highest(query: str, engine: str) -> float:
    """Events per second that the engine sustains, by the rows of bench/nexmark; without one, the first rate that it tries."""
    cell = {"query": query, "engine": engine}
    found = [row["rate"] for row in rows.read("nexmark") if row["cell"] == cell and row["verdict"] == "VALID"]
    return median(found) if found else FIRST[engine][query]


def measured(query: str, engine: str, killed: str, given: Namespace, repeat: int) -> Row:
    """A run of which a process is killed, at another moment of a window in each repetition."""
    rate, seconds = given.rate or SHARE * highest(query, engine), given.seconds
    at = BEFORE + repeat * WINDOW / given.repeat
    keys = {"queries": query, "rate": round(rate), "window": WINDOW, "seconds": seconds, "warmup": WARMUP}
    brokers = 2 if killed == "broker" else 1
    words = ["--engine", engine, "--nodes", "local:2", "--service", f"kafka:{brokers}"]
    words += ["--set", f"kafka.replication={brokers}"]
    words += [word for key, value in keys.items() for word in ("--set", f"{key}={value}")]
    known = set(settings.runs().glob("*"))
    command = [str(HERE.parent / "weft"), "run", "nexmark", *words, "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        events = round(rate) * (WARMUP + at)
        wait(process, lambda: (record := begun(known)) is not None and progress(record) >= events)
        record = begun(known)
        assert record is not None
        victim = chosen(record.name, BROKER if killed == "broker" else WORKERS[engine])
        moment = time.time()
        victim.send_signal(signal.SIGKILL)
        out, _ = process.communicate(timeout=seconds + PATIENCE)
    if not out:
        raise WorkloadError("the run was ended before it had a verdict")
    return {"rate": round(rate), "seconds": seconds, **row(json.loads(out), moment)}


def begun(known: set[Path]) -> Path | None:
    """The record of the run that has just been started."""
    return next(iter(set(settings.runs().glob("*")) - known), None)


def progress(record: Path) -> int:
    """Events that should have been sent by now."""
    log = record / "logs" / "node1" / "collect.log"
    lines = log.read_text().splitlines() if log.exists() else []
    found = [line for line in lines if line.startswith("progress: ")]
    return int(found[-1].split()[1]) if found else 0


def wait(process: "subprocess.Popen[str]", condition: Callable[[], bool]) -> None:
    """Until something holds. Raises WorkloadError if the run ends before, or takes too long."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if process.poll() is not None or time.monotonic() > end:
            process.terminate()
            raise WorkloadError("the run ended, or took too long, before a process was to be killed")
        signals.sleep(0.05)


def chosen(run: str, main_class: str) -> psutil.Process:
    """The process that is killed: of workers the one that computes most, of brokers the last, since the first is also the controller."""
    found = []
    for pid, variables in marks.marked(run).items():
        process = psutil.Process(pid)
        if process.name() == "java" and any(main_class in word for word in process.cmdline()):
            found.append((process, marks.value(variables, marks.NODE)))
    if main_class == BROKER:
        return max(found, key=lambda one: one[1])[0]
    return max(found, key=lambda one: sum(one[0].cpu_times()[:2]))[0]


def row(found: Mapping[str, Any], moment: float) -> Row:
    """What a run left, of which a process was killed at a moment since 1970."""
    made = {"run": found["id"], "verdict": found["verdict"]}
    if found["verdict"] != "VALID":
        return {**made, "reason": found["reason"]}
    collected = json.loads((Path(found["record"]) / "outcomes" / "collect.json").read_text())
    one = recovery(moments(collected), waiting(collected), moment - collected["began"])
    facts = {key: value for key, value in found["facts"].items() if isinstance(value, (int, float))}
    return {**made, "facts": facts, "recovery": one.model_dump() if one else None}


if __name__ == "__main__":
    run_guarded(main)
