"""The list of records: filters, labels, CSV, removal after a question."""

import csv
import io
import json
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.unit.report_fakes import make_record
from weft.api.flags import Flags
from weft.api.request import study_of
from weft.cli import app
from weft.errors import UsageError, WeftError
from weft.host import settings
from weft.record import record
from weft.record.selection import moment
from weft.run import matrix
from weft.run.progress import Progress

RUNNER = CliRunner()


@pytest.fixture(autouse=True)
def _three() -> None:
    at = time.time()
    for days, engine, workload, labels in (
        (40, "spark", "terasort", ["old"]),
        (3, "spark on YARN", "groupby", []),
        (1, "flink", "terasort", ["new", "good"]),
    ):
        created = time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(at - days * 86400))
        head = {"engine": engine, "workload": workload, "labels": labels, "created": created}
        make_record(settings.runs() / f"{days:02d}-days", head=head)


def listed(*words: str) -> list[str]:
    done = RUNNER.invoke(app, ["runs", "--json", *words])
    assert done.exit_code == 0, done.exception
    return [line["id"] for line in json.loads(done.stdout)]


def left() -> set[str]:
    return {path.name for path in settings.runs().iterdir()}


@pytest.mark.parametrize(
    ("words", "days"),
    [
        ([], [40, 3, 1]),
        (["--last", "2"], [3, 1]),
        (["--engine", "spark"], [40, 3]),
        (["--engine", "spark on YARN"], [3]),
        (["--workload", "terasort", "--last", "1"], [1]),
        (["--label", "good"], [1]),
        (["--since", "7d"], [3, 1]),
        (["--since", "7d", "--before", "48h"], [3]),
        (["--before", "2024-01-31"], []),
        (["--since", "2024-01-31", "--engine", "flink"], [1]),
        (["--study", "none"], []),
    ],
    ids=lambda value: " ".join(map(str, value)),
)
def test_only_what_fits_is_listed(words: list[str], days: list[int]) -> None:
    assert listed(*words) == [f"{day:02d}-days" for day in days]


def test_the_list_shows_labels_only_if_there_are_some() -> None:
    assert "new good" in RUNNER.invoke(app, ["runs"]).stdout
    assert "labels" not in RUNNER.invoke(app, ["runs", "--engine", "spark on YARN"]).stdout
    assert "no runs that fit in" in RUNNER.invoke(app, ["runs", "--label", "none"]).stdout


def test_csv_has_a_row_for_each_record_and_numbers_without_units() -> None:
    rows = list(csv.DictReader(io.StringIO(RUNNER.invoke(app, ["runs", "--csv"]).stdout)))
    assert [row["id"] for row in rows] == listed()
    assert rows[2]["labels"] == "new good"
    assert float(rows[0]["seconds"]) > 0
    assert int(rows[0]["size"]) == 400_000_000
    assert rows[0]["scratch"].startswith("delayed")


def test_a_time_is_a_date_or_so_long_ago() -> None:
    assert moment("2024-01-31T12:00:00+00:00") == 1706702400
    assert moment("2d") == pytest.approx(time.time() - 172800, abs=100)
    for word in ("yesterday", "2026"):
        error = RUNNER.invoke(app, ["runs", "--since", word]).exception
        assert isinstance(error, UsageError)
        assert f"--since: {word!r} is no time" in error.message


def test_a_label_is_added_and_taken_away_and_nothing_else_changes() -> None:
    path = settings.runs() / "03-days" / "record.json"
    before = json.loads(path.read_text())
    assert RUNNER.invoke(app, ["runs", "label", "weekly", "03-days", "01-days"]).exit_code == 0
    assert json.loads(path.read_text()) == {**before, "labels": ["weekly"]}
    assert listed("--label", "weekly") == ["03-days", "01-days"]
    assert RUNNER.invoke(app, ["runs", "label", "--remove", "new", "01-days"]).exit_code == 0
    assert record.find(settings.runs(), "01-days").head.labels == ("good", "weekly")


def test_what_is_no_word_is_no_label() -> None:
    assert "is no label" in str(RUNNER.invoke(app, ["runs", "label", "a b", "last"]).exception)
    with pytest.raises(UsageError, match=r"labels\.0: 'a b' is no label"):
        study_of("terasort", Flags(labels=("a b",)))


