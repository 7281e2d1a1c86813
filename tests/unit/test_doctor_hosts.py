"""What `weft doctor --nodes` says of hosts, from what they answers of themselves."""

import fcntl
import os
import time
from dataclasses import replace
from typing import Any

import pytest

from weft.doctor import alike
from weft.doctor.answers import HostAnswers
from weft.doctor.finding import Finding
from weft.host.programs import examine

LOCKED = {"b": "refused"}


def host(name: str, address: str, **facts: Any) -> HostAnswers:
    answers: dict[str, Any] = {
        "name": name,
        "resolved": [address],
        "foreign": [],
        "lookup": 0.0,
        "networks": {"eth0": "255.255.255.0"},
        "java": 'openjdk version "17.0.17" 2025-10-21',
        "files": [1024, 1 << 20],
        "processes": [-1, -1],
        "ports": [32768, 60999],
        "fuse": "",
        "loop": "",
        "unwritten": {},
        "noexec": [],
        "free": {"shared": 1 << 40, "local": 1 << 40},
        "types": {"shared": "lustre", "local": "ext4"},
    }
    sees = {"shared": ["a", "b"], "local": [name]}
    return HostAnswers(name, address, {**answers, **facts}, {"eth0": address}, 8 << 30, sees=sees)


A, B = host("a", "10.0.0.1"), host("b", "10.0.0.2")


def judged(
    other: HostAnswers = B, locks: dict[str, str] = LOCKED, remaining: float | None = None
) -> dict[str, Finding]:
    return {found.name: found for found in alike.judge([A, other], "/shared", locks, remaining)}


def test_sound_hosts_have_no_fault() -> None:
    assert {
        name: found.status for name, found in judged(remaining=7200).items() if found.status != "ok"
    } == {}
    assert {found.found for found in judged().values() if not found.found} == set()


FAULTS = [
    ("java", "missing", host("b", "10.0.0.2", java="cannot run: No such file or directory")),
    ("java", "missing", host("b", "10.0.0.2", java='openjdk version "1.8.0_392"')),
    ("java", "limits", host("b", "10.0.0.2", java='openjdk version "21.0.1"')),
    ("host name", "limits", host("b", "10.0.0.2", resolved=["127.0.1.1"])),
    ("host name", "limits", host("b", "10.0.0.2", resolved=["10.9.0.2"], foreign=["10.9.0.2"])),
    ("host name", "limits", host("b", "10.0.0.2", resolved=[])),
    ("host name", "limits", host("b", "10.0.0.2", lookup=5.0)),
    ("networks", "limits", host("b", "10.0.7.2")),
    ("engine ports", "limits", replace(B, occupied=["8081 of spark's worker is taken"])),
    ("files in memory", "limits", host("b", "10.0.0.2", types={"local": "tmpfs"})),
    ("room", "limits", host("b", "10.0.0.2", free={"shared": 1 << 40, "local": 1 << 20})),
    ("programs", "missing", host("b", "10.0.0.2", noexec=["/cache"])),
    ("outgoing ports", "limits", host("b", "10.0.0.2", ports=[60000, 60999])),
    ("ulimit -n", "limits", host("b", "10.0.0.2", files=[256, 1024])),
    ("ulimit -u", "limits", host("b", "10.0.0.2", processes=[200, -1])),
    ("fuse", "limits", host("b", "10.0.0.2", fuse="fusermount3 is missing")),
    ("loop mounts", "limits", host("b", "10.0.0.2", loop="weft does not run as root")),
    ("writing", "missing", host("b", "10.0.0.2", unwritten={"shared": "Permission denied"})),
    ("clocks", "limits", replace(B, ahead=-40.0)),
    ("memory", "missing", replace(B, memory=1 << 30)),
    ("shared directory", "missing", replace(B, sees={"shared": ["b"], "local": ["b"]})),
    ("local directory", "limits", replace(B, sees={"shared": ["a", "b"], "local": ["a", "b"]})),
]


@pytest.mark.parametrize(("name", "status", "other"), FAULTS)
def test_a_fault_is_named_with_its_host_and_its_fix(name: str, status: str, other: HostAnswers) -> None:
    found = judged(other)
    assert {key: one.status for key, one in found.items() if one.status != "ok"} == {name: status}
    assert "b" in found[name].found
    assert found[name].costs
    assert found[name].fix


@pytest.mark.parametrize("why", ["got", "No locks available"])
def test_locks_that_one_host_alone_sees_are_a_fault(why: str) -> None:
    assert judged(locks={"b": why})["file locks"].status == "limits"


def test_little_wall_time_is_a_fault() -> None:
    assert judged(remaining=60)["wall time"].status == "limits"
    assert judged(remaining=60)["wall time"].found == "1 min left of the job"


def test_hosts_on_loopback_have_no_finding_about_networks() -> None:
    hosts = [host("a", "127.0.1.1"), host("b", "127.0.7.1")]
    found = {one.name: one.status for one in alike.judge(hosts, "/shared", LOCKED, None)}
    assert found["networks"] == "ok"


def test_a_clock_is_right_within_the_time_in_which_it_was_read() -> None:
    assert alike.ahead(5.0, 4.0, 6.0) == 0
    assert alike.ahead(9.0, 4.0, 6.0) == 3
    assert alike.ahead(1.0, 4.0, 6.0) == -3


def test_the_end_of_a_job_is_read_as_slurm_writes_it() -> None:
    end = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(1_000_000))
    assert alike.seconds_until(end, 999_400) == 600
    assert alike.seconds_until("Unknown", 0) is None


def test_a_lock_of_another_process_is_seen(tmp_path: Any) -> None:
    """A lock belongs to a process, so that the one that tries has to be another one."""
    path = str(tmp_path / "lock")
    ready, started = os.pipe()
    done, end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(end)
        with open(path, "w") as file:  # noqa: PTH123 - as the program does
            fcntl.lockf(file, fcntl.LOCK_EX)
            os.write(started, b"x")
            os.read(done, 1)
        os._exit(0)
    os.read(ready, 1)
    try:
        assert examine.lock(path) == "refused"
    finally:
        os.close(end)
        os.waitpid(child, 0)
    assert examine.lock(path) == "got"


def test_what_is_not_there_is_reported(tmp_path: Any) -> None:
    assert examine.opened(str(tmp_path / "none")) == f"{tmp_path}/none: No such file or directory"
    assert examine.version(str(tmp_path / "java")) == "cannot run: No such file or directory"
    (tmp_path / "file").touch()
    below = str(tmp_path / "file" / "none")
    assert examine.unwritten({"local": below}, "a") == {"local": "Not a directory"}
    assert examine.seen({"local": str(tmp_path / "none")}) == {"local": []}
