"""Commands through a client: here a shell that reads text, as ssh has it, and one that takes words, as srun does."""

import os
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.processes import nap, own
from weft.adapters.nodes import remote
from weft.adapters.nodes.access import Access, access, require_shared
from weft.adapters.nodes.remote import prepared
from weft.errors import NodeError, WeftError
from weft.host import lease, shell
from weft.host.programs import marks
from weft.host.remote.reach import Reach, of_text
from weft.host.resources import Resource
from weft.host.work import open_work
from weft.layout.node import Node

SSH = Reach("there", ("sh", "-c"), login_shell=True)
SRUN = Reach("there", ("sh", "-c", '"$@"; exit', "sh"), login_shell=False)
REACHES = pytest.mark.parametrize("reach", [SSH, SRUN], ids=["ssh", "srun"])

HELD = own("held")


def node(name: str, folder: Path, *client: str) -> Node:
    reach = Reach(name, client or ("sh", "-c"), login_shell=True)
    return Node(name, "127.0.0.1", 1, 1 << 30, folder / name, host=name, way=reach.text())


def wait_for(condition) -> object:
    end = time.monotonic() + 60
    while not (found := condition()):
        assert time.monotonic() < end
        time.sleep(0.01)
    return found


@REACHES
def test_words_and_environment_arrive_as_they_are(reach: Reach) -> None:
    words = ["a b", "$HOME", "'\"`;&\\\n", "", "é"]
    done = reach.run(
        ["sh", "-c", 'printf "%s|" "$@"; printf %s "$SECRET"', "sh", *words], env={"SECRET": "'x y$z"}
    )
    assert done.out == "|".join([*words, "'x y$z"])


def test_a_secret_is_on_no_command_line(tmp_path: Path) -> None:
    process = SSH.spawn("nap", nap(63), log=tmp_path / "log", env={"SECRET": "hidden-word"})
    wait_for(lambda: [one for one in psutil.process_iter(["cmdline"]) if one.info["cmdline"] == nap(63)])
    lines = [" ".join(one.info["cmdline"] or []) for one in psutil.process_iter(["cmdline"])]
    process.stop(0)
    assert not [line for line in lines if "hidden-word" in line]


@REACHES
def test_exit_codes_and_output_come_back(reach: Reach, tmp_path: Path) -> None:
    words = ["sh", "-c", "echo out; echo err >&2; pwd; exit 7"]
    process = reach.spawn("p", words, log=tmp_path / "log", env={}, cwd=tmp_path, out=tmp_path / "out")
    assert wait_for(process.code) == 7
    assert (tmp_path / "out").read_text() == f"out\n{tmp_path}\n"
    assert (tmp_path / "log").read_text() == "err\n"
    assert reach.run(["sh", "-c", "kill -9 $$"], check=False).code == 137
    with pytest.raises(WeftError, match=r"there: .* failed with exit code 3"):
        reach.run(["sh", "-c", "exit 3"])
    with pytest.raises(WeftError) as caught:
        reach.run(["no-such-program"])
    assert "cannot run no-such-program" in caught.value.tail[-1]


def test_what_login_files_print_is_no_part_of_an_answer() -> None:
    noisy = Reach("there", ("sh", "-c", 'echo welcome; eval "$1"', "sh"), login_shell=True)
    assert noisy.run(["echo", "x"]).out == "x\n"
    assert noisy.ask("ports", {"address": "127.0.0.1", "ports": []}) == {}


TREE = [
    "sh",
    "-c",
    "trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep 61 & sleep 61' & echo up; wait; sleep 61",
]
"""Ignores the request to end, and has descendants in a session of their own."""


MARK = own("remote")


def tree(reach: Reach, log: Path) -> tuple[shell.Process, list[psutil.Process]]:
    process = reach.spawn("tree", TREE, log=log, env={marks.LEASE: MARK})
    return process, wait_for(
        lambda: len(found := [psutil.Process(pid) for pid in marks.marked(MARK)]) >= 4 and found
    )  # type: ignore[return-value]


