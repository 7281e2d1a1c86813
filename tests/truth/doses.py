"""Doses of one thing each: how a run is given so much of it, and an independent measure of how much that was."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from figures import scores
from figures.scores import Slope

from tests.local.conftest import Weft
from tests.truth.answers import Explained, explained, in_calls, profile
from tests.truth.programs import PYTHON, crowded, spin
from weft.analysis.read.sources import Sources
from weft.record import record

NODE = ("--nodes", "virtual:1,cores=1")
SMALL_BLOCKS = ("groupby", *NODE, "--set", "mappers=30", "--set", "pairs=100", "--set", "value_bytes=100")
WIDE = ("groupby", "--set", "mappers=8", "--set", "pairs=4000", "--set", "value_bytes=1000")
CROWD = ("2", "320", "16")
"""Tasks, megabytes alive, gigabytes made."""
_HEAP = 2048
"""MiB of an executor's heap of which some are taken away."""
SPINS = 4
"""Tasks of a job that spins."""
PAIR = ("--nodes", "virtual:1,cores=2", "--conf", "spark.cores.max=1")
"""A task, and a CPU for its Python worker."""
MODULES = 2000
"""Files of a package of Python."""


@dataclass(frozen=True)
class Measured:
    """One run: the slot-seconds that were dosed, by a measure that is not the attribution's, and its answer."""

    dose: float
    given: float
    answer: Explained


@dataclass(frozen=True)
class Dose:
    """One thing of which runs are given more and more."""

    what: str
    unit: str
    part: str
    """The part of the slot time that must follow."""
    doses: Sequence[float]
    tolerance: float
    """By how much the slope may miss one."""
    run: Callable[[Weft, float, Path], tuple[float, Explained]]
    follows: str = ""
    """A part that must follow too, since what is dosed needs it."""

    def measure(self, weft: Weft, dose: float, folder: Path) -> Measured:
        given, answer = self.run(weft, dose, folder)
        return Measured(dose, given, answer)


def slope(found: Sequence[Measured], part: str) -> Slope:
    """Of the straight line of the part's seconds over the given ones."""
    return scores.slope([each.given for each in found], [each.answer.seconds(part) for each in found])


def moved(found: Sequence[Measured], *parts: str) -> dict[str, float]:
    """By part other than these: how much of the wall time of all slots it changed from the least dose to the largest, at most by itself.

    Empty slots and waiting for a processor are the machine's, and change with the length of a run.
    """
    ordered = sorted(found, key=lambda each: each.dose)
    names = {name for each in found for name in each.answer.by_part}
    least, most = (
        [each for each in ordered if each.dose == dose] for dose in (ordered[0].dose, ordered[-1].dose)
    )
    slot_time = float(np.median([each.answer.slot_time for each in most]))
    return {
        name: float(
            np.median([each.answer.by_part.get(name, 0.0) for each in most])
            - np.median([each.answer.by_part.get(name, 0.0) for each in least])
        )
        / slot_time
        for name in names - {*parts, "run-queue wait"}
        if not name.startswith("no task")
    }


STAYS = 0.03
"""Share of slot time by which another part may change."""


def require_part_follows(dose: Dose, weft: Weft, folder: Path) -> list[Measured]:
    """Its part follows the dose, and no other part does."""
    found = [dose.measure(weft, each, folder) for each in dose.doses]
    line = slope(found, dose.part)
    assert abs(line.value - 1) <= dose.tolerance + 2 * (line.error or 0.0), [
        (m.given, m.answer.seconds(dose.part)) for m in found
    ]
    # runs that scatter have a slope with a large error: none of them may be far from the line of slope one
    base = found[0].answer.seconds(dose.part) - found[0].given
    off = [m.answer.seconds(dose.part) - m.given - base for m in found]
    assert max(map(abs, off)) <= 2 * dose.tolerance * max(m.given for m in found), off
    others = moved(found, dose.part, dose.follows)
    assert all(abs(share) < STAYS for share in others.values()), others
    return found


def _metadata(weft: Weft, microseconds: float, folder: Path) -> tuple[float, Explained]:
    """On one node with one slot, where each block is read by its own task."""
    storage = profile(folder, f"latency{microseconds:g}", metadata__round_trip_us=microseconds)
    answer = explained(weft, "run", *SMALL_BLOCKS, "--scratch", storage)
    return in_calls(answer.record, "scratch", data=False), answer


def _bandwidth(weft: Weft, seconds: float, folder: Path) -> tuple[float, Explained]:
    """Seconds a gigabyte, for what TestDFSIO writes."""
    rates = {"data__request_bandwidth": 1e9 / seconds} if seconds else {}
    storage = profile(folder, f"bandwidth{seconds:g}", **rates)
    answer = explained(
        weft, "run", "dfsio", *NODE, "--set", "files=4", "--set", "size=100MB", "--output", storage
    )
    return in_calls(answer.record, "output", data=True), answer


def _link(weft: Weft, seconds: float, folder: Path) -> tuple[float, Explained]:
    """Seconds a gigabit, of each node's link."""
    rate = f",rate={1000 / seconds:.0f}mbit" if seconds else ""
    answer = explained(weft, "run", *WIDE, "--nodes", f"virtual:2,cores=1{rate}", "--scratch", "memory")
    tasks = Sources(record.read(answer.record)).metrics().tasks
    # how long the tasks that fetch blocks took, by the engine: nothing else in them depends on the link
    return float(tasks.filter(tasks["remote_bytes"] > 0)["run_ms"].sum()) / 1e3, answer


