"""Real engines on this machine: run the command, look at what it did."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from weft.host.provision import classdata, distribution, jdk
from weft.run.provisioning import downloaded

SOURCE = Path(__file__).parents[2] / "src"

SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Compiling well costs the many small runs of these tests more than it brings them: a third of their CPU time."""


SUM = """
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Sum {
    public static void main(String[] args) throws Exception {
        var flink = StreamExecutionEnvironment.getExecutionEnvironment();
        long sum = 0;
        for (long number : flink.fromSequence(1, Long.parseLong(args[0])).executeAndCollect(1000)) {
            sum += number;
        }
        System.out.println("sum " + sum);
    }
}
"""
"""A job for Flink of a user's own: it prints the sum of the numbers up to one."""


@dataclass
class Weft:
    """The command line, with directories of its own."""

    home: Path
    started: list["subprocess.Popen[str]"] = field(default_factory=list, init=False)
    left: list[str] = field(default_factory=list, init=False)
    """Clusters that `end` found running."""

    def __post_init__(self) -> None:
        """A first run with an engine has no class-data archive: no test is to be the one that has it."""
        for name in downloaded():
            if not classdata.known(name):
                classdata.leave(name)

    @property
    def environment(self) -> dict[str, str]:
        own = {"WEFT_RUNS": "runs", "WEFT_STATE": "state", "WEFT_WORK": "work"}
        return {
            **os.environ,
            "PYTHONPATH": str(SOURCE),
            "JAVA_TOOL_OPTIONS": os.environ.get("JAVA_TOOL_OPTIONS", SHORT_LIVED),
            **{key: str(self.home / name) for key, name in own.items()},
        }

    def start(self, *words: str, **environment: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-m", "weft", *words],
            env={**self.environment, **environment},
            cwd=self.home,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.started.append(process)
        return process

    def end(self) -> None:
        """End the commands and clusters that a failed test left running, so that the next does not fail for them."""
        for process in self.started:
            if process.poll() is None:
                process.terminate()
            process.communicate(timeout=100)
        if any((self.home / "state" / "clusters").glob("*.lock")):
            self.left += re.findall(r"^(\S+) has ended$", self("down", "--all").stdout, re.MULTILINE)

    def __call__(self, *words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        process = self.start(*words, **environment)
        out, err = process.communicate(timeout=500)
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def result(self, *words: str) -> dict:
        """What `--json` prints; the command may have failed."""
        done = self(*words, "--json")
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    def record(self) -> Path:
        """The newest record."""
        return max((self.home / "runs").iterdir())

    def head(self) -> dict:
        return json.loads((self.record() / "record.json").read_text())

    def wait_for(
        self, process: "subprocess.Popen[str]", condition: Callable[[], object], seconds: float = 120
    ) -> object:
        """Wait until something holds while the command runs."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if found := condition():
                    return found
            except (OSError, IndexError, ValueError, psutil.Error):
                pass
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
        raise AssertionError(f"waited {seconds} s in vain")

    def processes(self, word: str) -> list[psutil.Process]:
        """Processes of the newest run whose command line has a word."""
        mark = f"WEFT_LEASE={self.record().name}".encode()
        found = []
        for pid in psutil.pids():
            try:
                if mark in Path(f"/proc/{pid}/environ").read_bytes():
                    process = psutil.Process(pid)
                    found += [process] if any(word in part for part in process.cmdline()) else []
            except (OSError, psutil.Error):
                continue
        return found

    def kill(self, pid: int) -> None:
        """Kill a command with its cleanup watchdog, so that what it holds is left to `weft clean`."""
        for process in psutil.Process(pid).children():
            if "weft.host.watchdog" in " ".join(process.cmdline()):
                process.kill()
        psutil.Process(pid).kill()

    @property
    def names(self) -> list[str]:
        return [path.name for path in (self.home / "runs").glob("*")]

    def alive(self) -> list[str]:
        """Processes of any run in this home."""
        marks = {f"WEFT_LEASE={name}".encode() for name in self.names}
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            try:
                if marks & set(path.read_bytes().split(b"\0")):
                    found.append(f"process {path.parent.name}")
            except OSError:
                continue
        return found

    def leftovers(self) -> list[str]:
        """Clusters, processes, mounts, loop devices, control groups, directories of any run in this home."""
        found = [*(f"cluster {name}" for name in self.left), *self.alive()]
        found += [
            line for line in Path("/proc/self/mounts").read_text().splitlines() if str(self.home) in line
        ]
        groups = [path for path, _, _ in os.walk("/sys/fs/cgroup")]  # others come and go meanwhile
        found += [path for name in self.names for path in groups if f"/weft-{name}" in path]
        for path in Path("/sys/block").glob("loop*/loop/backing_file"):
            with suppress(OSError):  # another command has detached it meanwhile
                found += [f"loop device {path}"] if str(self.home) in path.read_text() else []
        found += [str(path) for name in self.names for path in Path("/dev/shm").glob(f"*{name}*")]
        found += [str(path) for folder in ("work", "state/leases") for path in (self.home / folder).glob("*")]
        return found

    def require_nothing_left(self) -> None:
        """Fail if a run left something behind, once that is removed for the tests after this one."""
        if found := self.leftovers():
            self("gc")
        assert found == [], "a run left something behind"


@pytest.fixture
def weft(tmp_path: Path) -> Iterator[Weft]:
    command = Weft(tmp_path)
    yield command
    command.end()
    command.require_nothing_left()


def in_phase(weft: Weft, phase: str) -> bool:
    return weft.head().get("phase") == phase


def kill(process: psutil.Process) -> None:
    process.send_signal(signal.SIGKILL)


def written_to_scratch(record: Path) -> int:
    """Bytes, by all processes that the fileops probe saw."""
    files = (json.loads(path.read_text()) for path in (record / "fileops").glob("*.json"))
    processes = [process["classes"].get("scratch", {}) for node in files for process in node["processes"]]
    return sum(counters.get("write", {}).get("bytes", 0) for counters in processes)


@pytest.fixture
def sum_jar(tmp_path: Path) -> Path:
    """A user's own job, compiled against the distribution."""
    source = tmp_path / "Sum.java"
    source.write_text(SUM)
    home, tools = distribution.home("flink", print), jdk.java().parent
    classes = tmp_path / "classes"
    subprocess.run([tools / "javac", "-cp", f"{home}/lib/*", "-d", classes, source], check=True)
    made = tmp_path / "sum.jar"
    subprocess.run([tools / "jar", "-cfe", made, "Sum", "-C", classes, "."], check=True)
    return made
