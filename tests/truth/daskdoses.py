"""Doses of one thing each in functions of Dask, as in `doses`: each has a measure that is not the attribution's."""

from pathlib import Path

from tests.local.conftest import Weft
from tests.truth.answers import Explained, explained, in_calls, profile
from tests.truth.doses import NODE, SPINS, Dose
from tests.truth.programs import PYTHON
from weft.analysis.explain import tasktime

MOVED, ARRAY = 4, 20_000_000
"""Arrays, and bytes of one."""
SPILLED, MEMORY = 12, 500_000_000
"""Arrays, and bytes of a worker's memory, in 60 % of which they do not fit."""


def _submit(weft: Weft, job: str, *words: str, count: int, dose: float) -> Explained:
    program = str(PYTHON / f"dask_{job}.py")
    return explained(weft, "submit", "--engine", "dask", *words, "--", program, f"{count}", f"{dose:.10g}")


def _spin(weft: Weft, seconds: float, folder: Path) -> tuple[float, Explained]:
    """Seconds of CPU time in each function, by its own clock."""
    return SPINS * seconds, _submit(weft, "spin", *NODE, count=SPINS, dose=seconds)


def _sleep(weft: Weft, seconds: float, folder: Path) -> tuple[float, Explained]:
    """Seconds for which each function sleeps."""
    return SPINS * seconds, _submit(weft, "sleep", *NODE, count=SPINS, dose=seconds)


def _link(weft: Weft, seconds: float, folder: Path) -> tuple[float, Explained]:
    """Seconds a gigabit of each node's link; what the arrays need on it."""
    rate = f",rate={1000 / seconds:.0f}mbit" if seconds else ""
    answer = _submit(weft, "moved", "--nodes", f"virtual:2,cores=1{rate}", count=MOVED, dose=ARRAY)
    return MOVED * ARRAY * 8 * seconds / 1e9, answer


def _scratch(weft: Weft, seconds: float, folder: Path) -> tuple[float, Explained]:
    """Seconds a gigabyte of the scratch; what its clients waited for data, by the emulated file system's own counters."""
    rates = {"data__request_bandwidth": 1e9 / seconds} if seconds else {}
    storage = profile(folder, f"spilled{seconds:g}", **rates)
    words = ("--scratch", storage, "--set", f"engine.worker_memory={MEMORY}")
    answer = _submit(weft, "spilled", *NODE, *words, count=SPILLED, dose=2 * ARRAY)
    return in_calls(answer.record, "scratch", data=True), answer


DOSES = {
    "dask-spin": Dose("computation in a function of Dask", "s", tasktime.CPU, (1, 2, 4), 0.05, _spin),
    "dask-sleep": Dose("sleep in a function of Dask", "s", tasktime.THREADS, (0, 1, 2), 0.05, _sleep),
    "dask-link": Dose("rate of links", "s/Gbit", tasktime.NETWORK, (0, 12.5, 25), 0.15, _link),
    "dask-scratch": Dose("bandwidth of scratch", "s/GB", tasktime.SPILL, (0, 5, 10), 0.15, _scratch),
}
"""By name."""