@REACHES
def test_stop_ends_all_descendants(reach: Reach, tmp_path: Path) -> None:
    process, family = tree(reach, tmp_path / "log")
    process.stop(grace=0.2)
    assert process.code() is not None
    assert psutil.wait_procs(family, timeout=30)[1] == []


@REACHES
def test_the_death_of_the_client_ends_all_descendants(reach: Reach, tmp_path: Path) -> None:
    process, family = tree(reach, tmp_path / "log")
    process.popen.kill()
    assert process.popen.stdin is not None
    process.popen.stdin.close()
    assert psutil.wait_procs(family, timeout=30)[1] == []
    process.popen.wait()


def test_a_daemon_that_is_asked_to_end_ends_by_itself(tmp_path: Path) -> None:
    words = ["sh", "-c", "trap 'echo bye; exit 4' TERM; echo up; while :; do sleep 0.05; done"]
    process = SSH.spawn("polite", words, log=tmp_path / "log", env={})
    wait_for(lambda: shell.tail(process.log) == ["up"])
    process.stop(grace=10)
    assert (process.code(), shell.tail(process.log)[-1]) == (4, "bye")


def test_a_command_that_does_not_end_is_an_error_and_is_killed() -> None:
    with pytest.raises(NodeError, match="there did not answer within"):
        SSH.run(nap(62), timeout=1)
    assert wait_for(
        lambda: not [one for one in psutil.process_iter(["cmdline"]) if one.info["cmdline"] == nap(62)]
    )


def test_a_host_without_python_is_named_with_a_hint() -> None:
    with pytest.raises(NodeError, match="there: cannot run commands there") as caught:
        Reach("there", ("sh", "-c"), login_shell=True, python="python-none").run(["true"])
    assert "python-none" in caught.value.hint


def test_a_node_makes_directories_and_gets_files_for_itself_alone(tmp_path: Path) -> None:
    on = node("n1", tmp_path)
    access(on).make(tmp_path / "a" / "b")
    access(on).receive({tmp_path / "conf" / "x": "text"})
    access(on).receive({tmp_path / "conf" / "x": "other", tmp_path / "conf" / "key": b"\xff\0"})
    assert access(on).give([tmp_path / "conf" / "key"]) == {tmp_path / "conf" / "key": b"\xff\0"}
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700
    assert ((tmp_path / "conf" / "x").read_text(), (tmp_path / "conf" / "x").stat().st_mode & 0o777) == (
        "other",
        0o600,
    )
    assert access(on).sees(tmp_path / "a")
    assert not access(on).sees(tmp_path / "b")
    assert sorted(path.name for path in (tmp_path / "conf").iterdir()) == ["key", "x"]


@pytest.mark.parametrize("on_other_hosts", [True, False], ids=["another host", "this machine"])
def test_a_node_answers_alike_on_another_host_and_on_this_machine(
    tmp_path: Path, on_other_hosts: bool
) -> None:
    here = Node("n1", "127.0.0.1", 1, 1 << 30, tmp_path / "n1")
    on = access(node("n1", tmp_path) if on_other_hosts else here)
    on.make(tmp_path / "a" / "b")
    (tmp_path / "a" / "x").write_bytes(b"\xff\0")
    assert on.give([tmp_path / "a" / "x"]) == {tmp_path / "a" / "x": b"\xff\0"}
    assert (on.sees(tmp_path / "a"), on.sees(tmp_path / "c")) == (True, False)
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700
    with pytest.raises(NodeError, match=f"{tmp_path}/a/x.*: Not a directory"):
        on.make(tmp_path / "a" / "x" / "y")
    nobodys = access(replace(on.node, address="192.0.2.7"))  # RFC 5737
    with pytest.raises(NodeError, match=r"the address 192\.0\.2\.7: Cannot assign requested address"):
        nobodys.taken([8080])
    with pytest.raises(ConnectionRefusedError):
        on.bearer("http://127.0.0.1:1/", "secret")


