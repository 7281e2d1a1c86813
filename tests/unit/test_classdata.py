"""Class-data archives: made once, and never in the way."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from weft.provision import classdata, jdk


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_CACHE", str(tmp_path / "cache"))


def version(scratch: Path) -> Sequence[str]:
    return ["-cp", "nothing", "-version"]


def test_an_archive_is_made_once(tmp_path: Path) -> None:
    said: list[str] = []
    first = classdata.build("thing", jdk.java(), tmp_path, version, said.append)
    assert first is not None
    assert first.stat().st_size > 0
    assert classdata.build("thing", jdk.java(), tmp_path, version, said.append) == first
    assert len(said) == 1
    assert [path.name for path in first.parent.iterdir()] == [first.name]


def test_training_that_fails_costs_speed_alone(tmp_path: Path) -> None:
    said: list[str] = []
    found = classdata.build(
        "thing", jdk.java(), tmp_path, lambda scratch: ["no.such.Program", str(scratch)], said.append
    )
    assert found is None
    assert "start slower" in json.dumps(said)
