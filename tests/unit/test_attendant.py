"""One connection for many questions: answers stay apart, and its end, whoever makes it, ends what was asked."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from tests.unit.test_remote import wait_for
from weft.errors import NodeError, WeftError
from weft.remote.reach import Reach

NOISY = Reach("there", ("sh", "-c", 'echo welcome; eval "$1"', "sh"), login_shell=True)


@pytest.fixture
def reach(tmp_path: Path) -> Iterator[Reach]:
    attended = NOISY.attended(tmp_path / "log")
    assert attended.attendant is not None
    yield attended
    attended.attendant.stop()


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


def test_much_goes_both_ways(reach: Reach, tmp_path: Path) -> None:
    text = "é" * 1_000_000
    assert reach.run(["cat", "/dev/stdin"]).out == ""
    reach.ask("files", {"directories": [str(tmp_path / "d" / text[:50])]})
    assert (tmp_path / "d" / text[:50]).is_dir()
    (tmp_path / "large").write_text(text)
    assert reach.run(["cat", str(tmp_path / "large")]).out == text


def test_errors_are_told_as_without_it(reach: Reach) -> None:
    with pytest.raises(WeftError, match=r"there: .* failed with exit code 3"):
        reach.run(["sh", "-c", "exit 3"])
    with pytest.raises(NodeError, match="there: /proc/none: ") as caught:
        reach.ask("files", {"directories": ["/proc/none"]})
    assert list(caught.value.tail) == []
    with pytest.raises(NodeError, match="there: KeyError: 'visible'"):
        reach.ask("look", {})
    with pytest.raises(WeftError) as failed:
        reach.run(["no-such-program"])
    assert "cannot run no-such-program" in failed.value.tail[-1]


def test_what_does_not_end_is_ended_and_the_next_is_answered(reach: Reach) -> None:
    with pytest.raises(NodeError, match="there did not answer within"):
        reach.run(["sleep", "64"], timeout=1)
    assert wait_for(lambda: not running("sleep", "64"))
    assert reach.run(["echo", "x"]).out == "x\n"


def test_its_end_ends_what_was_asked_and_is_told(reach: Reach) -> None:
    attendant = reach.attendant
    assert attendant is not None
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(reach.run, ["sleep", "65"])
        wait_for(lambda: running("sleep", "65"))
        attendant.leave()
        with pytest.raises(NodeError, match="there: nothing can be run there"):
            asked.result(20)
    assert wait_for(lambda: not running("sleep", "65"))
    with pytest.raises(NodeError, match="there: nothing can be run there"):
        reach.run(["true"])


def test_a_host_without_python_is_named_with_a_hint(tmp_path: Path) -> None:
    reach = Reach("there", ("sh", "-c"), login_shell=True, python="python-none").attended(tmp_path / "log")
    assert reach.attendant is not None
    with pytest.raises(NodeError, match="there: nothing can be run there") as caught:
        reach.run(["true"])
    assert "python-none" in caught.value.hint
    assert any("python-none" in line for line in caught.value.tail)
    reach.attendant.stop()
