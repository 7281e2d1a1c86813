"""weft itself at many tasks, records and hosts: seconds, CPU time and the most memory of its commands."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import longlog
import sshhosts
from figures import cells, rows
from figures.cells import Cell, say
from figures.rows import Row

from weft.cli.guard import run_guarded
from weft.errors import WorkloadError

TABLE = "wide"
TASKS_OF_EXECUTOR = 50
"""So that 100,000 tasks are those of 2,000 executors."""
READ = ("explain", "report", "predict --nodes 4", "advise")
"""What is asked of an imported log."""
STARTED = "null,workers=6s"
"""Stand-ins that sleep about as long as a real worker takes to start."""


def main() -> None:
    """A row for each command and size."""
    parser = cells.options("bench/run wide", __doc__, repeat=3)
    parser.add_argument("--tasks", type=sizes, default=[1_000, 10_000, 100_000], help="of an event log")
    parser.add_argument(
        "--records", type=sizes, default=[200, 2_000, 20_000], help="in one directory of runs"
    )
    parser.add_argument(
        "--hosts", type=sizes, default=[2, 64, 512], help="that a cluster of stand-ins starts on"
    )
    parser.add_argument("--together", type=sizes, default=[1, 10, 100], help="runs that are started at once")
    given = parser.parse_args()
    parts: dict[str, tuple[list[int], Callable[[Bench, int], None]]] = {
        "tasks": (given.tasks, Bench.log),
        "records": (given.records, Bench.records),
        "hosts": (given.hosts, Bench.hosts),
        "together": (given.together, Bench.together),
    }
    every = [
        Cell(f"{what} {size}", {"cell": {"what": what, "size": size}}, partial(measured, measure, size))
        for what, (wanted, measure) in parts.items()
        for size in wanted
    ]
    cells.measure(TABLE, every, given)


def measured(measure: "Callable[[Bench, int], None]", size: int, _: int) -> list[Row]:
    """A row for each command of one size, with records of its own."""
    with tempfile.TemporaryDirectory(prefix="weft-bench.") as folder:
        bench = Bench(Path(folder))
        measure(bench, size)
        return bench.rows


def sizes(text: str) -> list[int]:
    """Numbers between commas; none of an empty text."""
    return [int(word) for word in text.split(",") if word]


class Bench:
    """What is asked of weft at one size, and what it took."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state = {**os.environ, "WEFT_RUNS": f"{folder}/runs", "WEFT_STATE": f"{folder}/state"}
        self.rows: list[Row] = []

    def log(self, tasks: int) -> None:
        """Import of a generated event log, and what is read from its record."""
        executors = max(1, tasks // TASKS_OF_EXECUTOR)
        log = self.folder / f"app-{tasks}.zstd"
        longlog.write(log, longlog.lines(float("inf"), 1, executors, tasks))
        imported = self.kept("tasks", tasks, "import", "import", str(log), "--json")
        record = json.loads(imported)["id"]
        for command in READ:
            name, *options = command.split()
            self.kept("tasks", tasks, name, name, record, *options)

    def records(self, count: int) -> None:
        """The list of the runs in a directory that has so many, copies of one."""
        runs = self.folder / f"runs-{count}"
        runs.mkdir()
        longlog.write(self.folder / "one.zstd", longlog.lines(1, 1, 1))
        own = {"WEFT_RUNS": str(runs)}
        first = json.loads(self.asked("import", str(self.folder / "one.zstd"), "--json", **own)[0])["id"]
        for number in range(count - 1):
            made = runs / f"{first}-{number:05d}"
            shutil.copytree(runs / first, made, copy_function=os.link)
            # a file of its own, not a second name of the first one's
            (made / "record.json").unlink()
            text = (runs / first / "record.json").read_text()
            (made / "record.json").write_text(text.replace(first, made.name))
        for command in (["runs"], ["runs", "--json"]):
            shown = self.kept("records", count, " ".join(command), *command, **own)
        if (found := len(json.loads(shown))) != count:
            raise WorkloadError(f"weft runs --json has {found} of {count} records")

    def hosts(self, count: int) -> None:
        """A cluster of stand-ins on ssh servers of this machine, and the page of its record."""
        folder = self.folder / f"hosts-{count}"
        folder.mkdir()
        with sshhosts.hosts(count, folder) as config:
            nodes = f"ssh:host[1-{count}],cores=1,memory=1G,options=-F {config}"
            argv = [
                "run",
                "file-open",
                "--engine",
                STARTED,
                "--nodes",
                nodes,
                "--size",
                "8MB",
                "--set",
                "probes=null",
                "--json",
            ]
            argv += [word for key in ("reads", "files", "rounds") for word in ("--set", f"{key}=1")]
            ended = json.loads(self.kept("hosts", count, "run", *argv))
        if ended["verdict"] != "VALID":
            raise WorkloadError(f"{count} hosts: {ended}")
        self.kept("hosts", count, "report", "report", ended["id"])

    def together(self, count: int) -> None:
        """So many runs that are started at once."""
        argv = [
            sys.executable,
            "-m",
            "weft",
            "run",
            "file-open",
            "--engine",
            "null",
            "--size",
            "8MB",
            "--json",
        ]
        argv += [word for key in ("reads", "files", "rounds") for word in ("--set", f"{key}=1")]
        before, began = rows.control(say), time.monotonic()
        started = [
            subprocess.Popen(argv, env=self.state, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(count)
        ]
        for each in started:
            out, error = each.communicate()
            if each.returncode or json.loads(out)["verdict"] != "VALID":
                raise WorkloadError(f"{count} runs at once: {out}{error}")
        seconds = round(time.monotonic() - began, 2)
        taken = {"seconds": seconds, "cpu_seconds": None, "memory": None}
        self.row("together", count, "run", before, taken)

    def kept(self, what: str, size: int, command: str, *argv: str, **own: str) -> str:
        """Runs weft, keeps what it took and returns what it printed."""
        before = rows.control(say)
        out, taken = self.asked(*argv, **own)
        self.row(what, size, command, before, taken)
        return out

    def row(self, what: str, size: int, command: str, before: Row, taken: Mapping[str, float | None]) -> None:
        cell = {"what": what, "size": size, "command": command}
        self.rows.append({"cell": cell, **rows.here(), cells.CONTROL: before, **taken})
        say(f"{size:,} {what}, weft {command}: {taken['seconds']} s")

    def asked(self, *argv: str, **own: str) -> tuple[str, dict[str, float | None]]:
        """What weft prints, and the seconds, CPU time in seconds and bytes of memory at most that it took."""
        with (self.folder / "out").open("w+") as out, (self.folder / "error").open("w+") as error:
            began = time.monotonic()
            done = subprocess.Popen(
                [sys.executable, "-m", "weft", *argv], env={**self.state, **own}, stdout=out, stderr=error
            )
            _, status, used = os.wait4(done.pid, 0)
            seconds = time.monotonic() - began
            done.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            error.seek(0)
            if done.returncode:
                raise WorkloadError(f"weft {' '.join(argv)}: {error.read()}")
            taken: dict[str, float | None] = {
                "seconds": round(seconds, 2),
                "cpu_seconds": round(used.ru_utime + used.ru_stime, 2),
                "memory": used.ru_maxrss * 1024,
            }
            return out.read(), taken


if __name__ == "__main__":
    run_guarded(main)
