"""Records as a notebook reads them."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

import weft
from weft.api import notebook
from weft.errors import UsageError
from weft.layout.client import Client


def stored(runs: Path, name: str, **head: object) -> None:
    (runs / name).mkdir(parents=True)
    about = {"name": name, "schema": 2, "verdict": "VALID", "engine": "spark", **head}
    (runs / name / "record.json").write_text(json.dumps(about))


def test_records_are_a_data_frame_with_a_row_for_each(tmp_path: Path) -> None:
    stored(
        tmp_path,
        "a",
        measured=2.5,
        bytes_in=100,
        phases={"run": 2.4},
        cell={"coordinates": {"scratch": "memory"}},
    )
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
    assert {"t", "counter", "value", "path_class", "operation"} <= set(weft.samples("a", tmp_path).columns)


def cluster(kind: str, directory: Path, **layout: object) -> SimpleNamespace:
    """As registry.find returns one, with what `connect` reads of it."""
    client = Client({"SPARK_CONF_DIR": str(directory)}, {"PYTHONPATH": [str(directory / "pyspark.zip")]})
    head = SimpleNamespace(
        prefix=layout.get("prefix", ()), way=layout.get("reach", ""), name="node1", host="", cores=2
    )
    where = SimpleNamespace(head=head, nodes=[head], wrapper=lambda _: layout.get("wrapper", ()))
    engine = SimpleNamespace(kind=kind, label=kind)
    return SimpleNamespace(name="mine", engine=engine, client=client, layout=where)


@pytest.fixture
def pyspark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A Spark whose sessions are their settings."""
    (tmp_path / "pyspark.zip" / "pyspark").mkdir(parents=True)
    (tmp_path / "pyspark.zip" / "pyspark" / "__init__.py").write_text(
        "class SparkContext:\n    _gateway = None\n"
    )
    (tmp_path / "pyspark.zip" / "pyspark" / "sql.py").write_text(
        "class SparkSession:\n    class builder:\n        appName = classmethod(lambda cls, name: cls)\n"
        "        config = classmethod(lambda cls, map: setattr(cls, 'map', map) or cls)\n"
        "        getOrCreate = classmethod(lambda cls: cls.map)\n"
    )
    monkeypatch.setattr(sys, "path", list(sys.path))
    for variable in ("SPARK_CONF_DIR", "PYTHONPATH", "PYSPARK_PYTHON", "WEFT_NODE"):
        monkeypatch.setenv(variable, "")
    yield ModuleType("pyspark")
    for name in ("pyspark", "pyspark.sql"):
        sys.modules.pop(name, None)


def test_a_session_has_the_settings_of_its_cluster(
    pyspark: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notebook.registry, "find", lambda _: cluster("spark", tmp_path))
    # the cluster's executors have two cores: with one core in all, the Master would start none
    one = {"spark.cores.max": "1", "spark.executor.cores": "1"}
    assert weft.connect("mine", {"spark.cores.max": "1"}) == one
    assert os.environ["SPARK_CONF_DIR"] == str(tmp_path)
    assert os.environ["PYTHONPATH"] == str(tmp_path / "pyspark.zip")
    assert weft.connect("mine") == {}  # once more in the same process
    sys.modules["pyspark"].SparkContext._gateway = object()
    monkeypatch.setattr(notebook.registry, "find", lambda _: cluster("spark", tmp_path / "other"))
    with pytest.raises(UsageError, match="has a Spark driver already"):
        weft.connect("other")


@pytest.mark.parametrize(
    ("kind", "layout", "why", "hint"),
    [
        ("flink", {}, "has no Spark: it runs flink", "weft connect mine"),
        ("spark", {"prefix": ("nsenter",)}, "could not connect to it", "weft exec mine -- jupyter lab"),
        ("spark", {"reach": "ssh"}, "could not connect to it", "weft exec mine -- jupyter lab"),
        ("spark", {"wrapper": ("apptainer",)}, "could not connect to it", "weft exec mine -- jupyter lab"),
    ],
)
def test_a_cluster_that_cannot_be_used_from_here_is_refused_with_a_way_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, layout: dict[str, object], why: str, hint: str
) -> None:
    monkeypatch.setenv("SPARK_CONF_DIR", "")
    monkeypatch.setattr(notebook.registry, "find", lambda _: cluster(kind, tmp_path, **layout))
    with pytest.raises(UsageError, match=why) as refused:
        weft.connect("mine")
    assert hint in refused.value.hint
