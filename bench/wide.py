"""weft itself at many tasks, records and hosts: seconds, CPU time and the most memory of its commands."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import longlog
import sshhosts
from figures import rows, tables

TABLE = "wide"
TASKS_OF_EXECUTOR = 50
"""So that 100,000 tasks are those of 2,000 executors."""
READ = ("explain", "report", "predict --nodes 4", "advise")
"""What is asked of an imported log."""
STARTED = "null,workers=6s"
"""Stand-ins that sleep about as long as a real worker takes to start."""


def main() -> int:
    """A row for each command and size, in place of earlier ones."""
    parser = argparse.ArgumentParser(prog="bench/run wide", description=__doc__)
    parser.add_argument("--tasks", type=sizes, default=[1_000, 10_000, 100_000], help="of an event log")
    parser.add_argument(
        "--records", type=sizes, default=[200, 2_000, 20_000], help="in one directory of runs"
    )
    parser.add_argument(
        "--hosts", type=sizes, default=[2, 64, 512], help="that a cluster of stand-ins starts on"
    )
    parser.add_argument("--together", type=sizes, default=[1, 10, 100], help="runs that are started at once")
    parser.add_argument("--repeat", type=int, default=3, help="rounds over all of it (default 3)")
    given = parser.parse_args()
    rows.write(TABLE, [])
    for repeat in range(given.repeat):
        with tempfile.TemporaryDirectory(prefix="weft-bench.") as folder:
            state = {**os.environ, "WEFT_RUNS": f"{folder}/runs", "WEFT_STATE": f"{folder}/state"}
            bench = Bench(Path(folder), state, repeat)
            for parts, measure in (
                (given.tasks, bench.log),
                (given.records, bench.records),
                (given.hosts, bench.hosts),
                (given.together, bench.together),
            ):
                for size in parts:
                    measure(size)
    print("\n".join(tables.lines(TABLE) or []))
    return 0


def sizes(text: str) -> list[int]:
    """Numbers between commas; none of an empty text."""
    return [int(word) for word in text.split(",") if word]


class Bench:
    """One round, with records of its own."""

    def __init__(self, folder: Path, state: Mapping[str, str], repeat: int) -> None:
        self.folder, self.state, self.repeat = folder, state, repeat

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
            sys.exit(f"weft runs --json has {found} of {count} records")
        shutil.rmtree(runs)

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
            sys.exit(f"{count} hosts: {ended}")
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
                sys.exit(f"{count} runs at once: {out}{error}")
        seconds = round(time.monotonic() - began, 2)
        self.row("together", count, "run", before, {"seconds": seconds, "cpu": None, "memory": None})

    def kept(self, what: str, size: int, command: str, *argv: str, **own: str) -> str:
        """Runs weft, keeps what it took and returns what it printed."""
        before = rows.control(say)
        out, taken = self.asked(*argv, **own)
        self.row(what, size, command, before, taken)
        return out

    def row(
        self, what: str, size: int, command: str, before: rows.Row, taken: Mapping[str, float | None]
    ) -> None:
        cell = {"what": what, "size": size, "command": command}
        rows.append(TABLE, {"cell": cell, "repeat": self.repeat, **rows.here(), **before, **taken})
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
                sys.exit(f"weft {' '.join(argv)}: {error.read()}")
            taken: dict[str, float | None] = {
                "seconds": round(seconds, 2),
                "cpu": round(used.ru_utime + used.ru_stime, 2),
                "memory": used.ru_maxrss * 1024,
            }
            return out.read(), taken


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
