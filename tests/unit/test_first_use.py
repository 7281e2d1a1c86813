"""The first run with an engine makes no class-data archive; the next one does, and studies always do."""

from pathlib import Path
from typing import Any

import pytest

from weft.host import settings
from weft.run.firstuse import lighter
from weft.spec.study import Study, study_from


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WEFT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def study(**table: Any) -> Study:
    return study_from({"workload": "terasort:1MB", "nodes": "local:1", **table}, name="one")


def archives(asked: Study) -> list[bool]:
    """Of each cell: whether it uses archives after what is asked was made lighter."""
    return [spec.class_archives for _, spec in lighter(asked, lambda _: None).cells()]


@pytest.mark.parametrize(
    ("engine", "names"), [("spark", "spark"), ("flink", "flink"), ("hadoop", "hadoop"), ("spark:master=yarn", "hadoop and spark")]
)  # fmt: skip
def test_the_first_run_leaves_the_archive_to_the_next(engine: str, names: str) -> None:
    shown: list[str] = []
    first = lighter(asked := study(engine=engine), shown.append)
    assert [spec.class_archives for _, spec in first.cells()] == [False]
    assert first.base["class_archives"] is False, "its record repeats another run"
    assert [one.split(" archives ")[0] for one in shown] == [f"the next run with {names}"]
    assert archives(asked) == [True]


def test_each_engine_has_a_first_run_of_its_own() -> None:
    assert archives(study(engine="spark")) == [False]
    assert archives(study(engine="flink")) == [False]
    assert archives(study(engine="spark", input="hdfs", output="hdfs")) == [False], (
        "Hadoop's are not made yet"
    )


def test_an_archive_that_is_there_is_used(cache: Path) -> None:
    (cache / "classes-spark-0123").mkdir(parents=True)
    assert archives(study(engine="spark")) == [True]


@pytest.mark.parametrize(
    "table",
    [
        {"repeat": 2},
        {"matrix": {"workload.size": ["1MB", "2MB"]}},
        {"class_archives": True},
        {"engine": "dask"},
    ],
)
def test_what_is_compared_asked_for_or_has_no_archive_is_as_it_was(
    table: dict[str, Any], cache: Path
) -> None:
    assert set(archives(study(**table))) == {True}
    assert not cache.exists()


def test_a_run_that_lists_classes_is_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(settings.CLASS_LISTS, str(tmp_path))
    assert archives(study()) == [True]


def test_a_cache_in_which_nothing_can_be_noted_makes_archives_at_once(cache: Path) -> None:
    cache.write_text("")
    assert archives(study()) == [True]