def test_a_taken_port_is_reported_with_its_holder(tmp_path: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert access(node("n1", tmp_path)).taken([port]) == {
            str(port): f" by process {os.getpid()} ({psutil.Process().name()})"
        }
    assert access(node("n1", tmp_path)).taken([port]) == {}


def test_a_directory_that_one_node_does_not_see_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes, sees = [node(name, tmp_path) for name in ("n1", "n2", "n3")], Access.sees
    require_shared(nodes, tmp_path, "the record", "share it", here=True)
    monkeypatch.setattr(Access, "sees", lambda on, path: on.node.name != "n2" and sees(on, path))
    with pytest.raises(NodeError, match=f"^n2 cannot see a file that n1 wrote to {tmp_path}; the record "):
        require_shared(nodes, tmp_path, "the record", "share it", here=True)
    assert list(tmp_path.glob(".weft-*")) == []


@pytest.mark.parametrize(
    ("release", "says", "words"),
    [
        ('JAVA_VERSION="11.0.2"\n', None, "is Java 11; the engines need Java 17"),
        ('JAVA_VERSION="1.8.0_292"\n', None, "is Java 8;"),
        (None, 'openjdk version "11.0.2" 2019-01-15', "is Java 11;"),
        (None, "Exec format error", "has a java that cannot run"),
        ('JAVA_VERSION="17.0.15"\n', None, ""),
        (None, 'openjdk version "21" 2023-09-19', ""),
    ],
)
def test_an_old_java_on_a_host_is_refused(
    tmp_path: Path, release: str | None, says: str | None, words: str
) -> None:
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho '{says}' >&2\n")
    java.chmod(0o755)
    if release:
        (tmp_path / "jdk" / "release").write_text(release)
    refused = pytest.raises(NodeError, match=f"^n1, n2: {tmp_path}/jdk {words}") if words else nullcontext()
    with (
        refused,
        lease.hold(HELD, "a test") as held,
        open_work(HELD, held) as work,
        prepared(
            [node("n1", tmp_path), node("n2", tmp_path)], work, [tmp_path, tmp_path / "jdk"], None
        ) as found,
    ):
        assert [one.name for one in found] == ["n1", "n2"]


def test_a_lease_releases_what_is_on_other_hosts(tmp_path: Path) -> None:
    on = node("n1", tmp_path)
    with lease.hold(HELD, "a test") as held:
        access(on).note(held, "directory", tmp_path / "there")
        access(on).make(tmp_path / "there" / "in")
        process = access(on).spawn("nap", ["sleep", "60"], log=tmp_path / "log", env={marks.LEASE: HELD})
        wait_for(lambda: marks.marked(HELD))
        (seen,) = held.on_other_hosts()
        assert [one.program for one in seen.members] == ["sleep"]
        assert seen.there == [Resource("directory", str(tmp_path / "there"), "n1")]
        assert held.release_hosts() == []
        assert not (tmp_path / "there").exists()
        assert wait_for(lambda: process.code() is not None)
    assert not held.path.exists()


def test_a_host_that_is_gone_keeps_its_lease_and_is_named(tmp_path: Path) -> None:
    gone = node("n1", tmp_path, "false")
    with pytest.raises(WeftError, match="could not release n1: "), lease.hold(HELD, "a test") as held:
        access(gone).note(held, "directory", tmp_path / "there")
    assert [
        one["host"] if "host" in one else of_text(one["reach"]).host for one in held.entries if "reach" in one
    ] == ["n1"]
    assert held.path.exists()


@pytest.mark.parametrize(
    ("given", "asked", "limit", "found"),
    [
        (64 << 30, None, 17 << 30, 16 << 30),
        (8 << 30, None, 17 << 30, 8 << 30),
        (64 << 30, None, 0, 64 << 30),
        (64 << 30, 64 << 30, 17 << 30, 64 << 30),
    ],
)
def test_a_node_has_no_more_memory_than_the_limit_of_its_job(
    given: int, asked: int | None, limit: int, found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with --mem-per-gpu, of which Slurm sets no variable; what a user asks for is left as it is."""
    about = {"cores": 4, "memory": 200 << 30, "limit": limit, "user": 1, "addresses": {}}
    on = replace(node("n1", tmp_path), memory=given)
    monkeypatch.setattr(type(access(on)), "ask", lambda *_: about)
    assert remote._inspect(on, [], asked)[0].memory == found
