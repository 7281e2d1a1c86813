"""CPU time of `weft top` in a terminal, beside a record that grows as that of a busy run does: no engine is started."""

import argparse
import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from weft.record import record as records
from weft.record.record import write_json
from weft.record.samples import Measure, Sample, append

OPERATIONS = ("open", "stat", "read", "write", "network", "lock", "running", "fault")
THREADS = ("task", "server", "collector", "compiler", "other")
COUNTERS = ("cpu_user", "cpu_system", "memory", "disk_read", "disk_write", "read_calls", "write_calls")
INTERVAL = 0.5
"""Seconds between two samples of threads."""
BEFORE = 10
"""Seconds in which it draws the page some times, before it is measured."""
SHOWN = 4096
"""Bytes of its output that are kept: if it ends by itself, its reason is at the end."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long it is measured (60)")
    parser.add_argument("--nodes", type=int, default=4, help="nodes of the run (4)")
    parser.add_argument("--tasks", type=int, default=50, help="tasks that end in a second (50)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="weft-top-") as folder:
        os.environ["WEFT_RUNS"] = folder
        directory = begin(Path(folder))
        done = threading.Event()
        threading.Thread(target=grow, args=(directory, given.nodes, given.tasks, done), daemon=True).start()
        try:
            start, cost = measured(given.seconds)
        finally:
            done.set()
    print(
        f"start {start:.2f} s; then {cost:.2f} s of CPU in {given.seconds:g} s: {cost / given.seconds:.2%} of a core"
    )


def begin(runs: Path) -> Path:
    """The record of a run in this process."""
    record = records.create(
        runs, "20260131-000000-terasort-spark-0000", "", {"workload": "terasort", "engine": "spark"}
    )
    record.update(phase="run")
    write_json(record.directory / "resolved.json", {"derived": {"spark": {"slots": 8}}})
    stages = [
        {"Stage ID": number, "Stage Name": f"sort at Sort.java:{number}", "Number of Tasks": 100_000}
        for number in range(20)
    ]
    (record.directory / "engine" / "app.inprogress").write_text(
        event("JobStart", {"Job ID": 0, "Stage Infos": stages})
    )
    return record.directory


def event(name: str, what: Mapping[str, object]) -> str:
    return json.dumps({"Event": f"SparkListener{name}", **what}, separators=(",", ":")) + "\n"


def grow(directory: Path, nodes: int, tasks: int, done: threading.Event) -> None:
    """Samples of all threads and processes, and events of tasks with the length that Spark's have."""
    start = event("TaskStart", {"Stage ID": 3, "Task Info": "x" * 600})
    end = event(
        "TaskEnd", {"Stage ID": 3, "Task End Reason": {"Reason": "Success"}, "Task Metrics": "x" * 2500}
    )
    number = 0
    while not done.wait(INTERVAL):
        number += 1
        append(directory, readings(nodes, number))
        with (directory / "engine" / "app.inprogress").open("a") as log:
            log.write((start + end) * round(tasks * INTERVAL))


def readings(nodes: int, number: int) -> Iterator[Sample]:
    now, value = time.time(), number * 0.1
    for node in (f"node{each}" for each in range(1, nodes + 1)):
        for process in ("", "Worker/1", "CoarseGrainedExecutorBackend/2"):
            for operation in OPERATIONS:
                yield Measure("threads.in", "task", operation=operation).at(now, node, process, value)
            for thread in THREADS:
                for counter in ("cpu", "system", "wait"):
                    yield Measure(f"threads.{counter}", thread).at(now, node, process, value)
            for counter in COUNTERS if number % 2 else ():
                yield Sample(now, node, process, counter, value)


def measured(seconds: float, command: Sequence[str] = ("-m", "weft", "top")) -> tuple[float, float]:
    """Seconds of CPU until it has drawn the page some times, and in the time after that. Ends the benchmark if the command ends."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 120, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color"}
    last = bytearray()
    try:
        with subprocess.Popen(
            [sys.executable, "-P", *command],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment,
        ) as process:
            threading.Thread(target=drain, args=(ours, last), daemon=True).start()
            spent = [after(wait, process, last) for wait in (BEFORE, seconds)]
            process.terminate()
    finally:
        os.close(theirs)  # the thread that reads ends
    return spent[0], spent[1] - spent[0]


def after(seconds: float, process: "subprocess.Popen[bytes]", last: bytearray) -> float:
    """CPU time of a process after a while. Ends the benchmark with what it showed last if it has ended: it would cost nothing."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0 and process.poll() is None:
        time.sleep(min(left, INTERVAL))
    spent = cpu(process.pid) if process.poll() is None else 0.0
    if process.poll() is not None:
        time.sleep(INTERVAL)  # until what it has shown was read
        sys.exit(f"the command ended with {process.returncode}:\n{last.decode(errors='replace')}")
    return spent


def drain(terminal: int, last: bytearray) -> None:
    """What is shown is read, as by a terminal; its end is kept."""
    while True:
        try:
            last += os.read(terminal, 1 << 16)
        except OSError:
            os.close(terminal)
            return
        del last[:-SHOWN]


def cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
