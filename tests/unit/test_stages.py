"""What ./test says about tests that failed."""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
import rustneeds
import stages

from weft.host import settings


class Runs:
    """Instead of pytest: some tests fail together, and what each does alone."""

    def __init__(self, failed: Sequence[str], alone: int = 0) -> None:
        self.failed, self.alone = failed, alone
        self.again: list[str] = []

    def __call__(self, _: str, argv: Sequence[str], env: Mapping[str, str] | None = None) -> int:
        if env is None:
            self.again.append(argv[-1])
            return self.alone
        Path(env["WEFT_TEST_FAILED"]).write_text("".join(f"{test}\n" for test in self.failed))
        return 1


def ended(runs: Runs, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What the end of ./test says, which failed in any case."""
    monkeypatch.setattr(stages, "run", runs)
    with pytest.raises(SystemExit) as exited:
        stages.pytest("unit tests", ["tests/unit"])
    assert exited.value.code == 1
    return capsys.readouterr().err.splitlines()


FAILED = ["test_a.py::test_a", "test_b.py::test_b"]


@pytest.fixture(autouse=True)
def flaky(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No list of a checkout is read or written."""
    monkeypatch.setattr(stages, "ROOT", tmp_path)
    monkeypatch.setattr(stages, "FLAKY", tmp_path / "evidence" / "flaky.jsonl")
    return stages.FLAKY


def test_tests_that_fail_alone_too_fail_all(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = Runs(FAILED, alone=1)
    lines = ended(runs, monkeypatch, capsys)
    assert runs.again == FAILED
    assert lines[-2:] == [f"== FAILED: {test} fails alone too" for test in FAILED]


def test_passing_only_alone_is_named_and_listed_the_first_time_and_fails_all_the_second(
    flaky: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(stages, "run", Runs(FAILED[:1]))
    stages.pytest("unit tests", ["tests/unit"])
    assert f"== FLAKY: {FAILED[0]} failed together" in capsys.readouterr().err
    assert [json.loads(line)["test"] for line in flaky.read_text().splitlines()] == FAILED[:1]
    lines = ended(Runs(FAILED), monkeypatch, capsys)
    assert lines[-2].startswith(f"== FAILED: {FAILED[0]} fails only together with others, as at ")


def test_many_that_failed_are_not_run_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = Runs([f"test_a.py::test_{number}" for number in range(stages.FEW + 1)])
    assert ended(runs, monkeypatch, capsys)[-1].startswith("== FAILED: unit tests (exit code 1)")
    assert runs.again == []


def test_no_test_in_rust_leaves_itself_out_where_the_machine_has_all_that_they_need(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rustneeds.os, "geteuid", lambda: 0)
    monkeypatch.setattr(rustneeds, "_FUSE", os.devnull)
    monkeypatch.setattr(rustneeds, "_unshares", lambda _: True)
    monkeypatch.setattr(rustneeds.shutil, "which", lambda program: f"/bin/{program}")
    assert (rustneeds.lacking(), rustneeds.required()) == ([], {"WEFT_TEST_REQUIRED": "1"})
    monkeypatch.setattr(rustneeds.shutil, "which", lambda program: None if program == "strace" else "/bin/x")
    assert rustneeds.lacking() == [("strace is not on this machine", "apt-get install strace")]
    assert rustneeds.required() == {}


def test_namespaces_that_cannot_be_made_are_missed_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unshare = tmp_path / "unshare"
    unshare.write_text('#!/bin/sh\n[ "$1" = -m ] && exec true\nexit 1\n')
    unshare.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    why = [reason for reason, _ in rustneeds.lacking()]
    assert "unshare cannot make mounts" not in why
    assert why[-2:] == ["unshare cannot make pid namespaces", "unshare cannot make pid namespaces of a user"]
    assert rustneeds.required() == {}


def test_no_namespace_is_asked_for_where_unshare_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rustneeds.shutil, "which", lambda _: None)
    monkeypatch.setattr(rustneeds, "_unshares", lambda _: pytest.fail("there is no such program"))
    assert ("unshare is not on this machine", "apt-get install util-linux") in rustneeds.lacking()


def test_the_script_starts_the_stages_with_nothing_but_its_own_environment() -> None:
    bare = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    argv = [settings.SOURCE / "test", "--no-install", "no-such-stage"]
    done = subprocess.run(argv, env=bare, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert "there is no stage 'no-such-stage'" in done.stderr
