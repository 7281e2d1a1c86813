"""The list of long tests: what it keeps, what it leaves out, and what was not seen for too long."""

import json
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ledger
import pytest
import stages

from tests import listed

TEST = "tests/local/test_x.py::test_x[a]"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of its own, with one commit that has the list's program and a test."""
    monkeypatch.setattr(ledger, "ROOT", tmp_path)
    monkeypatch.setattr(ledger, "LEDGER", tmp_path / "evidence" / "long.jsonl")
    monkeypatch.setattr(ledger, "LIMIT", 3)
    monkeypatch.setattr("weft.host.checkout.settings.SOURCE", tmp_path)
    ledger._count.cache_clear()
    git(tmp_path, "init", "-q")
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "ledger.py").write_text("")
    commit(tmp_path, "tests/local/test_x.py", "def test_x() -> None: ...\n")
    return tmp_path


def git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    done = subprocess.run(
        ["git", "-C", str(folder), *identity, *words], check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout.strip()


def commit(folder: Path, path: str, text: str) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text)
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "x")
    ledger._count.cache_clear()


def report(when: str, outcome: str, reason: str = "") -> pytest.TestReport:
    longrepr: Any = ("a.py", 1, f"Skipped: {reason}") if reason else None
    return pytest.TestReport(TEST, ("a.py", 1, "x"), {}, outcome, longrepr, when, duration=1.5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reports", "outcome", "reason"),
    [
        ([("setup", "passed", ""), ("call", "passed", ""), ("teardown", "passed", "")], "passed", ""),
        ([("setup", "skipped", "no Slurm"), ("teardown", "passed", "")], "skipped", "no Slurm"),
        ([("setup", "passed", ""), ("call", "failed", ""), ("teardown", "passed", "")], "failed", ""),
        ([("setup", "passed", ""), ("call", "passed", ""), ("teardown", "failed", "")], "failed", ""),
    ],
)
def test_a_test_has_a_line_with_its_commit_when_it_ends(
    repository: Path, reports: list[tuple[str, str, str]], outcome: str, reason: str
) -> None:
    listing = listed.Listing()
    for each in reports:
        assert ledger.read() == []
        listing.pytest_runtest_logreport(report(*each))
    (entry,) = ledger.read()
    head = git(repository, "rev-parse", "--short=12", "HEAD")
    assert (entry["test"], entry["outcome"], entry.get("reason", "")) == (TEST, outcome, reason)
    assert (entry["commit"], entry["seconds"]) == (head, 1.5 * len(reports))


def test_what_passed_with_these_files_is_left_out_and_texts_and_rows_do_not_count(repository: Path) -> None:
    ledger.append(TEST, ledger.PASSED, 1)
    assert ledger.passed_here() == {TEST}
    commit(repository, "README.md", "a text")
    assert ledger.passed_here() == {TEST}, "also with the list committed"
    left: list[Any] = []
    hook = SimpleNamespace(pytest_deselected=lambda **named: left.extend(named["items"]))
    config: Any = SimpleNamespace(hook=hook)
    items: list[Any] = [SimpleNamespace(nodeid=TEST), SimpleNamespace(nodeid="other")]
    listed.leave_out_passed(config, items)
    assert ([item.nodeid for item in left], [item.nodeid for item in items]) == ([TEST], ["other"])
    commit(repository, "src/a.py", "a = 1")
    assert ledger.passed_here() == set()


def test_what_failed_last_is_run_again(repository: Path) -> None:
    ledger.append(TEST, ledger.PASSED, 1)
    ledger.append(TEST, ledger.FAILED, 1)
    assert ledger.passed_here() == set()


def test_a_pass_with_changes_that_were_not_committed_proves_nothing(repository: Path) -> None:
    (repository / "tests" / "local" / "test_x.py").write_text("changed")
    ledger.append(TEST, ledger.PASSED, 1)
    assert ledger.read()[0]["commit"].endswith("+")
    assert ledger.passed_here() == set()


def test_a_test_that_was_not_seen_for_too_many_commits_is_late(repository: Path) -> None:
    assert ledger.late([TEST]) == []
    for number in range(4):
        commit(repository, "src/a.py", f"a = {number}")
    assert ledger.late([TEST]) == [f"{TEST}: never seen, in the list's 4 commits ago"]
    ledger.append(TEST, ledger.FAILED, 1)
    assert ledger.late([TEST]) == [], "a failure was seen"
    for number in range(4):
        commit(repository, "src/a.py", f"b = {number}")
    assert ledger.late([TEST]) == [f"{TEST}: last seen 4 commits ago"]


def test_a_new_test_has_as_many_commits_as_the_list_had(repository: Path) -> None:
    for number in range(4):
        commit(repository, "src/a.py", f"a = {number}")
    commit(repository, "tests/local/test_y.py", "def test_y() -> None: ...\n")
    assert ledger.late(["tests/local/test_y.py::test_y"]) == []


def test_what_a_machine_cannot_run_is_not_late(repository: Path) -> None:
    ledger.append(TEST, ledger.SKIPPED, 0, "no Slurm")
    for number in range(4):
        commit(repository, "src/a.py", f"a = {number}")
    assert ledger.late([TEST]) == []


def test_a_late_test_fails_all_and_is_named(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(4):
        commit(repository, "src/a.py", f"a = {number}")
    with pytest.raises(SystemExit):
        stages.require_seen([TEST])
    assert f"FAILED: {TEST}: never seen" in capsys.readouterr().err


def test_those_that_come_next_are_counted_before(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ledger, "SOON", 1)
    for number in range(4):
        stages.require_seen([TEST])
        assert ("1 must be run" in capsys.readouterr().err) == (number == 3)
        commit(repository, "a.txt", str(number))


def test_the_last_line_of_a_test_counts(repository: Path) -> None:
    entry = {"test": TEST, "commit": "abc", "date": "2026-11-24", "outcome": "passed", "seconds": 2.0}
    ledger.LEDGER.parent.mkdir()
    ledger.LEDGER.write_text(
        "".join(json.dumps({**entry, "seconds": seconds}) + "\n" for seconds in (2.0, 3.0))
    )
    assert ledger.files(ledger.read()) == {"tests/local/test_x.py": [{**entry, "seconds": 3.0}]}