def test_a_run_has_the_labels_that_were_asked_for_and_they_are_no_part_of_its_spec(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[dict[str, Any]] = []
    monkeypatch.setattr(matrix, "run_once", lambda *_, **given: seen.append(given))
    file = tmp_path / "own.toml"
    file.write_text('workload = "terasort"\nlabels = ["file"]\n')
    study = study_of(str(file), Flags(labels=("one", "two")))
    matrix.run(study, Progress())
    assert seen[0]["labels"] == ("file", "one", "two")
    assert study.cells()[0][1].key() == study_of("terasort", Flags()).cells()[0][1].key()


def test_records_are_removed_after_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    done = RUNNER.invoke(app, ["runs", "rm", "03-days"])
    assert "nobody can be asked here" in str(done.exception)
    monkeypatch.setattr("weft.cli.runs._asks", lambda: True)
    for answer in ("n\n", "\n", ""):
        done = RUNNER.invoke(app, ["runs", "rm", "03-days"], input=answer)
        assert "nothing was removed" in str(done.exception)
        assert "03-days" in done.stdout
    assert len(left()) == 3
    assert RUNNER.invoke(app, ["runs", "rm", "03-days", "40-days"], input="y\n").exit_code == 0
    assert left() == {"01-days"}


def test_yes_removes_without_a_question() -> None:
    done = RUNNER.invoke(app, ["runs", "rm", "--yes", "03-days"])
    assert "removed 1 record" in done.stdout
    assert left() == {"40-days", "01-days"}


def test_pruning_leaves_the_newest_and_what_has_a_label() -> None:
    assert RUNNER.invoke(app, ["runs", "prune", "--before", "2d", "--yes"]).exit_code == 0
    assert left() == {"40-days", "01-days"}, "one of them is new, the other has a label"
    assert RUNNER.invoke(app, ["runs", "prune", "--label", "old", "--yes"]).exit_code == 0
    assert left() == {"01-days"}
    assert "no record fits" in RUNNER.invoke(app, ["runs", "prune", "--keep", "1", "--yes"]).stdout
    assert "would remove every record" in str(RUNNER.invoke(app, ["runs", "prune", "--yes"]).exception)


@pytest.mark.parametrize(
    "words", [["--engine", "flink", "prune", "--keep", "1"], ["--study", "s", "rm", "03-days"], ["--json", "label", "weekly", "03-days"]]
)  # fmt: skip
def test_a_filter_before_a_command_is_refused_as_the_command_would_not_see_it(words: list[str]) -> None:
    error = RUNNER.invoke(app, ["runs", *words]).exception
    assert isinstance(error, UsageError)
    assert f"weft runs: {words[0]} before " in error.message
    assert len(left()) == 3


def test_keeping_more_records_than_there_are_removes_none() -> None:
    for keep in ("3", "4", "5", "20"):
        done = RUNNER.invoke(app, ["runs", "prune", "--keep", keep, "--label", "", "--yes"])
        assert "no record fits" in done.stdout
    assert len(left()) == 3


def test_a_running_record_gets_no_label_that_it_would_lose(monkeypatch: pytest.MonkeyPatch) -> None:
    make_record(settings.runs() / "00-running", head={"verdict": "RUNNING"})
    monkeypatch.setattr("weft.record.record.Stored.alive", lambda _: True)
    error = RUNNER.invoke(app, ["runs", "label", "weekly", "00-running"]).exception
    assert "is still running" in str(error)
    assert listed("--label", "weekly") == []


def test_a_running_record_is_never_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    make_record(settings.runs() / "00-running", head={"verdict": "RUNNING"})
    monkeypatch.setattr("weft.record.record.Stored.alive", lambda _: True)
    assert "is still running" in str(RUNNER.invoke(app, ["runs", "rm", "--yes", "00-running"]).exception)
    RUNNER.invoke(app, ["runs", "prune", "--since", "3000d", "--label", "", "--yes"])
    assert "00-running" in left()


def test_a_record_of_another_host_is_not_removed_while_its_run_may_live() -> None:
    """As of a job that has waited in the queue for hours, and has written nothing meanwhile."""
    make_record(settings.runs() / "00-queued", head={"verdict": "RUNNING", "host": "elsewhere"})
    held = settings.state() / "leases" / "00-queued.jsonl"
    held.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    held.touch()
    error = RUNNER.invoke(app, ["runs", "rm", "--yes", "00-queued"]).exception
    assert "00-queued may still run on elsewhere" in str(error)
    RUNNER.invoke(app, ["runs", "prune", "--since", "3000d", "--label", "", "--yes"])
    assert "00-queued" in left()
    held.unlink()
    assert RUNNER.invoke(app, ["runs", "rm", "--yes", "00-queued"]).exit_code == 0
    assert "00-queued" not in left()


def test_a_broken_record_can_be_removed_by_its_name_and_nothing_outside_is_touched(tmp_path: Path) -> None:
    broken, outside = settings.runs() / "broken", tmp_path / "outside"
    broken.mkdir()
    (broken / "record.json").write_text("{")
    outside.mkdir()
    (outside / "file").touch()
    (broken / "link").symlink_to(outside)
    assert RUNNER.invoke(app, ["runs", "rm", "--yes", "broken"]).exit_code == 0
    assert "broken" not in left()
    assert (outside / "file").exists()
    error = RUNNER.invoke(app, ["runs", "rm", "--yes", "../outside"]).exception
    assert isinstance(error, WeftError)
    assert (outside / "file").exists()


@pytest.mark.parametrize("name", [".", "./", "{}"])
def test_a_directory_that_is_no_record_is_not_removed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has a file of that name; and the directory of the records has an own path from everywhere."""
    (elsewhere := tmp_path / "elsewhere").mkdir()
    (elsewhere / "record.json").write_text('{"of": "another program"}')
    monkeypatch.chdir(elsewhere)
    error = RUNNER.invoke(app, ["runs", "rm", "--yes", name.format(elsewhere)]).exception
    assert isinstance(error, WeftError)
    assert (elsewhere / "record.json").exists()
    assert len(left()) == 3


def test_the_verdict_of_somebody_else_s_record_is_no_markup() -> None:
    make_record(settings.runs() / "00-foreign", head={"verdict": "[/]"})
    for words in (["runs"], ["show", "00-foreign"]):
        done = RUNNER.invoke(app, words)
        assert done.exit_code == 0, done.exception
        assert "[/]" in done.stdout


def test_a_word_between_colons_is_no_emoji() -> None:
    make_record(settings.runs() / "00-labelled", head={"labels": ["night:m:2"]})
    assert "night:m:2" in RUNNER.invoke(app, ["runs"]).stdout
    make_record(settings.runs() / "00-failed", head={"verdict": "INVALID", "reason": "root:x:0"})
    assert "root:x:0" in RUNNER.invoke(app, ["show", "00-failed"]).stdout
