"""Runs jobs with a known defect, and one without; asks `weft advise` for the remedy, tries it, and keeps both gains."""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from figures import rows, tables
from figures.rows import Row

HERE = Path(__file__).parent
WEFT = HERE.parent / "weft"
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


def main() -> int:
    """A row for each defect and repetition that has none yet."""
    parser = argparse.ArgumentParser(prog="bench/advised", description=__doc__)
    parser.add_argument("--only", default="", help="defects whose name contains this")
    parser.add_argument(
        "--repeat", type=int, default=1, help="runs of each job, each with advice of its own (default 1)"
    )
    parser.add_argument(
        "--rounds", type=int, default=2, help="runs with and without a change that is tried (default 2)"
    )
    parser.add_argument("--again", action="store_true", help="begin again")
    given = parser.parse_args()
    os.environ.setdefault("WEFT_RUNS", "runs")
    if given.again:
        rows.write(TABLE, [])
    done = {(row["cell"], row["repeat"]) for row in rows.read(TABLE)}
    for repeat in range(given.repeat):
        for defect, (command, family) in CELLS.items():
            if (defect, repeat) in done or given.only not in defect:
                continue
            about = {"cell": defect, "repeat": repeat, "remedy": family}
            try:
                rows.kept(TABLE, say, partial(asked, command, given.rounds), **about)
            except subprocess.CalledProcessError as error:
                say(f"{defect}: {error}")
    print("\n".join(tables.lines(TABLE) or []))
    return 0


def asked(command: tuple[str, ...], rounds: int) -> Row:
    """A run, the advice on it, and what the first line gained when it was tried."""
    weft(*(crowded() if word == CROWDED else word for word in command))
    found = json.loads(weft("advise", "last", "--json"))
    keys = ("family", "change", "gain", "low", "high", "flags")
    lines = [{key: line[key] for key in keys} for line in found["lines"]]
    tried: list[Any] = []
    if lines and lines[0]["flags"]:
        tried = json.loads(weft("advise", found["run"], "--try", "1", "--repeat", str(rounds), "--json"))
    trial = {key: tried[0][key] for key in ("old", "new", "real", "held")} if tried else None
    return {"run": found["run"], "seconds": found["measured"], "lines": lines, "tried": trial}


def crowded() -> str:
    """Compiled beside the records, since advice is tried by running a record's job again."""
    environment = {**os.environ, "PYTHONPATH": f"{HERE.parent / 'src'}:{HERE.parent / 'tools'}:{HERE.parent}"}
    python = [HERE.parent / "tools" / "python", HERE.parent / "requirements-dev.lock", "-P"]
    argv = [*map(str, python), "-m", "tests.truth.programs", str(Path(os.environ["WEFT_RUNS"]).absolute())]
    done = subprocess.run(argv, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.splitlines()[-1]


def weft(*arguments: str) -> str:
    done = subprocess.run([WEFT, *arguments], check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
