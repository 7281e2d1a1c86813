"""What the user asked for: one table, spelled as TOML or as flags."""

import math
import tomllib
from pathlib import Path
from typing import Any

import pytest

from weft.adapters.engines.spark.engine import SparkEngine
from weft.adapters.nodes.virtual import VirtualNodes
from weft.adapters.storage.base import layers
from weft.adapters.storage.disk import DiskStorage
from weft.adapters.storage.loopback import LoopbackStorage
from weft.api.flags import Flags
from weft.api.request import study_of
from weft.errors import UsageError
from weft.spec.keys import describe, put
from weft.spec.model import FAMILIES, Spec
from weft.spec.parse import parse

TOML = """
workload = "terasort:2GB"
nodes = "virtual:3,rate=1gbit"

[engine]
kind = "spark"
driver_memory = "2G"

[engine.conf]
"spark.shuffle.compress" = "false"

[scratch]
kind = "loopback"
path = "/lustre/me"
size = "2G"
"""
FLAGS = Flags(
    nodes="virtual:3,rate=1gbit",
    size="2GB",
    scratch="loopback:/lustre/me,size=2G",
    set=("engine.driver_memory=2G", "spark.shuffle.compress=false"),
)


def refused(**table: object) -> UsageError:
    with pytest.raises(UsageError) as caught:
        parse(table)
    return caught.value


def test_toml_and_flags_are_two_spellings_of_one_spec() -> None:
    ((_, spec),) = study_of("terasort", FLAGS).cells()
    assert parse(tomllib.loads(TOML)) == spec
    assert isinstance(spec.nodes, VirtualNodes)
    assert isinstance(spec.scratch, LoopbackStorage)
    assert isinstance(spec.engine, SparkEngine)
    assert (spec.nodes.count, spec.scratch.size, spec.engine.driver_memory) == (3, 2 << 30, 2 << 30)
    assert spec.engine.conf == {"spark.shuffle.compress": "false"}
    assert spec.workload.size == 2_000_000_000


def test_a_file_and_a_folder_with_study_toml_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(TOML)
    file, folder = (study_of(str(path), Flags()) for path in (tmp_path / "study.toml", tmp_path))
    assert file.cells() == folder.cells()
    assert (file.name, folder.name) == ("study", tmp_path.name)


def test_the_folder_in_which_weft_is_called_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "study.toml").write_text(TOML)
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    assert study_of("..", Flags()).name == tmp_path.name
    monkeypatch.chdir(tmp_path)
    assert study_of(".", Flags()).name == tmp_path.name


def test_flags_win_over_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(TOML)
    ((_, spec),) = study_of(str(tmp_path / "a.toml"), Flags(size="1GB", set=("scratch.size=1G",))).cells()
    assert spec.workload.size == 10**9
    assert isinstance(spec.scratch, LoopbackStorage)
    assert (spec.scratch.on, spec.scratch.size) == (DiskStorage(path=Path("/lustre/me")), 1 << 30)


def test_the_same_text_has_the_same_key_and_another_text_another() -> None:
    one, same, other = (
        parse({"workload": text}) for text in ("terasort:1GB", "terasort,size=1GB", "terasort:2GB")
    )
    assert one.key() == same.key() != other.key()


@pytest.mark.parametrize(
    ("table", "message", "nearest"),
    [
        ({"workload": "terasort", "scrach": "disk"}, "unknown key 'scrach'", "scratch"),
        ({"workload": "terasort,sise=1GB"}, "unknown key 'workload.sise'", "size"),
        (
            {"workload": "terasort", "nodes": {"kind": "virtual", "rat": "1gbit"}},
            "unknown key 'nodes.rat'",
            "rate",
        ),
        ({"workload": "terasort", "engine": "spark,prot=1"}, "unknown key 'engine.prot'", "port"),
        ({"workload": "terasort", "scratch": "loopbak"}, "unknown scratch 'loopbak'", "loopback"),
        ({"workload": "terasort", "nodes": "virtul:2"}, "unknown nodes 'virtul'", "virtual"),
        ({"workload": "terasrot"}, "terasrot", "terasort"),
    ],
)
def test_an_unknown_word_is_refused_with_the_nearest(
    table: dict[str, object], message: str, nearest: str
) -> None:
    error = refused(**table)
    assert message in error.message
    assert f"did you mean {nearest!r}?" in error.hint


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"workload": "terasort:-1"}, ["workload.size", "'-1' is not a size"]),
        ({"workload": "terasort:0"}, ["workload.size", "not a size"]),
        ({"workload": "terasort:99"}, ["workload.size", "100"]),
        ({"workload": "terasort", "nodes": "local:0"}, ["nodes.count"]),
        ({"workload": "terasort", "nodes": "local:two"}, ["nodes.count", "'two'"]),
        ({"workload": "terasort", "nodes": "virtual:2,rate=fast"}, ["nodes.rate", "'fast'"]),
        ({"workload": "terasort", "engine": "spark,port=80"}, ["engine.port", "1024"]),
        ({"workload": "terasort", "timeout": "soon"}, ["timeout", "not a duration"]),
        ({"workload": "terasort", "scratch": "mount"}, ["scratch.path is required"]),
        ({"workload": "terasort", "probes": "prok"}, ["probes"]),
        ({}, ["no workload given"]),
    ],
)
def test_a_value_that_cannot_be_meant_names_its_key(table: dict[str, object], words: list[str]) -> None:
    message = refused(**table).message
    assert [word for word in words if word not in message] == [], message


