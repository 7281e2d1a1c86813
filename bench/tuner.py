"""How many runs Optuna needs until one takes no longer than what the first line of `weft advise` gives after one run.

All combinations of a job's settings are run once. Optuna then searches these times, once for each of many seeds: its numbers of runs are those of
a search of the real job, without hours of runs for each seed.
"""

import itertools
import json
import math
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from commands import ROOT, crowded, weft
from figures import cells
from figures.rows import Row

from weft.cli.guard import run_guarded
from weft.errors import WeftError
from weft.host import settings

TABLE = "tuner"
SEEDS = 200
"""Searches of each job."""
LOCK = ROOT / "requirements-tuner.lock"
SEARCH = ROOT / "bench" / "optunasearch.py"
COMMON = ("--nodes", "virtual:2,cores=1", "--set", "probes=proc,threads,engine,fileops")
Axis = Mapping[str, tuple[str, ...]]
"""What to add to the command, by value; the first is the job as it is."""


def setting(key: str, *values: str) -> Axis:
    """An axis of `--set`."""
    return {value: ("--set", f"{key}={value}") for value in values}


HEAPS = setting("engine.executor_memory", "600000000", "1200000000", "2400000000")
DISK_OR_MEMORY = {"disk": (), "memory": ("--scratch", "memory")}
LUSTRE = {
    name: ("--scratch", name) for name in ("delayed:lustre-2014", "loopback+delayed:lustre-2014", "memory")
}


@dataclass(frozen=True)
class Job:
    """A job with a defect, and what of it can be set."""

    command: tuple[str, ...]
    axes: Mapping[str, Axis]
    crowded: tuple[str, ...] = ()
    """Arguments of the jar that crowds its heap."""

    def seconds(self, choice: Mapping[str, str]) -> float:
        """What a run with these values takes. Raises CalledProcessError if its result is wrong, or there is none."""
        chosen = (word for axis, value in choice.items() for word in self.axes[axis][value])
        program = ("--", crowded(settings.runs()), *self.crowded) if self.crowded else ()
        weft(*self.command, *COMMON, *chosen, *program)
        record = json.loads(weft("show", "last", "--json"))
        return float(record["measured"] or record["phases"]["run"])

    def asked(self) -> dict[str, str]:
        """What it is."""
        return {axis: next(iter(values)) for axis, values in self.axes.items()}

    def advised(self, words: Sequence[str]) -> dict[str, str]:
        """With the words of a line of advice. Raises WeftError if no value has them."""
        for axis, values in self.axes.items():
            for value, own in values.items():
                if own == tuple(words):
                    return {**self.asked(), axis: value}
        raise WeftError(f"what weft advises is no value of the job's axes: {' '.join(words) or 'nothing'}")


CELLS: Mapping[str, Job] = {
    "1,600 small blocks on `delayed:lustre-2014`": Job(
        ("run", "groupby", "--set", "mappers=40", "--set", "pairs=200"),
        {"scratch": LUSTRE, "reducers": setting("reducers", "40", "4", "8", "80"), "heap": HEAPS},
    ),
    "one partition of TeraSort, 1 GB": Job(
        ("run", "terasort", "--size", "1GB"),
        {"scratch": DISK_OR_MEMORY, "partitions": setting("partitions", "1", "2", "8", "32"), "heap": HEAPS},
    ),
    "a heap that is nearly full": Job(
        ("submit",),
        {
            "scratch": DISK_OR_MEMORY,
            "partitions": setting("spark.default.parallelism", "4", "2", "8", "32"),
            "heap": HEAPS,
        },
        ("4", "320", "8"),
    ),
}


def main() -> None:
    """A row for each defect and repetition that has none yet."""
    given = cells.options("bench/tuner", __doc__).parse_args()
    cells.measure(TABLE, [cells.cell(defect, partial(searched, job)) for defect, job in CELLS.items()], given)


def searched(job: Job, _: int) -> Row:
    """The times of all combinations, and how many of them each search needed."""
    first = {"choice": job.asked(), "seconds": job.seconds(job.asked())}
    lines = json.loads(weft("advise", "last", "--json"))["lines"]
    advised = job.advised(lines[0]["flags"] if lines else ())
    grid = [first]
    combinations = (
        dict(zip(job.axes, values, strict=True)) for values in itertools.product(*job.axes.values())
    )
    for number, choice in enumerate(each for each in combinations if each != job.asked()):
        cells.say(f"  {number + 2} of {math.prod(map(len, job.axes.values()))}: {', '.join(choice.values())}")
        grid.append({"choice": choice, "seconds": tried(job, choice)})
    asked = {"axes": {axis: [*values] for axis, values in job.axes.items()}, "grid": grid, "seeds": SEEDS}
    return {"grid": grid, "advised": advised, "orders": orders(asked)}


def tried(job: Job, choice: Mapping[str, str]) -> float | None:
    """The seconds, or None of a run that fails: a search has to live with these."""
    try:
        return job.seconds(choice)
    except subprocess.CalledProcessError:
        return None


def orders(asked: Mapping[str, object]) -> list[list[int]]:
    """By seed: which of the combinations Optuna tries, in turn. Raises CalledProcessError."""
    made = subprocess.run(
        [ROOT / "tools" / "python", LOCK, "-P", SEARCH],
        input=json.dumps(asked),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    found: list[list[int]] = json.loads(made.stdout)
    return found


if __name__ == "__main__":
    run_guarded(main)
