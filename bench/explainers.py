"""Gives the event logs of jobs with a known defect, and of healthy ones, to weft and to other tools, and keeps their answers."""

import json
import tempfile
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import otherexplainers
from commands import ROOT, crowded, weft
from figures import cells
from figures.diagnosis import Finding
from figures.rows import Row
from otherexplainers import Asked, HistoryServer

from weft.cli.guard import run_guarded
from weft.host import settings

HERE = Path(__file__).parent
TABLE = "explainers"
OWN, IMPORTED = "weft, its own record", "weft, the event log"
TRUTH = ROOT / "tests" / "truth" / "python"
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
    given = cells.options("bench/explainers", __doc__).parse_args()
    programs = otherexplainers.programs()
    with otherexplainers.history_server() as server:
        jobs = [cells.cell(name, partial(answers, *job, programs, server)) for name, job in CELLS.items()]
        cells.measure(TABLE, jobs, given)


def answers(command: tuple[str, ...], cause: str, programs: Path, server: HistoryServer, _: int) -> Row:
    """What each tool says of one run, from weft's record or from the engine's event log."""
    with tempfile.TemporaryDirectory(prefix="weft-bench.") as folder:
        weft(
            *(
                crowded(settings.runs()) if word == JAR else folder if word == FOLDER else word
                for word in command
            )
        )
        record = Path(json.loads(weft("show", "last", "--json"))["directory"])
        found = {OWN: first_screen(json.loads(weft("explain", "last", "--json")))}
        (log,) = (record / "engine").glob("app-*")
        imported = str(Path(folder) / "imported")
        weft("import", str(log), WEFT_RUNS=imported)
        found[IMPORTED] = first_screen(json.loads(weft("explain", "last", "--json", WEFT_RUNS=imported)))
        asked = Asked(programs, server.url, server.show(log), log, Path(folder))
        found |= {name: ask(asked) for name, ask in otherexplainers.TOOLS.items()}
    answers = {name: [asdict(finding) for finding in each] for name, each in found.items()}
    return {"cause": cause, "run": record.name, "answers": answers}


def first_screen(explanation: dict[str, Any]) -> list[Finding]:
    """What took most of the job's time, and the one thing to try; smaller parts, and those of no verdict, are asides."""
    most, _, then = explanation["sentence"].partition("; then ")
    most, _, known = most.partition(" What has:")
    main = [most, *(f"Try {tried['change']}" for tried in [explanation["trying"]] if tried)]
    asides = [part for text in (then, known) for part in text.split(", ") if part]
    return [*map(Finding, main), *(Finding(part, aside=True) for part in asides)]


if __name__ == "__main__":
    run_guarded(main)