@pytest.mark.parametrize(
    ("word", "path", "value"),
    [
        ("partitions=7", ("workload", "partitions"), 7),
        ("workload.seed=3", ("workload", "seed"), 3),
        ("engine.port=7100", ("engine", "port"), 7100),
        ("spark.a.b=c", ("engine", "conf"), {"spark.a.b": "c"}),
        ("engine.conf.spark.a.b=c", ("engine", "conf"), {"spark.a.b": "c"}),
        ("nodes.count=5", ("nodes", "count"), 5),
        ("nodes=virtual:4", ("nodes", "kind"), "virtual"),
        ("timeout=2h", ("timeout",), 7200.0),
        ("probes=proc", ("probes",), ("proc",)),
    ],
)
def test_set_reaches_any_key(word: str, path: tuple[str, ...], value: object) -> None:
    ((_, spec),) = study_of("terasort", Flags(set=(word,))).cells()
    found: object = spec
    for step in path:
        found = getattr(found, step)
    assert found == value


def test_only_a_job_of_the_users_own_has_no_time_limit(tmp_path: Path) -> None:
    (tmp_path / "job.py").touch()
    own = {"workload": {"kind": "own-job", "program": str(tmp_path / "job.py")}}
    limits = [parse({"workload": "terasort"}), parse(own), parse({**own, "timeout": "2h"})]
    assert [spec.time_limit for spec in limits] == [3600, math.inf, 7200]


@pytest.mark.parametrize("word", ["partitions", "timeout.x=1", "nodes:2"])
def test_set_refuses_what_has_no_place(word: str) -> None:
    with pytest.raises(UsageError):
        study_of("terasort", Flags(set=(word,)))


def test_an_unknown_workload_names_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        study_of("terasrot", Flags())
    assert "did you mean 'terasort'?" in caught.value.hint


def test_a_file_that_is_not_there_or_not_toml_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("workload = ")
    for name in ("none.toml", "bad.toml"):
        with pytest.raises(UsageError, match=name):
            study_of(str(tmp_path / name), Flags())


def test_a_spec_reads_its_own_dump() -> None:
    spec = parse(tomllib.loads(TOML))
    assert Spec.model_validate_json(spec.model_dump_json()) == spec


@pytest.mark.parametrize("model", [model for kinds in FAMILIES.values() for model in kinds.values()])
def test_every_key_of_every_adapter_is_described(model: type) -> None:
    assert [key for key, _, words in describe(model) if not words] == []


def test_file_operations_are_counted_where_files_are_on_a_parallel_file_system() -> None:
    assert parse({"workload": "groupby", "scratch": "pool+delayed:lustre"}).added_probes() == {
        "fileops": "files are on delayed:lustre"
    }
    assert parse({"workload": "groupby"}).added_probes() == {}


def test_probes_that_are_listed_are_all() -> None:
    spec = parse({"workload": "groupby", "scratch": "delayed:lustre", "probes": "proc"})
    assert spec.added_probes() == {}


def test_nothing_in_place_of_a_table_empties_it() -> None:
    table: dict[str, Any] = {"workload": {"kind": "own-sql", "query": "q", "conf": {"a": "b"}}}
    put(table, "workload.conf", "")
    put(table, "query", "")
    assert table["workload"] == {"kind": "own-sql", "query": "", "conf": {}}


@pytest.mark.parametrize(
    ("text", "flags", "words"),
    [
        ("nodes = 4", Flags(time="10m"), "nodes: it must be a table or a name, not 4"),
        ("nodes = 4", Flags(set=("nodes.count=2",)), "nodes: it must be a table or a name, not 4"),
        ("engine = [5]", Flags(set=("spark.x=1",)), "engine: it must be a table or a name, not 5"),
        ("engine = [{ share = 2 }]", Flags(set=("engine.flink.port=7000",)), "is ambiguous"),
        ('engine = { kind = "spark", conf = "x" }', Flags(set=("spark.x=1",)), "conf is 'x', and no"),
        ("labels = 5", Flags(labels=("a",)), "labels"),
        ("probes = 5", Flags(probes=("fileops",)), "probes"),
    ],
)
def test_a_flag_over_a_value_of_another_type_names_its_key(
    text: str, flags: Flags, words: str, tmp_path: Path
) -> None:
    (tmp_path / "a.toml").write_text(f'workload = "terasort"\n{text}\n')
    with pytest.raises(UsageError, match=words):
        study_of(str(tmp_path / "a.toml"), flags)


def test_a_flag_over_a_file_without_a_workload_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('nodes = "local:1"\n')
    with pytest.raises(UsageError, match="no workload given"):
        study_of(str(tmp_path / "a.toml"), Flags(size="1GB"))


@pytest.mark.parametrize("form", ["disk:{}", "pool:{}", "pool+mount:{}"])
@pytest.mark.parametrize(
    ("path", "there"),
    [(".", "{here}"), ("files", "{here}/files"), ("~/files", "/home/me/files"), ("/a/../b", "/a/../b")],
)
def test_a_directory_is_meant_from_where_weft_is_called(
    form: str, path: str, there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/me")
    spec = parse({"workload": "terasort", "scratch": form.format(path)})
    assert [getattr(layer, "path", None) for layer in layers(spec.scratch)][-1] == Path(
        there.format(here=tmp_path)
    )
    assert Spec.model_validate_json(spec.model_dump_json()) == spec


def test_a_variable_is_left_to_the_job() -> None:
    spec = parse({"workload": "terasort", "nodes": "slurm:2", "scratch": "mount:$DW_JOB_PRIVATE/x"})
    assert [str(getattr(layer, "path", "")) for layer in layers(spec.scratch)] == ["$DW_JOB_PRIVATE/x"]
