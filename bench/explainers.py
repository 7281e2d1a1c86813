"""Gives the event logs of jobs with a known defect, and of healthy ones, to weft and to other tools, and keeps their answers."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import otherexplainers
from figures import rows, tables
from figures.diagnosis import Finding
from figures.rows import Row
from otherexplainers import Asked, HistoryServer

from weft.cli.guard import run_guarded

HERE = Path(__file__).parent
WEFT = HERE.parent / "weft"
TABLE = "explainers"
OWN, IMPORTED = "weft, its own record", "weft, the event log"
TRUTH = HERE.parent / "tests" / "truth" / "python"
NODES = ("--nodes", "virtual:2,cores=1")
ONE = ("--nodes", "virtual:1,cores=1")
PROBES = ("--set", "probes=proc,threads,engine,python,fileops")
LUSTRE = ("--scratch", "delayed:lustre")
JAR = "the jar of a job that crowds its heap"
FOLDER = "an empty folder"


def _run(workload: str, *words: str) -> tuple[str, ...]:
    return ("run", workload, *words, *PROBES)


def _submit(program: Path | str, *arguments: str, words: tuple[str, ...] = NODES) -> tuple[str, ...]:
    return ("submit", *words, *PROBES, "--", str(program), *arguments)


def _defect(name: str, *words: str) -> tuple[str, ...]:
    return _submit(HERE / "defects.py", name, FOLDER, words=(*NODES, *words))


CELLS: dict[str, tuple[tuple[str, ...], str]] = {
    "1,600 small blocks on `delayed:lustre`": (
        _run("groupby", *NODES, *LUSTRE, "--set", "mappers=40", "--set", "pairs=200"),
        "small blocks",
    ),
    "one partition of TeraSort": (
        _run("terasort", *NODES, "--size", "200MB", "--set", "partitions=1"),
        "few tasks",
    ),
    "a heap that is nearly full": (
        _submit(JAR, "4", "320", "8", words=(*NODES, "--set", "engine.executor_memory=600MB")),
        "full heap",
    ),
    "links of 20 Mbit/s": (
        _run("terasort", "--nodes", "virtual:2,cores=1,rate=20mbit", "--size", "100MB"),
        "slow links",
    ),
    "SQL: 70 % of the rows in one of 4 partitions": (
        _submit(HERE / "skewed.py", "500000", words=(*NODES, "--set", "spark.sql.shuffle.partitions=4")),
        "skew",
    ),
    "SQL: 2,000 partitions of few rows": (_defect("partitions"), "many tasks"),
    "SQL: a sort that spills": (_defect("spill", "--set", "engine.executor_memory=700MB"), "spill"),
    # nodes of their own namespaces do not see the folder
    "SQL: a table of 4,000 files": (
        _submit(HERE / "defects.py", "files", FOLDER, words=("--nodes", "local:2")),
        "small files",
    ),
    "PySpark: the driver computes alone": (_defect("driver"), "driver"),
    "PySpark: 2,000 files to import on `delayed:lustre`": (
        _submit(TRUTH / "imports.py", "2", "2000", words=(*ONE, *LUSTRE)),
        "imports",
    ),
    "PySpark: 2 million rows to Python and back": (_submit(TRUTH / "rows.py", "4", "500000"), "exchange"),
    "PySpark: a function that sleeps": (_submit(TRUTH / "sleep.py", "4", "6"), "function waits"),
    "PySpark: a function that computes": (_submit(TRUTH / "spin.py", "4", "6"), "function computes"),
    "none: TeraSort in memory": (_run("terasort", *NODES, "--size", "200MB", "--scratch", "memory"), ""),
    "none: pi": (_run("pi", *NODES, "--set", "points=2000000000"), ""),
    "none: SQL": (_defect("healthy"), ""),
}
"""By job: the command, and its cause in figures/diagnosis.py; empty where nothing is to be changed."""


def main() -> None:
    """A row for each job and repetition that has none yet. Raises MissingError before the first job if no other tool can be installed."""
    parser = argparse.ArgumentParser(prog="bench/explainers", description=__doc__)
    parser.add_argument("--only", default="", help="jobs whose name contains this")
    parser.add_argument("--repeat", type=int, default=1, help="runs of each job (default 1)")
    parser.add_argument("--again", action="store_true", help="begin again")
    given = parser.parse_args()
    programs = otherexplainers.programs()
    os.environ["WEFT_RUNS"] = str(Path(os.environ.get("WEFT_RUNS", "runs")).absolute())
    if given.again:
        rows.write(TABLE, [])
    done = {(row["cell"], row["repeat"]) for row in rows.read(TABLE)}
    with otherexplainers.history_server() as server:
        for repeat in range(given.repeat):
            for cell, (command, cause) in CELLS.items():
                if (cell, repeat) not in done and given.only in cell:
                    about = {"cell": cell, "repeat": repeat, "cause": cause}
                    rows.kept(TABLE, say, partial(answers, command, programs, server), **about)
    print("\n".join(tables.lines(TABLE) or []))


def answers(command: tuple[str, ...], programs: Path, server: HistoryServer) -> Row:
    """What each tool says of one run, from weft's record or from the engine's event log."""
    with tempfile.TemporaryDirectory(prefix="weft-bench.") as folder:
        weft(*(crowded() if word == JAR else folder if word == FOLDER else word for word in command))
        record = Path(json.loads(weft("show", "last", "--json"))["directory"])
        found = {OWN: first_screen(json.loads(weft("explain", "last", "--json")))}
        (log,) = (record / "engine").glob("app-*")
        imported = str(Path(folder) / "imported")
        weft("import", str(log), WEFT_RUNS=imported)
        found[IMPORTED] = first_screen(json.loads(weft("explain", "last", "--json", WEFT_RUNS=imported)))
        asked = Asked(programs, server.url, server.show(log), log, Path(folder))
        found |= {name: ask(asked) for name, ask in otherexplainers.TOOLS.items()}
    answers = {name: [asdict(finding) for finding in each] for name, each in found.items()}
    return {"run": record.name, "answers": answers}


def first_screen(explanation: dict[str, Any]) -> list[Finding]:
    """What took most of the job's time, and the one thing to try; smaller parts, and those of no verdict, are asides."""
    most, _, then = explanation["sentence"].partition("; then ")
    most, _, known = most.partition(" What has:")
    main = [most, *(f"Try {tried['change']}" for tried in [explanation["trying"]] if tried)]
    asides = [part for text in (then, known) for part in text.split(", ") if part]
    return [*map(Finding, main), *(Finding(part, aside=True) for part in asides)]


def crowded() -> str:
    """Compiled below the records."""
    environment = {**os.environ, "PYTHONPATH": f"{HERE.parent / 'src'}:{HERE.parent / 'tools'}:{HERE.parent}"}
    python = [HERE.parent / "tools" / "python", HERE.parent / "requirements-dev.lock", "-P"]
    argv = [*map(str, python), "-m", "tests.truth.programs", os.environ["WEFT_RUNS"]]
    done = subprocess.run(argv, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.splitlines()[-1]


def weft(*arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [WEFT, *arguments], env={**os.environ, **environment}, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    run_guarded(main)