def _spin(weft: Weft, seconds: float, folder: Path) -> tuple[float, Explained]:
    """Seconds of CPU time in each task."""
    jar = spin("spark", folder)
    return SPINS * seconds, explained(weft, "submit", *NODE, "--", str(jar), *[f"{seconds:g}"] * SPINS)


def _hogs(weft: Weft, hogs: float, folder: Path) -> tuple[float, Explained]:
    """Other programs on each processor; how much of it a task loses to each depends on the kernel's groups of processes."""
    jar = spin("spark", folder)
    with hogging(int(hogs)):
        answer = explained(weft, "submit", "--nodes", "local:1", "--", str(jar), *["4"] * SPINS)
    tasks = Sources(record.read(answer.record)).metrics().tasks
    # such a task does nothing but compute: what it did not compute, others did
    return float(tasks["run_ms"].sum()) / 1e3 - float(tasks["cpu_ns"].sum()) / 1e9, answer


def _heap(weft: Weft, taken: float, folder: Path) -> tuple[float, Explained]:
    """Less heap, for a job that keeps many objects alive; what it costs is in the JVMs' own logs of their pauses."""
    heap = f"engine.executor_memory={_HEAP - int(taken)}M"
    jar = crowded(folder)
    answer = explained(weft, "submit", *NODE, "--set", heap, "--", str(jar), *CROWD, probes="pauses")
    return sum(float(row["of_tasks"]) for row in weft.result("show", "last")["pauses"]), answer


def _python_spin(weft: Weft, seconds: float, folder: Path) -> tuple[float, Explained]:
    """Seconds of CPU time in a function of each task."""
    return SPINS * seconds, _python(weft, "spin", *NODE, tasks=SPINS, dose=seconds)


def _python_sleep(weft: Weft, seconds: float, folder: Path) -> tuple[float, Explained]:
    """Seconds for which a function of each task sleeps."""
    return SPINS * seconds, _python(weft, "sleep", *NODE, tasks=SPINS, dose=seconds)


def _rows(weft: Weft, millions: float, folder: Path) -> tuple[float, Explained]:
    """Rows that cross to a worker and back."""
    answer = _python(weft, "rows", *PAIR, tasks=SPINS, dose=int(millions * 1e6 / SPINS))
    tasks = Sources(record.read(answer.record)).metrics().tasks
    # the JVM has nothing to wait for but its worker, and that nothing to do but to read rows and write them again
    return float(tasks["run_ms"].sum()) / 1e3 - float(tasks["cpu_ns"].sum()) / 1e9, answer


def _imports(weft: Weft, microseconds: float, folder: Path) -> tuple[float, Explained]:
    """Delay of metadata operations where the files of a package are; by the job's own clock."""
    storage = profile(folder, f"imports{microseconds:g}", metadata__round_trip_us=microseconds)
    answer = _python(weft, "imports", *NODE, "--scratch", storage, tasks=2, dose=MODULES)
    printed = (answer.record / "outcomes" / "stdout").read_text()
    return float(printed.rpartition("imported, seconds ")[2].split()[0]), answer


def _python(weft: Weft, job: str, *words: str, tasks: int, dose: float) -> Explained:
    return explained(weft, "submit", *words, "--", str(PYTHON / f"{job}.py"), f"{tasks}", f"{dose:.10g}")


@contextmanager
def hogging(count: int) -> Iterator[None]:
    """So many programs on each processor that do nothing but compute, and end with this one."""
    program = (
        "import os, sys",
        "os.sched_setaffinity(0, {int(sys.argv[1])})",
        "parent = os.getppid()",
        "while os.getppid() == parent: sum(range(100_000))",
    )
    argv = [
        [sys.executable, "-c", "\n".join(program), str(core)]
        for core in os.sched_getaffinity(0)
        for _ in range(count)
    ]
    # what holds this test's output open would keep its reader waiting
    nowhere = subprocess.DEVNULL
    # Linux gives each session the same share of a processor, however many of its programs want it
    programs = [
        subprocess.Popen(each, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True)
        for each in argv
    ]
    try:
        yield
    finally:
        for each in programs:
            each.kill()
            each.wait()


DOSES = {
    "metadata": Dose(
        "delay of metadata operations", "us", "metadata: scratch", (0, 500, 1000, 2000, 5000), 0.05, _metadata
    ),
    "bandwidth": Dose("bandwidth of storage", "s/GB", "data: output", (0, 5, 10, 20), 0.05, _bandwidth),
    "link": Dose("rate of links", "s/Gbit", "network", (0, 12.5, 25, 50), 0.15, _link),
    "spin": Dose("computation in user code", "s", "CPU", (1, 2, 4, 8), 0.05, _spin),
    "heap": Dose("heap taken away", "MiB", "GC", (0, 1000, 1250, 1400), 0.15, _heap),
    "hogs": Dose("CPUs taken away", "programs", "run-queue wait", (0, 1, 2), 0.15, _hogs),
    "python-spin": Dose(
        "computation in a Python function", "s", "Python: user code", (1, 2, 4, 8), 0.05, _python_spin
    ),
    "python-sleep": Dose(
        "sleep in a Python function", "s", "Python: user code waiting", (0, 1, 2, 4), 0.05, _python_sleep
    ),
    "python-rows": Dose(
        "rows to Python and back",
        "million",
        "Python: exchange with the JVM",
        (1, 2, 4, 8),
        0.15,
        _rows,
        "CPU",
    ),
    "python-imports": Dose(
        f"delay at the import of {MODULES:,} files",
        "us",
        "Python: start and imports",
        (0, 200, 500, 1000),
        0.05,
        _imports,
    ),
}
"""By name."""
