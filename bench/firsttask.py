"""Seconds from the start of a command to its first task: `weft run` on a new cluster; `weft run --to` and `weft submit --to` on one that stands.

The times of tasks are the engine's own. With --other, each run is beside the same one of another checkout of weft; which is first alternates.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from commands import alternated, commit
from figures import rows, tables
from figures.cells import say
from figures.rows import Row

from weft.analysis.read.sources import Sources
from weft.host import settings
from weft.host.provision import distribution, jars
from weft.record import record

TABLE = "first-task"
ENGINES = ("spark", "flink", "hadoop")
NODES = ("--nodes", "local:2")
RUN, ON, READY, TO = "run", "run --to", "run --to, application ready", "submit --to"
JOINED = ("spark",)
"""Engines that measure a run on a persistent cluster, and that can have an application ready for it."""
BOOT = 15.0
"""Seconds after a run until the next one finds an application that is ready again."""
NAME = "first-task"
JOB = ("--points", "1000", "--tasks", "2", "--executors", "0")


@dataclass(frozen=True)
class Weft:
    """A checkout of weft, with records and state of its own."""

    which: str
    """this or other."""
    source: Path
    commit: str
    folder: Path

    def asked(self, *argv: str) -> tuple[str, float]:
        """What a command printed; and the CPU time in seconds of it and of all that it waited for. Ends the benchmark if it fails."""
        own = {"WEFT_RUNS": str(self.folder / "runs"), "WEFT_STATE": str(self.folder / "state")}
        self.folder.mkdir(exist_ok=True)
        with (self.folder / "out").open("w+") as out, (self.folder / "errors").open("w+") as errors:
            command = [str(self.source / "weft"), *argv]
            done = subprocess.Popen(command, env={**os.environ, **own}, stdout=out, stderr=errors)
            _, status, used = os.wait4(done.pid, 0)
            done.returncode = os.waitstatus_to_exitcode(status)
            for file in (out, errors):
                file.seek(0)
            if done.returncode:
                sys.exit(f"weft {' '.join(argv)}: {errors.read()}")
            return out.read(), used.ru_utime + used.ru_stime


def main() -> int:
    """A row for each command."""
    parser = argparse.ArgumentParser(prog="bench/run first-task", description=__doc__)
    parser.add_argument("--repeat", type=int, default=5, help="of each command (default 5)")
    parser.add_argument(
        "--only",
        default="",
        help="the command of this name, such as `spark run`, or those whose names contain it",
    )
    parser.add_argument("--other", type=Path, help="another checkout of weft, to compare with")
    given = parser.parse_args()
    sources = {"this": settings.SOURCE, **({"other": given.other.resolve()} if given.other else {})}
    chosen = of_name(given.only)
    with tempfile.TemporaryDirectory(prefix="weft-bench.") as name:
        wefts = [Weft(which, path, commit(path), Path(name) / which) for which, path in sources.items()]
        for engine in dict.fromkeys(engine for engine, _ in chosen):
            for one in wefts:  # the first two runs of a checkout download, build and archive
                for _ in range(2):
                    one.asked(*fresh(engine))
        drop(*(each for each in chosen if each[1] == RUN))
        for repeat in range(given.repeat):
            for engine in (engine for engine, how in chosen if how == RUN):
                for one in alternated(wefts, repeat):
                    about = {"cell": cell(engine, RUN, one), "repeat": repeat, "of": one.commit}
                    say_row(rows.kept(TABLE, say, partial(ran, one, engine), **about))
        for found in on_running(wefts, chosen, given.repeat):
            drop(*{(row["cell"]["engine"], row["cell"]["command"]) for row in found})
            for row in found:
                say_row(rows.append(TABLE, row))
    print("\n".join(tables.lines(TABLE) or []))
    return 0


def of_name(only: str) -> list[tuple[str, str]]:
    """The engines and commands of this name, or whose names contain it."""
    joined = [(engine, how) for engine in JOINED for how in (ON, READY)]
    names = {
        f"{engine} {how}": (engine, how)
        for engine in ENGINES
        for how in (RUN, ON, READY, TO)
        if how not in {ON, READY} or (engine, how) in joined
    }
    return [names[only]] if only in names else [one for name, one in names.items() if only in name]


def drop(*commands: tuple[str, str]) -> None:
    """Remove the rows of commands that are measured again, by engine and command; those of others stay."""
    rows.drop(TABLE, lambda row: (row["cell"]["engine"], row["cell"]["command"]) in commands)


def cell(engine: str, how: str, weft: Weft) -> dict[str, str]:
    """The coordinates of a row."""
    return {"engine": engine, "command": how, "weft": weft.which}


def fresh(engine: str) -> list[str]:
    """A sort of 10 MB on a new cluster."""
    return ["run", "terasort", "--engine", engine, *NODES, "--size", "10MB", "--json"]


def ran(weft: Weft, engine: str, *to: str) -> Row:
    """Such a sort, with the parts of its time until the first task; `to`: the option for a cluster that stands."""
    began, argv = time.time(), fresh(engine)
    printed, cpu = weft.asked(*([word for word in argv if word not in NODES] if to else argv), *to)
    path = Path(json.loads(printed)["record"])
    at = {(each["event"], each.get("phase")): float(each["t"]) for each in events(path)}
    marks = [
        began,
        at["phase-begin", "start" if to else "acquire"],
        at["phase-end", "start"],
        at["phase-begin", "run"],
        first(tasks(path), began),
    ]
    return {**parts(("before", "cluster", "input", "job"), marks), "cpu_seconds": round(cpu, 2)}


def on_running(
    wefts: Sequence[Weft], chosen: Sequence[tuple[str, str]], repeat: int
) -> Iterator[Sequence[Row]]:
    """The rows of each command on a cluster that stands."""
    measured: dict[str, Callable[[Sequence[Weft], str, int], list[Row]]] = {
        ON: joined,
        READY: partial(joined, ready=True),
        TO: submitted,
    }
    for how, measure in measured.items():
        for engine in (engine for engine, asked in chosen if asked == how):
            yield measure(wefts, engine, repeat)


def joined(wefts: Sequence[Weft], engine: str, repeat: int, *, ready: bool = False) -> list[Row]:
    """Such sorts on a cluster of each checkout, which has an application ready or not; the one before makes the input, and reads files that nobody has read yet."""
    found = []
    how, options = (READY, ("--ready",)) if ready else (ON, ())
    with ExitStack() as running:
        for one in wefts:
            running.enter_context(cluster(one, engine, *options))
        for number in range(-1, repeat):
            for one in alternated(wefts, number):
                time.sleep(BOOT if ready else 0)
                about = {"cell": cell(engine, how, one), "repeat": number, "of": one.commit}
                before = rows.control(say)
                found.append({**about, **rows.here(), **before, **ran(one, engine, "--to", NAME)})
    return [row for row in found if row["repeat"] >= 0]


def submitted(wefts: Sequence[Weft], engine: str, repeat: int) -> list[Row]:
    """Jobs on a cluster of each checkout: counting points in a circle, by weft's own program, which any user could submit."""
    jar = jars.build({engine: distribution.expected(engine)}, (), say)[engine]
    found: list[tuple[Weft, Row, float, float]] = []
    with ExitStack() as running:
        paths = {one.which: running.enter_context(cluster(one, engine)) for one in wefts}
        for number in range(-1, repeat):
            for one in alternated(wefts, number):
                argv = ["submit", "--to", NAME, "--class", f"io.weft.{engine}.Pi", str(jar), *JOB]
                argv += ["--outcome", str(one.folder / "outcome.json")]
                about = {"cell": cell(engine, TO, one), "repeat": number, "of": one.commit}
                before, began = rows.control(say), time.time()
                _, cpu = one.asked(*argv)
                row = {**about, **rows.here(), **before, "cpu_seconds": round(cpu, 2)}
                found.append((one, row, began, time.time()))
    # some engines say when a task began only when their cluster ends
    known = {which: [started(path), tasks(path)] for which, path in paths.items()}
    return [
        {
            **row,
            **parts(("before", "job"), [began, *(first(times, began, end) for times in known[one.which])]),
        }
        for one, row, began, end in found
        if row["repeat"] >= 0  # the one before reads files that nobody has read yet
    ]


