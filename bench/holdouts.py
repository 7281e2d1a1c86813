"""Fits constants of the model to the runs of all workloads but one, and prints how far off the runs of that one are then.

The runs are those of a directory, such as bench/unseen leaves; none is made. Of each workload on each engine, the first run predicts the others,
without the correction by other runs. Constants that decide how a record is read (`jvm_start`) or that are assumed are not fitted.
"""

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING

from figures.shown import table

from weft.analysis.predict import holdout
from weft.analysis.predict.constants import VALUE
from weft.analysis.predict.projection import Recorded
from weft.api import growing, machines
from weft.errors import UsageError
from weft.record import record
from weft.record.record import Stored
from weft.text.numbers import percent

if TYPE_CHECKING:
    from collections.abc import Iterator

FITTED = ("warm_up_share", "warm_up_seconds", "compiler_power", "latencyfs_call", "fuse_write", "fuse_read")
TIMES = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0)
"""Of a constant as it is kept, that are tried; a share and a power are 1 at most."""
_AT_MOST_1 = ("warm_up_share", "compiler_power")
_ROUNDS = 2
"""Over all constants, one after another: more changed none in a try."""


@dataclass(frozen=True)
class Work:
    """Runs of a workload on an engine."""

    name: str
    stored: Stored
    """The run that predicts the others."""
    first: Recorded
    others: Sequence[Recorded]

    def logs(self) -> list[float]:
        """Of predicted over measured seconds, with the constants as they are now."""
        machine = machines.of_record(self.stored, self.first)
        share = VALUE["warm_up_share"] if self.first.work.warm_up else 0.0
        run = replace(self.first, work=replace(self.first.work, warm_up=share))
        found = holdout.predict_others(run, run.model(machine), machine, self.others)
        return [math.log(one.predicted / one.measured) for one in found]


def read(folder: Path) -> list[Work]:
    """The valid runs of a directory by workload and engine, oldest first. What cannot be predicted is left out."""
    groups: list[tuple[Stored, Recorded, list[Recorded]]] = []
    for stored in record.all_records(folder):
        if stored.verdict != "VALID":
            continue
        try:
            one = growing.read(stored)
        except UsageError as error:
            print(f"{stored.directory.name}: {error.message}", file=sys.stderr)
            continue
        alike = next((group for group in groups if holdout.comparable(group[1], one)), None)
        if alike:
            alike[2].append(one)
        else:
            groups.append((stored, one, []))
    works = [
        Work(f"{stored.head.workload} on {one.work.engine}", stored, one, others)
        for stored, one, others in groups
    ]
    return [work for work in works if work.logs()]


@contextmanager
def constants(values: Mapping[str, float]) -> "Iterator[None]":
    """With other constants."""
    before = {name: VALUE[name] for name in values}
    VALUE.update(values)
    try:
        yield
    finally:
        VALUE.update(before)


def squares(works: Sequence[Work], values: Mapping[str, float]) -> float:
    """The mean square of the logarithms of all runs."""
    with constants(values):
        return mean(log**2 for work in works for log in work.logs())


def fit(works: Sequence[Work]) -> dict[str, float]:
    """The constants with the least squares: each in turn, the others as they are."""
    found = {name: VALUE[name] for name in FITTED}
    for _ in range(_ROUNDS):
        for name in FITTED:
            found = min(_tried(found, name), key=lambda values: squares(works, values))
    return found


def _tried(values: Mapping[str, float], name: str) -> list[dict[str, float]]:
    """With other values of a constant, of which that which is kept comes first: of those that are as good the first one is taken."""
    tried = sorted((times * VALUE[name] for times in TIMES), key=lambda value: value != VALUE[name])
    return [{**values, name: value} for value in tried if value <= 1 or name not in _AT_MOST_1]


def error(logs: Sequence[float]) -> str:
    """The median error of some runs."""
    return percent(math.exp(median(abs(log) for log in logs)) - 1)


def lines(works: Sequence[Work]) -> list[str]:
    """A line for each workload, and one for all."""
    every = fit(works)
    columns: dict[str, list[float]] = {"kept": [], "all": [], "left": []}
    body = []
    for work in works:
        left = fit([other for other in works if other is not work])
        errors = []
        for name, values in (("kept", {}), ("all", every), ("left", left)):
            with constants(values):
                logs = work.logs()
            columns[name] += logs
            errors.append(error(logs))
        changed = ", ".join(f"{name} {left[name]:.3g}" for name in FITTED if left[name] != every[name])
        body.append([work.name, len(logs), *errors, changed or "none"])
    body.append(["all", len(columns["kept"]), *map(error, columns.values()), ""])
    head = [
        "workload",
        "runs",
        "error as kept",
        "fitted to all",
        "fitted without it",
        "constants that differ then",
    ]
    return table(head, body)


def main(arguments: Sequence[str] | None = None) -> int:
    """The table of a directory of records."""
    parser = argparse.ArgumentParser(prog="bench/holdouts", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "records", type=Path, help="a directory of records, such as the WEFT_RUNS of bench/unseen"
    )
    works = read(parser.parse_args(arguments).records)
    if len(works) < 2:
        parser.error("there are no two workloads with at least two runs each that predictions compare")
    print("\n".join(lines(works)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
