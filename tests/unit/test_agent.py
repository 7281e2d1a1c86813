"""One connection for many requests: answers are not mixed up, and its end, for any cause, ends the requested programs."""

import ast
import json
import resource
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.processes import nap, own
from tests.unit.test_remote import tree, wait_for
from weft.errors import NodeError, WeftError
from weft.host import settings, shell
from weft.host.remote.reach import Reach, RemoteProcess, message

NOISY = Reach("there", ("sh", "-c", 'echo welcome; eval "$1"', "sh"), login_shell=True)


@pytest.fixture
def reach(tmp_path: Path) -> Iterator[Reach]:
    connected = NOISY.connected(tmp_path / "log")
    assert connected.agent is not None
    yield connected
    connected.close()


def running(*words: str) -> list[psutil.Process]:
    return [one for one in psutil.process_iter(["cmdline"]) if one.info["cmdline"] == list(words)]


def test_many_questions_at_once_get_their_own_answers(reach: Reach) -> None:
    def ask(number: int) -> tuple[str, str, int]:
        words = ["sh", "-c", f"seq {number} {number + 999}; echo e{number} >&2; exit {number % 5}"]
        done = reach.run(words, check=False, env={"X": "y"})
        return done.out, done.err, done.code

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(ask, range(40)))
    assert answers == [("".join(f"{i}\n" for i in range(n, n + 1000)), f"e{n}\n", n % 5) for n in range(40)]
    assert reach.ask("ports", {"address": "127.0.0.1", "ports": []}) == {}


def test_lines_of_another_program_are_no_answers(tmp_path: Path) -> None:
    """As of one that .bashrc has started in the background."""
    chatty = 'for line in {} 7 later \'{"id": -1}\'; do sleep 0.2; echo "$line"; done & eval "$1"'
    reach = Reach("there", ("sh", "-c", chatty, "sh"), login_shell=True).connected(tmp_path / "log")
    assert [reach.run(["sh", "-c", "sleep 0.5; echo a"]).out for _ in range(3)] == ["a\n"] * 3
    reach.close()


def test_much_goes_both_ways(reach: Reach, tmp_path: Path) -> None:
    text = "é" * 1_000_000
    assert reach.run(["cat", "/dev/stdin"]).out == ""
    reach.ask("files", {"directories": [str(tmp_path / "d" / text[:50])]})
    assert (tmp_path / "d" / text[:50]).is_dir()
    (tmp_path / "large").write_text(text)
    assert reach.run(["cat", str(tmp_path / "large")]).out == text


def test_errors_are_reported_as_without_it(reach: Reach) -> None:
    with pytest.raises(WeftError, match=r"there: .* failed with exit code 3"):
        reach.run(["sh", "-c", "exit 3"])
    with pytest.raises(NodeError, match="there: /proc/none: ") as caught:
        reach.ask("files", {"directories": ["/proc/none"]})
    assert list(caught.value.tail) == []
    with pytest.raises(NodeError, match=r"there: TypeError: .*'visible'"):
        reach.ask("inventory", {})
    with pytest.raises(WeftError) as failed:
        reach.run(["no-such-program"])
    assert "cannot run no-such-program" in failed.value.tail[-1]


def test_what_does_not_end_is_ended_and_the_next_is_answered(reach: Reach) -> None:
    with pytest.raises(NodeError, match="there did not answer within"):
        reach.run(nap(64), timeout=1)
    assert wait_for(lambda: not running(*nap(64)))
    assert reach.run(["echo", "x"]).out == "x\n"


def test_its_end_ends_what_was_asked_and_is_reported(reach: Reach) -> None:
    agent = reach.agent
    assert agent is not None
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(reach.run, nap(65))
        wait_for(lambda: running(*nap(65)))
        agent.leave()
        with pytest.raises(NodeError, match="there: cannot run commands there"):
            asked.result(60)
    assert wait_for(lambda: not running(*nap(65)))
    with pytest.raises(NodeError, match="there: cannot run commands there"):
        reach.run(["true"])


def test_a_daemon_writes_as_it_prints_and_ends_with_its_code(reach: Reach, tmp_path: Path) -> None:
    words = ["sh", "-c", "printf 'out\\377\\n'; echo err >&2; pwd; exit 7"]
    process = reach.spawn("p", words, log=tmp_path / "log", env={}, cwd=tmp_path, out=tmp_path / "out")
    assert process.wait(60) == 7
    assert (tmp_path / "out").read_bytes() == b"out\xff\n" + f"{tmp_path}\n".encode()
    assert (tmp_path / "log").read_text() == "err\n"
    process = reach.spawn("p", ["sh", "-c", "echo both; echo both >&2"], log=tmp_path / "both", env={})
    assert process.wait(60) == 0
    assert (tmp_path / "both").read_text() == "both\nboth\n"