@contextmanager
def cluster(weft: Weft, engine: str, *options: str) -> Iterator[Path]:
    """A cluster that stands meanwhile; gives its record."""
    up = json.loads(weft.asked("up", *options, "--engine", engine, *NODES, "--name", NAME, "--json")[0])
    try:
        yield Path(up["record"])
    finally:
        weft.asked("down", NAME)


def parts(names: Sequence[str], marks: Sequence[float]) -> dict[str, object]:
    """All seconds between the first and the last mark, and those of each part."""
    between = [round(later - earlier, 3) for earlier, later in pairwise(marks)]
    return {"seconds": round(marks[-1] - marks[0], 3), "parts": dict(zip(names, between, strict=True))}


def events(path: Path) -> list[dict[str, Any]]:
    return record.read(path).events()


def started(path: Path) -> list[float]:
    """When each command on a cluster was started."""
    return [float(each["t"]) for each in events(path) if each["event"] == "command-started"]


def tasks(path: Path) -> list[float]:
    """When the tasks of a record began, in seconds since the epoch."""
    found = Sources(record.read(path)).metrics().every.select("begin").collect()
    return [float(each) for each in found["begin"].drop_nulls()]


def first(times: Sequence[float], began: float, ended: float = float("inf")) -> float:
    """The earliest of those within a command."""
    within = [each for each in times if began <= each <= ended]
    if not within:
        sys.exit("the record has no task of this command")
    return min(within)


def say_row(row: Row) -> None:
    say(f"{' '.join(row['cell'].values())}: {row['seconds']} s {row['parts']}")


if __name__ == "__main__":
    sys.exit(main())
