"""`weft predict` as programs call it: what is on standard output is JSON, and a page that is asked for is written."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.unit.report_fakes import make_record
from weft.analysis.predict.prediction import Prediction
from weft.api import predictions
from weft.cli import app
from weft.host import settings

RUNNER = CliRunner()


def test_json_comes_with_the_page_that_is_asked_for(tmp_path: Path) -> None:
    record = make_record(settings.runs() / "run").directory
    page = tmp_path / "page.html"
    done = RUNNER.invoke(app, ["predict", "run", "--nodes", "2,4", "--json", "--out", str(page)])
    assert done.exit_code == 0, done.exception
    assert [point["nodes"] for point in json.loads(done.stdout)["curves"][0]["points"]] == [2, 4]
    assert page.read_text().startswith("<!doctype html>")
    assert not (record / "prediction.html").exists()


@pytest.mark.parametrize("size", ["9" * 400, "\N{SUPERSCRIPT TWO}", "1.2.3", "nan", "-1"])
def test_a_size_that_is_none_is_refused_by_name(size: str) -> None:
    make_record(settings.runs() / "run")
    error = RUNNER.invoke(app, ["predict", "run", f"--size={size}"]).exception
    assert str(error).startswith("--size: ")


def test_the_machines_of_io500_are_data_too() -> None:
    found = json.loads(RUNNER.invoke(app, ["predict", "--machine", "io500:", "--json"]).stdout)
    assert {"name", "file_system", "rates"} <= found[0].keys()


def test_the_page_is_in_the_record_that_was_predicted_from_also_if_runs_were_made_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    record = make_record(settings.runs() / "run").directory
    predict = predictions.predict

    def with_a_run(run: str, **given: Any) -> Prediction:
        found = predict(run, **given)
        make_record(settings.runs() / "small", head={"created": "2026-11-14T22:13:20+0000"})
        return found

    monkeypatch.setattr(predictions, "predict", with_a_run)
    assert RUNNER.invoke(app, ["predict", "last", "--nodes", "2"]).exit_code == 0
    assert (record / "prediction.html").exists()
    assert not (settings.runs() / "small" / "prediction.html").exists()
