"""Reading /proc: the counters of a real child process go to its node."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.fakes import fake_nodes
from tests.processes import child as started
from tests.processes import own, says, tell
from weft.adapters.probes import proc, threads
from weft.adapters.probes.proc import HOST, SOURCES, Reader
from weft.host.programs import marks
from weft.host.programs.exec import _descendants as descendants
from weft.record import samples
from weft.record.record import process_start

RUN = own("run")

BUSY = """
import sys
data = open('/dev/zero', 'rb').read(50_000_000)
end = __import__('time').process_time() + 0.2
while __import__('time').process_time() < end: pass
print('done', flush=True)
sys.stdin.read()
"""


@pytest.fixture
def child() -> Iterator["subprocess.Popen[str]"]:
    """A child of node2 that has used CPU and memory and waits."""
    environment = {**os.environ, marks.LEASE: RUN, marks.NODE: "node2"}
    with started(sys.executable, "-c", BUSY, env=environment) as process:
        assert says(process) == "done\n"
        yield process


def reader() -> Reader:
    return Reader({node.name: node for node in fake_nodes()}, RUN)


def test_a_child_counts_for_its_node(child: "subprocess.Popen[str]") -> None:
    found = {(s.node, s.process, s.counter): s.value for s in reader().read()}
    label = f"{Path(sys.executable).resolve().name}/{child.pid}"
    labels = {process for node, process, _ in found if node == "node2" and process}
    assert len(labels) == 1, labels
    assert labels.pop().endswith(f"/{child.pid}"), label
    assert found["node2", "", "cpu_user"] + found["node2", "", "cpu_system"] >= 0.2
    assert found["node2", "", "memory"] > 50_000_000
    assert found["node2", "", "read_calls"] >= 50_000_000
    assert ("node1", "", "cpu_user") not in found


def test_a_daemon_of_no_node_is_the_machines_and_in_no_sum() -> None:
    """As latencyfs, which serves all nodes."""
    environment = {key: value for key, value in os.environ.items() if key != marks.NODE}
    with started(sys.executable, "-c", BUSY, env={**environment, marks.LEASE: RUN}) as process:
        assert says(process) == "done\n"
        found = [s for s in reader().read() if s.process.endswith(f"/{process.pid}")]
    assert {s.node for s in found} == {HOST}
    used = {s.counter: s.value for s in found}
    assert used["cpu_user"] + used["cpu_system"] >= 0.2
    sums = {(s.node, s.counter) for s in reader().read() if not s.process and s.node != HOST}
    assert ("node1", "read_calls") not in sums


def test_what_a_process_used_stays_when_it_is_gone(child: "subprocess.Popen[str]") -> None:
    eyes = reader()
    before = {s.counter: s.value for s in eyes.read() if s.node == "node2" and not s.process}
    child.kill()
    child.wait()
    time.sleep(0.01)
    after = {s.counter: s.value for s in eyes.read() if s.node == "node2" and not s.process}
    assert after["cpu_user"] == before["cpu_user"]
    assert after["read_calls"] == before["read_calls"]
    assert "memory" not in after


def test_a_process_whose_parent_waited_for_it_counts_once() -> None:
    """The kernel adds what it read to its parent's."""
    inner = "print('reads', flush=True); open('/dev/zero', 'rb', 0).read(50_000_000); print('done', flush=True); input()"
    outer = (
        "import subprocess, sys\n"
        f"subprocess.run([sys.executable, '-c', {inner!r}])\n"
        "print('waited', flush=True)\nsys.stdin.read()"
    )
    environment = {**os.environ, marks.LEASE: RUN, marks.NODE: "node2"}
    eyes = reader()

    def read() -> float:
        return next(
            s.value for s in eyes.read() if (s.node, s.process, s.counter) == ("node2", "", "read_calls")
        )

    with started(sys.executable, "-c", outer, env=environment) as process:
        assert [says(process), says(process)] == ["reads\n", "done\n"]
        assert 50_000_000 <= read() < 60_000_000
        tell(process)
        assert says(process) == "waited\n"
        assert 50_000_000 <= read() < 60_000_000


INNER = "open('/dev/zero', 'rb', 0).read(50_000_000); print('done', flush=True); input()"
OUTER = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {INNER!r}]); sys.stdin.read()"


def test_a_process_that_ends_between_two_passes_of_one_reading_counts_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its parent was read before it had the child's sums, and the child is gone when it is its turn."""
    environment = {**os.environ, marks.LEASE: RUN, marks.NODE: "node2"}
    eyes, process = reader(), proc._process
    with started(sys.executable, "-c", OUTER, env=environment) as parent:
        assert says(parent) == "done\n"
        (child,) = psutil.Process(parent.pid).children()

        def read_and_end(pid: int) -> tuple[int, dict[str, float]] | None:
            seen = process(pid)
            if pid == parent.pid and child.is_running():
                tell(parent)
                while psutil.pid_exists(child.pid):
                    time.sleep(0.01)
            return seen

        def read() -> float:
            return next(
                s.value for s in eyes.read() if (s.node, s.process, s.counter) == ("node2", "", "read_calls")
            )

        before = read()
        monkeypatch.setattr(proc, "_process", read_and_end)
        after = read()
    assert 50_000_000 <= before <= after < 60_000_000


@pytest.mark.usefixtures("child")
def test_processes_of_another_run_do_not_count() -> None:
    other = Reader({node.name: node for node in fake_nodes()}, "OTHER")
    assert [s for s in other.read() if s.node != HOST] == []


ANY_BYTES = """
import ctypes, sys
ctypes.CDLL(None).prctl(15, b'ray::gr\\xc3\\xb6sse_\\xc3', 0, 0, 0)
print('there', flush=True)
sys.stdin.read()
"""
"""Its name ends in half of a letter, as the kernel cuts names after 15 bytes."""


def test_a_process_with_any_bytes_in_its_name_and_arguments_counts() -> None:
    environment = {**os.environ, marks.LEASE: RUN, marks.NODE: "node2"}
    with started(sys.executable, "-c", ANY_BYTES, os.fsdecode(b"\xff"), env=environment) as process:
        assert says(process) == "there\n"
        assert b"\xc3\n" in Path(f"/proc/{process.pid}/comm").read_bytes()
        found = reader().read()
        assert [s.value > 0 for s in found if (s.node, s.process, s.counter) == ("node2", "", "memory")] == [
            True
        ]
        assert samples.lines(found).encode()
        assert threads.own_pid(process.pid) == process.pid
        assert process.pid in descendants()
        assert process_start(process.pid)


@pytest.mark.usefixtures("child")
def test_every_counter_names_its_source() -> None:
    assert {s.counter for s in reader().read()} <= set(SOURCES)
    assert all(source.unit and source.source for source in SOURCES.values())


def test_counters_of_the_host_only_grow() -> None:
    eyes = reader()
    first = {s.counter: s.value for s in eyes.read() if s.node == HOST}
    second = {s.counter: s.value for s in eyes.read() if s.node == HOST}
    assert first.keys() == second.keys() >= {"cpu_user", "cpu_system", "idle", "iowait"}
    assert all(second[name] >= first[name] for name in first if name != "iowait")
