"""Measures the cells of a benchmark: each as often as asked, unless its row is there.

The order is that of studies: each repetition measures every cell once, in an order of its own, so that a machine that is slow for an hour is slow
for all of them. A row is on disk as soon as it was measured: a benchmark that was stopped continues with the next call.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from figures import rows, tables
from figures.rows import Row
from weft.errors import UsageError, WeftError
from weft.host import checkout, signals
from weft.run import matrix
from weft.text.units import show_seconds

_SEED = 0
"""Of the orders."""
TOOK = "took"
"""Column with the seconds that a measurement took, from which the time that is left is estimated."""
CONTROL = "control"
"""In what a cell's function returns: known work right before this row, where there are several; it takes the place of the cell's."""


@dataclass(frozen=True)
class Cell:
    """What is repeated."""

    name: str
    """`--only` chooses by words of it."""
    keys: Row
    """What its rows have, and no others; of a table within it, the coordinates that are the cell's."""
    measure: Callable[[int], Row | Sequence[Row]]
    """Called with the repetition, from 0: a row, or several of one measurement, which may have further coordinates. Raises
    WeftError or SubprocessError if there is no result; then the other cells are measured all the same."""

    def owns(self, row: Row) -> bool:
        """Whether a row is of this cell."""
        return _has(row, self.keys)

    def done(self, repeat: int, known: Sequence[Row]) -> bool:
        """Whether one of the rows is of this repetition."""
        return any(row["repeat"] == repeat and self.owns(row) for row in known)


def cell(coordinates: str | Mapping[str, str], measure: Callable[[int], Row | Sequence[Row]]) -> Cell:
    """A cell whose rows have its coordinates as `cell`, and whose name is made of them."""
    name = coordinates if isinstance(coordinates, str) else " ".join(coordinates.values())
    return Cell(name, {"cell": coordinates}, measure)


def options(prog: str, about: str | None, repeat: int = 1) -> argparse.ArgumentParser:
    """What every benchmark of cells understands, to which it adds its own."""
    parser = argparse.ArgumentParser(prog=prog, description=(about or "").partition("\n")[0])
    parser.add_argument("--only", default="", metavar="WORD", help="cells whose name contains this")
    parser.add_argument(
        "--repeat", type=int, default=repeat, metavar="N", help=f"rows of each cell (default {repeat})"
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="measure the chosen cells again; otherwise what was measured stays",
    )
    return parser


def measure(table: str, cells: Iterable[Cell], given: argparse.Namespace, shown: Sequence[str] = ()) -> None:
    """Measure what was chosen and has no row yet, and print the tables that are made of the rows: by default that of this name.

    Raises UsageError if no cell is called so, and WeftError at the end if some could not be measured.
    """
    every = list(cells)
    chosen = [each for each in every if given.only in each.name]
    if not chosen:
        names = ", ".join(f"`{each.name}`" for each in every)
        raise UsageError(f"no cell's name contains {given.only!r}", hint=f"one of {names}")
    if given.again:
        rows.drop(table, lambda row: any(each.owns(row) for each in chosen))
    before = rows.read(table)
    order = [(chosen[index], repeat) for index, repeat in matrix.order(len(chosen), given.repeat, _SEED)]
    left = [(each, repeat) for each, repeat in order if not each.done(repeat, before)]
    _say_what_stays([row for row in before if any(each.owns(row) for each in chosen)])
    failed = []
    for number, (each, repeat) in enumerate(left):
        time_left = estimated([one for one, _ in left[number:]], rows.read(table))
        about = f", about {show_seconds(time_left)} left" if time_left is not None else ""
        say(f"[{number + 1}/{len(left)}] {each.name}{about}")
        if error := _kept(table, each, repeat):
            say(f"  no row: {error}")
            failed.append(each.name)
    for name in shown or [table]:
        print("\n".join(tables.lines(name) or []))
    if failed:
        raise WeftError(
            f"{len(failed)} of {len(left)} measurements failed: {', '.join(dict.fromkeys(failed))}",
            hint="the same command tries them again; what was measured is kept",
        )


def estimated(left: Sequence[Cell], known: Sequence[Row]) -> float | None:
    """Seconds that cells will take, if each takes the median of its rows, and one without rows that of all; None if nothing is known."""
    timed = [row for row in known if TOOK in row]
    if not timed:
        return None
    usual = median(row[TOOK] for row in timed)
    own = ([row[TOOK] for row in timed if each.owns(row)] for each in left)
    return float(sum(median(taken) if taken else usual for taken in own))


def say(text: str) -> None:
    """A line for people who wait."""
    print(text, file=sys.stderr, flush=True)


def _kept(table: str, of: Cell, repeat: int) -> str:
    """Known work, then a measurement, whose rows are on disk at once; why there are none."""
    control, where, began = rows.control(say), rows.here(), time.monotonic()
    found: Row | Sequence[Row] = ()
    error = ""
    try:
        found = of.measure(repeat)
    except (WeftError, subprocess.SubprocessError) as failure:
        error = str(failure) or type(failure).__name__
    # what a signal has ended is no result, nor a failure
    signals.check()
    about = {**of.keys, "repeat": repeat, **where, TOOK: round(time.monotonic() - began, 1)}
    made = [
        rows.joined(row.get(CONTROL, control), {key: row[key] for key in row if key != CONTROL})
        for row in ([found] if isinstance(found, Mapping) else found)
    ]
    for row in made:
        rows.append(table, {**about, **row})
    return error


def _say_what_stays(known: Sequence[Row]) -> None:
    """Rows of other commits are not measured again by themselves."""
    now = checkout.commit()
    others = list(dict.fromkeys(str(row["commit"]) for row in known if row["commit"] != now))
    of = f", with rows of commit {', '.join(others)}: --again measures them again" if others else ""
    if known:
        say(f"{len(known)} rows are there{of}")


def _has(found: Any, keys: Any) -> bool:
    if isinstance(keys, Mapping) and isinstance(found, Mapping):
        return all(key in found and _has(found[key], value) for key, value in keys.items())
    return bool(found == keys)
