"""Records as a notebook reads them."""

import json
from pathlib import Path

import weft


def stored(runs: Path, name: str, **head: object) -> None:
    (runs / name).mkdir(parents=True)
    about = {"name": name, "schema": 2, "verdict": "VALID", "engine": "spark", **head}
    (runs / name / "record.json").write_text(json.dumps(about))


def test_records_are_a_data_frame_with_a_row_for_each(tmp_path: Path) -> None:
    stored(tmp_path, "a", measured=2.5, bytes_in=100, phases={"run": 2.4}, cell={"scratch": "memory"})
    stored(tmp_path, "b", verdict="INVALID", reason="no answer", phases={"acquire": 1})
    found = weft.records(tmp_path)
    assert found["name"].to_list() == ["a", "b"]
    assert found["verdict"].to_list() == ["VALID", "INVALID"]
    assert found["measured"].to_list() == [2.5, None]
    assert found["phase.run"].to_list() == [2.4, None]
    assert found["cell.scratch"].to_list() == ["memory", None]
    assert found["reason"].to_list() == [None, "no answer"]


def test_a_directory_without_records_is_an_empty_data_frame(tmp_path: Path) -> None:
    assert weft.records(tmp_path).is_empty()


def test_samples_of_a_run_are_a_data_frame(tmp_path: Path) -> None:
    stored(tmp_path, "a")
    assert {"t", "counter", "value"} <= set(weft.samples("a", tmp_path).columns)