def test_a_daemon_is_asked_to_end_and_then_made_to(reach: Reach, tmp_path: Path) -> None:
    polite = ["sh", "-c", "trap 'echo bye; exit 4' TERM; echo up; while :; do sleep 0.05; done"]
    process = reach.spawn("polite", polite, log=tmp_path / "log", env={})
    wait_for(lambda: shell.tail(process.log) == ["up"])
    process.stop(grace=10)
    assert (process.code(), shell.tail(process.log)[-1]) == (4, "bye")
    process, family = tree(reach, tmp_path / "tree")
    process.stop(grace=0.2)
    assert process.code() is not None
    assert psutil.wait_procs(family, timeout=30)[1] == []


def test_a_lost_connection_ends_its_daemons_and_is_reported_as_by_ssh(reach: Reach, tmp_path: Path) -> None:
    process, family = tree(reach, tmp_path / "tree")
    assert process.code() is None
    (far,) = psutil.Process(process.popen.pid).children()
    far.kill()
    assert process.wait(60) == 255
    assert psutil.wait_procs(family, timeout=30)[1] == []
    process.stop()
    late = reach.spawn("late", ["true"], log=tmp_path / "late", env={})
    assert late.wait(60) == 255


def test_each_step_of_a_job_has_a_connection_of_its_own(reach: Reach, tmp_path: Path) -> None:
    process = replace(reach, job="1", steps=True).spawn("p", ["true"], log=tmp_path / "log", env={})
    assert isinstance(process, RemoteProcess)
    assert process.wait(60) == 0


def test_a_host_without_python_is_named_with_a_hint(tmp_path: Path) -> None:
    reach = Reach("there", ("sh", "-c"), login_shell=True, python="python-none").connected(tmp_path / "log")
    assert reach.agent is not None
    with pytest.raises(NodeError, match="there: cannot run commands there") as caught:
        reach.run(["true"])
    assert "python-none" in caught.value.hint
    assert any("python-none" in line for line in caught.value.tail)
    reach.close()


def test_it_starts_with_the_oldest_python_that_a_host_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """As of RHEL 8, whose python3 is 3.6: its functools has no cache."""
    monkeypatch.delattr("functools.cache")
    space: dict[str, object] = {}
    exec(json.loads(message("agent", {}))["source"], space)
    assert callable(space["main"])


def test_every_program_can_be_read_by_the_oldest_python_that_a_host_may_have() -> None:
    later = "with (\n    open('a') as a,\n    open('b') as b,\n):\n    pass\n"
    with pytest.raises(SyntaxError):
        ast.parse(later, feature_version=(3, 6))
    programs = sorted((settings.PACKAGE / "host" / "programs").glob("*.py"))
    assert len(programs) > 10
    for path in programs:
        ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 6))


def test_a_command_on_a_host_may_open_the_files_that_the_host_allows(reach: Reach) -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    most = 1 << 16 if hard == resource.RLIM_INFINITY else min(hard, 1 << 16)
    shown = reach.run(["sh", "-c", "ulimit -Sn"]).out.strip()
    assert shown == "unlimited" or int(shown) >= most


def test_a_program_that_does_not_compile_fails_alone(reach: Reach) -> None:
    assert reach.agent is not None
    done = reach.agent.ask({"name": "weft-wrong", "source": "def main(:", "request": {}}, 60).end(60)
    assert done.code == 1
    assert "SyntaxError" in done.err
    assert reach.run(["echo", "x"]).out == "x\n"


def test_its_watchdog_ends_before_it_where_nobody_reads_what_a_daemon_prints(tmp_path: Path) -> None:
    """As when weft is killed: a batch system kills what the agent leaves behind."""
    folder = tmp_path / "run"
    folder.mkdir()
    late = ["sh", "-c", "sleep 1; echo late; sleep 600"]
    asked = (
        ("watchdog", {"lease": own("agent-test"), "directories": [str(folder)], "apart": True}),
        ("exec", {"argv": late, "environment": {}, "directory": None, "alone": True}),
    )
    pipe = subprocess.PIPE
    arguments = Reach("here", ("env",), login_shell=False).arguments()
    with subprocess.Popen(arguments, stdin=pipe, stdout=pipe) as agent:
        assert agent.stdin is not None
        assert agent.stdout is not None
        agent.stdin.write(message("agent", {}, "begins\n"))
        agent.stdin.flush()
        assert agent.stdout.readline() == b"begins\n"
        for number, (program, request) in enumerate(asked):
            whole = {**json.loads(message(program, request)), "id": number}
            agent.stdin.write(json.dumps(whole).encode() + b"\n")
        agent.stdin.flush()
        assert json.loads(agent.stdout.readline()) == {"id": 0, "out": "there\n"}
        agent.stdout.close()
        assert agent.wait(60) == 0
    assert not folder.exists()
