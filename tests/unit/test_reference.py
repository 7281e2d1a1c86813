"""Runs beside a reference: a bound, an exit code, and data for other programs."""

import json
import os
import re
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.fakes import fake_program
from tests.unit.report_fakes import RESOLVED, make_record
from weft.api import results
from weft.cli import app
from weft.errors import UsageError
from weft.host import settings
from weft.record.record import write_json

RUNNER = CliRunner()
DAY = 86400.0


def runs(label: str, seconds: Sequence[float], *, days: float = 0, key: str = "one", **head: object) -> None:
    created = time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(time.time() - days * DAY))
    for number, measured in enumerate(seconds):
        directory = settings.runs() / f"{label}-{number}"
        about = {"measured": measured, "key": key, "labels": [label], "created": created, **head}
        make_record(directory, head=about)
        write_json(directory / "resolved.json", {**RESOLVED, "spec": {"scratch": {"kind": key}}})


def compared(*words: str) -> tuple[int, str]:
    done = RUNNER.invoke(app, ["compare", *words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout


@pytest.mark.parametrize(
    ("seconds", "code", "words"),
    [
        ([10.4, 10.5, 10.6, 10.5, 10.5, 10.5], 0, "ok: 5.0 % slower than the reference (10.5 s against 10.0 s); 10 % are allowed."),
        ([9.0, 9.1, 8.9], 0, "ok: 10.0 % faster than the reference"),
        ([12.0, 12.1, 11.9], 1, "FAILED: 20.0 % slower than the reference (12.0 s against 10.0 s)"),
        ([12.0], 1, "FAILED: 20.0 % slower than the reference (12.0 s against 10.0 s); 10 % are allowed; the runs are too few"),
        ([10.0, 11.2, 13.0], 1, "or differ too much to be sure"),
    ],
)  # fmt: skip
def test_more_than_the_bound_fails(seconds: list[float], code: int, words: str) -> None:
    runs("good", [9.9, 10.0, 10.1, 10.0, 10.0, 10.0])
    runs("new", seconds)
    ended, text = compared("label:new", "--reference", "label:good")
    assert ended == code
    assert words in text


def test_the_bound_is_what_is_asked_for_and_the_answer_is_data() -> None:
    runs("good", [10.0, 10.0, 10.0])
    runs("new", [10.6, 10.6, 10.6])
    assert compared("label:new", "--reference", "label:good", "--slower", "5")[0] == 1
    code, text = compared("label:new", "--reference", "label:good", "--slower", "7%", "--json")
    found = json.loads(text)
    assert (code, found["fails"], found["sure"]) == (0, False, True)
    assert (found["slower"], found["ratio"]["median"]) == (0.07, pytest.approx(1.06))
    assert found["runs"] == ["new-0", "new-1", "new-2"]
    assert found["reference"] == ["good-0", "good-1", "good-2"]


def test_a_reference_is_also_a_run_or_a_time() -> None:
    runs("good", [10.0])
    runs("new", [10.6])
    for reference in ("good-0", "10s", "0.1m"):
        assert compared("new-0", "--reference", reference)[0] == (1 if reference == "0.1m" else 0)


def test_a_nightly_run_is_compared_with_runs_of_the_same_spec_a_month_ago() -> None:
    runs("old", [10.0, 10.0, 10.0], days=40)
    runs("other", [99.0, 99.0], days=40, key="two")
    runs("recent", [11.5], days=10)
    runs("tonight", [12.0, 12.0, 12.0])
    code, text = compared("since:1d", "--reference", "older:30d", "--json")
    assert code == 1
    assert json.loads(text)["reference"] == ["old-0", "old-1", "old-2"]


def test_other_specs_are_named_and_runs_without_a_time_too() -> None:
    runs("good", [10.0], key="disk")
    runs("new", [10.0], key="memory")
    runs("bad", [1.0], key="memory", verdict="INVALID")
    text = compared("new-0", "bad-0", "--reference", "good-0")[1]
    assert "runs of different specs: scratch.kind" in text
    assert "Not counted: bad-0 (INVALID)" in text


def test_runs_of_other_specs_than_the_newest_are_named_as_not_compared() -> None:
    runs("good", [10.0])
    runs("new", [10.0])
    runs("large", [99.0], days=1, key="large")
    code, text = compared("new-0", "large-0", "--reference", "good-0")
    assert code == 0
    assert "Of other specs than the newest run, and not compared: large-0." in text


def test_without_a_valid_run_it_fails() -> None:
    runs("good", [10.0])
    runs("bad", [1.0], verdict="INVALID")
    code, text = compared("bad-0", "--reference", "good-0")
    assert code == 1
    assert "There is nothing to compare: no run of the runs has a time." in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--reference", "10s"], "--reference needs a run to compare"),
        (["label:none", "--reference", "10s"], "no record fits label:none"),
        (["good-0", "--reference", "older:30d"], "no record fits the reference older:30d"),
        (["good-0", "--reference", "older:soon"], "older:soon: 'soon' is not a duration"),
        (["good-0", "--reference", "nothing"], "no record in"),
        (["good-0", "--reference", "0s"], "the reference 0s is no time of a run"),
        (["good-0", "--reference", "10s", "--slower", "much"], "--slower: 'much' is no share"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused(words: list[str], message: str) -> None:
    runs("good", [10.0])
    error = RUNNER.invoke(app, ["compare", *words]).exception
    assert isinstance(error, UsageError)
    assert message in error.message


def test_python_asks_the_same() -> None:
    runs("good", [10.0])
    assert not results.against(["good-0"], "9.5s", 0.1).fails


@pytest.mark.parametrize(("run", "compare"), [(0, 0), (1, 0), (0, 1)])
def test_the_nightly_line_of_the_guide_prints_only_where_it_fails(
    run: int, compare: int, tmp_path: Path
) -> None:
    guide = (settings.SOURCE / "docs" / "guide" / "compare.md").read_text()
    line = re.search(r"^30 2 \* \* \*  (.+)$", guide, re.MULTILINE)
    assert line is not None
    fake_program(tmp_path / "weft", "weft", f"echo $1; test $1 = compare && exit {compare}; exit {run}")
    here = {**os.environ, "HOME": str(tmp_path)}
    done = subprocess.run(["sh", "-c", line[1]], env=here, capture_output=True, text=True, check=False)
    assert (done.stdout != "", done.stderr) == (bool(run or compare), "")


@pytest.mark.parametrize(
    ("verdict", "code", "words"),
    [
        ("UNCHECKED", 0, "ok: 10.0 % faster than the reference"),
        ("INVALID", 1, "no run of the runs has a time"),
    ],
)
def test_a_log_has_a_time_only_if_its_work_was_done(verdict: str, code: int, words: str) -> None:
    runs("log", [9.0], verdict=verdict, imported={"log": "/l", "begin": 0.0}, phases={"run": 9.0})
    ended, out = compared("log-0", "--reference", "10s")
    assert ended == code
    assert words in out


def test_a_log_has_no_spec_so_that_no_older_run_is_of_the_same() -> None:
    about: dict[str, Any] = {"key": "", "verdict": "UNCHECKED", "imported": {"log": "/l", "begin": 0.0}}
    runs("other-application", [1.0], days=40, phases={"run": 1.0}, **about)
    runs("log", [9.0], phases={"run": 9.0}, **about)
    error = RUNNER.invoke(app, ["compare", "log-0", "--reference", "older:30d"]).exception
    assert isinstance(error, UsageError)
    assert "no record fits the reference older:30d" in error.message
