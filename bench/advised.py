"""Runs jobs with a known defect, and one without; asks `weft advise` for the remedy, tries it, and keeps both gains."""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from commands import crowded, weft
from figures import cells
from figures.rows import Row

from weft.cli.guard import run_guarded
from weft.host import settings

HERE = Path(__file__).parent
TABLE = "advised"
NODES = ("--nodes", "virtual:2,cores=1")
PROBES = ("--set", "probes=proc,threads,engine,fileops")
SKEWED = (str(HERE / "skewed.py"), "1000000")
CROWDED = "the jar of a job that crowds its heap"
CELLS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "1,600 small blocks on `delayed:lustre-2014`": (
        ("run", "groupby", *NODES, "--scratch", "delayed:lustre-2014", "--set", "mappers=40", "--set", "pairs=200", *PROBES),
        "storage of scratch",
    ),
    "one partition of TeraSort, 1 GB": (
        ("run", "terasort", *NODES, "--size", "1GB", "--set", "partitions=1", *PROBES),
        "partitions",
    ),
    "a heap that is nearly full": (
        ("submit", *NODES, "--set", "engine.executor_memory=600MB", *PROBES, "--", CROWDED, "4", "320", "8"),
        "memory",
    ),
    "links of 20 Mbit/s, TeraSort 100 MB": (
        ("run", "terasort", "--nodes", "virtual:2,cores=1,rate=20mbit", "--size", "100MB", *PROBES),
        "network",
    ),
    "70 % of the rows in one of 4 partitions": (
        ("submit", *NODES, "--set", "spark.sql.shuffle.partitions=4", *PROBES, *SKEWED),
        "partitions",
    ),
    "none": (("run", "terasort", *NODES, "--size", "100MB", "--scratch", "memory", *PROBES), ""),
}  # fmt: skip
"""By defect: the command, and the family of the remedy; empty where nothing is to be changed."""


def main() -> None:
    """A row for each defect and repetition that has none yet."""
    parser = cells.options("bench/advised", __doc__)
    parser.add_argument(
        "--rounds", type=int, default=2, help="runs with and without a change that is tried (default 2)"
    )
    given = parser.parse_args()
    defects = [cells.cell(defect, partial(asked, *about, given.rounds)) for defect, about in CELLS.items()]
    cells.measure(TABLE, defects, given)


def asked(command: tuple[str, ...], family: str, rounds: int, _: int) -> Row:
    """A run, the advice on it, and what the first line gained when it was tried, for which its job is run again: so its jar stays."""
    weft(*(crowded(settings.runs()) if word == CROWDED else word for word in command))
    found = json.loads(weft("advise", "last", "--json"))
    keys = ("family", "change", "gain", "low", "high", "flags")
    lines = [{key: line[key] for key in keys} for line in found["lines"]]
    tried: list[Any] = []
    if lines and lines[0]["flags"]:
        tried = json.loads(weft("advise", found["run"], "--try", "1", "--repeat", str(rounds), "--json"))
    trial = {key: tried[0][key] for key in ("old", "new", "real", "held")} if tried else None
    return {
        "remedy": family,
        "run": found["run"],
        "seconds": found["measured"],
        "lines": lines,
        "tried": trial,
    }


if __name__ == "__main__":
    run_guarded(main)
