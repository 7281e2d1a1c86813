"""Doses of one thing each in functions of Dask and of Ray, as in `doses`: each has a measure that is not the attribution's."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.local.conftest import Weft
from tests.truth.answers import Explained, explained, in_calls, in_file_calls, profile
from tests.truth.doses import NODE, SPINS, Dose
from tests.truth.programs import PYTHON
from weft.analysis.explain import tasktime

_Run = Callable[[str, Weft, float, Path], tuple[float, Explained]]
MOVED, ARRAY = 4, 20_000_000
"""Arrays, and bytes of one."""
SPILLED = 12
"""Arrays, which do not fit together in the memory of LIMITS."""
LIMITS = {"dask": "worker_memory=500MB", "ray": "object_store=180MB"}
"""What an engine may have of memory for its results; of a worker's, Dask gives them 60 %."""
RATES = {"dask": (0.0, 30.0, 60.0), "ray": (0.0, 5.0, 10.0)}
"""Seconds a gigabyte of the scratch.

Dask's functions make arrays of half a gigabyte in all. To fill them took 0.3 to 1.2 s of CPU time in equal runs on a virtual machine,
as the first touch of memory is dearer at times: that must be little of the slot time.
"""


def _submit(weft: Weft, engine: str, job: str, *words: str, count: int, dose: float) -> Explained:
    program = str(PYTHON / f"{engine}_{job}.py")
    return explained(weft, "submit", "--engine", engine, *words, "--", program, f"{count}", f"{dose:.10g}")


def _spin(engine: str, weft: Weft, seconds: float, folder: Path) -> tuple[float, Explained]:
    """Seconds of CPU time in each function, by its own clock."""
    return SPINS * seconds, _submit(weft, engine, "spin", *NODE, count=SPINS, dose=seconds)


def _sleep(engine: str, weft: Weft, seconds: float, folder: Path) -> tuple[float, Explained]:
    """Seconds for which each function sleeps."""
    return SPINS * seconds, _submit(weft, engine, "sleep", *NODE, count=SPINS, dose=seconds)


def _link(engine: str, weft: Weft, seconds: float, folder: Path) -> tuple[float, Explained]:
    """Seconds a gigabit of each node's link; what the arrays need on it."""
    rate = f",rate={1000 / seconds:.0f}mbit" if seconds else ""
    answer = _submit(weft, engine, "moved", "--nodes", f"virtual:2,cores=1{rate}", count=MOVED, dose=ARRAY)
    return MOVED * ARRAY * 8 * seconds / 1e9, answer


def _scratch(engine: str, weft: Weft, seconds: float, folder: Path) -> tuple[float, Explained]:
    """Seconds a gigabyte of the scratch.

    Of Dask, what the workers' file calls there took: its own timers, of which the part is made, have all that the machine adds. How many
    arrays it writes differs between runs: it also looks at the memory of the process, ten times a second. Of Ray, what the clients of
    the emulated file system waited for data, by its own counters.
    """
    rates = {"data__request_bandwidth": 1e9 / seconds} if seconds else {}
    storage = profile(folder, f"spilled{seconds:g}", **rates)
    words = ("--scratch", storage, "--set", f"engine.{LIMITS[engine]}")
    answer = _submit(weft, engine, "spilled", *NODE, *words, count=SPILLED, dose=2 * ARRAY)
    given = in_file_calls if engine == "dask" else partial(in_calls, data=True)
    return given(answer.record, "scratch"), answer


def _doses(engine: str, name: str) -> dict[str, Dose]:
    """By name: those of an engine; `name`: as its users write it."""

    def of(what: str, unit: str, part: str, doses: tuple[float, ...], tolerance: float, run: _Run) -> Dose:
        return Dose(what, unit, part, doses, tolerance, partial(run, engine))

    return {
        f"{engine}-spin": of(
            f"computation in a function of {name}", "s", tasktime.CPU, (1, 2, 4), 0.05, _spin
        ),
        f"{engine}-sleep": of(
            f"sleep in a function of {name}", "s", tasktime.THREADS, (0, 1, 2), 0.05, _sleep
        ),
        f"{engine}-link": of("rate of links", "s/Gbit", tasktime.NETWORK, (0, 12.5, 25), 0.15, _link),
        f"{engine}-scratch": of(
            "bandwidth of scratch", "s/GB", tasktime.SPILL, RATES[engine], 0.15, _scratch
        ),
    }


DOSES = {**_doses("dask", "Dask"), **_doses("ray", "Ray")}
"""By name."""
