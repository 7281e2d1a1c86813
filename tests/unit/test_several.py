"""Several engines on the same nodes: plans made of the engines' own, and nothing touched."""

import itertools
import os
import re
import tomllib
from typing import Any

import pytest

from tests.fakes import (
    GIB,
    RECORD,
    WORK,
    fake_hadoop_layout,
    fake_layout,
    fake_nodes,
    fake_plan,
    fake_shared_layout,
)
from weft.adapters.engines.flink.engine import FlinkEngine
from weft.adapters.engines.several import SeveralEngine
from weft.adapters.engines.spark.engine import SparkEngine
from weft.clusters import attach
from weft.clusters.registry import PersistentCluster
from weft.errors import UsageError
from weft.layout.job import Job
from weft.layout.plan import Plan
from weft.spec.keys import put
from weft.spec.model import Spec
from weft.spec.parse import parse
from weft.text.toml import toml_of
from weft.text.units import show_size

PAIRS = pytest.mark.parametrize(
    "names", [",".join(pair) for pair in itertools.permutations(["spark", "hadoop", "flink"], 2)]
)


def spec(engine: Any, workload: str = "persistent:mine", **settings: str) -> Spec:
    return parse({"workload": workload, "engine": engine}, settings)


def engine(names: str, **settings: str) -> SeveralEngine:
    found = spec(names, **settings).engine
    assert isinstance(found, SeveralEngine)
    return found


def plan(names: str, count: int = 2, memory: int = 8 * GIB) -> Plan:
    asked = engine(names)
    return fake_plan(asked, fake_hadoop_layout(fake_nodes(count, memory=memory), asked))


@PAIRS
def test_the_daemons_are_those_of_each_engine_under_its_name_in_order(names: str) -> None:
    alone = [
        f"{kind}-{daemon.name}"
        for kind in names.split(",")
        for daemon in spec(kind).engine.plan(fake_hadoop_layout()).daemons
    ]
    yarn = ["resourcemanager", "nodemanager-node1", "nodemanager-node2"] if "hadoop" in names else []
    found = [daemon.name for daemon in plan(names).daemons]
    assert found == [*yarn, *alone]
    assert len(set(found)) == len(found)


@PAIRS
def test_no_port_is_taken_twice_on_a_node(names: str) -> None:
    taken = [(daemon.node.name, port) for daemon in plan(names).daemons for port in daemon.ports]
    assert len(set(taken)) == len(taken)


def test_all_three_fit_on_one_node() -> None:
    found = plan("hadoop,spark,flink", count=1, memory=12 * GIB)
    assert {daemon.table for daemon in found.daemons} == {
        "engine.hadoop",
        "engine.spark",
        "engine.flink",
    }
    assert len(found.applications) == 3


@PAIRS
def test_what_is_generated_for_one_is_not_in_the_others_directory(names: str) -> None:
    found = plan(names)
    folders = {path.relative_to(WORK).parts[0] for path in found.files}
    assert folders == set(names.split(","))
    several = engine(names)
    layout = fake_hadoop_layout(fake_nodes(memory=8 * GIB), several)
    sizes = [len(part.plan(layout.of_engine(kind)).files) for kind, part in several.parts.items()]
    sizes += [len(service.plan(layout).files) for service in several.services()]
    assert len(found.files) == sum(sizes)


@PAIRS
def test_everything_of_a_node_fits_into_its_memory(names: str) -> None:
    heaps = [
        int(word)
        for daemon in plan(names).daemons
        if daemon.node.name == "node1"
        for word in re.findall(r"-Xmx(\d+)m", " ".join(daemon.argv))
    ]
    assert sum(heaps) << 20 < 8 * GIB


def test_memory_is_shared_equally_or_as_is_asked() -> None:
    equal = engine("spark,flink")
    layout = fake_shared_layout(equal, fake_nodes(memory=9 * GIB))
    assert [layout.of_engine(kind).head.memory * 2 for kind in equal.parts] == [9 * GIB, 9 * GIB]
    two_to_one = engine("spark,flink", **{"engine.spark.share": "2"})
    layout = fake_shared_layout(two_to_one, fake_nodes(memory=9 * GIB))
    shares = {kind: layout.of_engine(kind) for kind in ("spark", "flink")}
    assert {kind: share.head.memory // GIB for kind, share in shares.items()} == {"spark": 6, "flink": 3}
    assert shares["spark"].slots == layout.slots
    found = two_to_one.plan(layout)
    heap = SparkEngine().heap(fake_layout(fake_nodes(memory=6 * GIB)))
    worker = next(daemon for daemon in found.daemons if daemon.name == "spark-worker-node2")
    assert worker.argv[worker.argv.index("--memory") + 1] == f"{heap >> 20}m"
    assert show_size(found.derived["several"].sizes["memory of each node for flink"]) == "3.22 GB"


def test_a_share_that_is_too_small_is_refused_with_the_keys_that_help() -> None:
    with pytest.raises(UsageError, match="in its share of the nodes: spark") as caught:
        small = engine("spark,flink")
        small.plan(fake_hadoop_layout(fake_nodes(memory=4 * GIB), small))
    assert "engine.spark.driver_memory" in caught.value.hint
    assert "engine.spark.share=2" in caught.value.hint


def test_what_does_not_answer_is_named_as_the_log_is() -> None:
    found = plan("spark,flink")
    names = {daemon.name for daemon in found.daemons}
    spark, flink = found.ready
    assert set(spark.missing({"workers": []})) == {"spark-worker-node1", "spark-worker-node2"} <= names
    assert set(flink.missing({"taskmanagers": []})) <= names
    assert (spark.of, flink.of) == ("engine.spark", "engine.flink")


def test_applications_are_counted_by_each() -> None:
    spark, flink = plan("spark,flink").applications
    assert spark.count({"activeapps": [{}, {}]}) == 2
    assert flink.count({"jobs-running": 1, "jobs-finished": 4}) == 1
    (yarn,) = spec("hadoop").engine.plan(fake_hadoop_layout()).applications
    assert yarn.count({"clusterMetrics": {"appsRunning": 1, "appsPending": 2, "appsCompleted": 9}}) == 3


def test_one_shell_finds_the_commands_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/own")
    several = engine("spark,hadoop")
    layout = fake_hadoop_layout(fake_nodes(memory=8 * GIB), several)
    client = several.client(layout)
    cluster = PersistentCluster("mine", os.getpid(), several, "local:2", layout, client, 1.0, None)
    found = attach.environment(cluster)
    own = [f"{WORK}/spark/bin", "/cache/spark/bin", "/jdk/bin", f"{WORK}/hadoop/bin", "/own"]
    assert found["PATH"].split(":") == own
    assert found["SPARK_CONF_DIR"] == f"{WORK}/spark/conf"
    assert found["HADOOP_CONF_DIR"] == f"{WORK}/hadoop/conf"
    assert {path.name for path in client.programs} >= {"pyspark", "yarn", "hadoop", "mapred"}
    assert {kind: part.address for kind, part in client.parts.items()} == {
        "spark": "spark://10.0.0.1:7077",
        "hadoop": "10.0.0.1:6030",
    }


def test_a_job_is_one_engines() -> None:
    several = engine("spark,flink")
    layout = fake_hadoop_layout(fake_nodes(memory=8 * GIB), several)
    job = Job("j", "/j.jar", [], RECORD / "out")
    with pytest.raises(UsageError, match="one engine"):
        several.submit(job, layout)
    words = several.parts["flink"].submit(job, layout.of_engine("flink")).argv
    assert any(f"{WORK}/flink/conf" in word for word in words)


def test_a_list_of_tables_is_the_same_and_is_written_as_toml() -> None:
    table: dict[str, Any] = {"workload": "persistent:mine", "engine": "spark,flink"}
    put(table, "engine.flink.port", "7000")
    put(table, "engine.spark.conf.spark.a.b", "c")
    again = tomllib.loads(toml_of(table, {}))
    assert again["engine"][1] == {"kind": "flink", "port": "7000"}
    assert parse(again) == parse(table)
    found = parse(table).engine
    assert found.parts["flink"] == FlinkEngine(port=7000, web_port=8181)
    assert isinstance(found.parts["spark"], SparkEngine)
    assert found.parts["spark"].conf == {"spark.a.b": "c"}


def test_it_comes_back_from_its_own_text() -> None:
    asked = spec("hadoop,spark", **{"engine.hadoop.share": "3", "spark.x": "y"})
    assert Spec.model_validate_json(asked.model_dump_json()) == asked
    assert list(asked.engine.parts) == ["hadoop", "spark"]
    assert asked.distributions() == ("hadoop", "spark")


def test_a_list_of_one_is_that_engine() -> None:
    assert spec([{"kind": "flink", "port": "7000"}]).engine == FlinkEngine(port=7000)


@pytest.mark.parametrize(
    ("names", "settings", "message"),
    [
        ("spark,spark", {}, "listed twice"),
        ("spark,hadop", {}, "unknown engine 'hadop'"),
        ("spark,flink", {"engine.port": "7000"}, "is ambiguous: the engines are spark, flink"),
        ("spark,flink", {"engine.spark.prt": "7000"}, "unknown key 'engine.spark.prt'"),
        ("spark,flink", {"engine.spark.port": "1"}, r"engine\.spark\.port: .* 1024"),
        ("spark,flink", {"engine.spark.share": "0"}, r"engine\.spark\.share"),
        ("spark,hadoop", {"engine.spark.master": "yarn"}, "spark uses its own master"),
    ],
)
def test_what_cannot_be_meant_is_refused(names: str, settings: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        spec(names, **settings)


def test_ports_that_were_chosen_alike_are_refused() -> None:
    alike = engine("spark,flink", **{"engine.flink.web_port": "8081"})
    with pytest.raises(
        UsageError, match=r"spark-worker-node1 and flink-jobmanager on node1 both use port 8081"
    ):
        alike.plan(fake_hadoop_layout(fake_nodes(memory=8 * GIB), alike))


@pytest.mark.parametrize("workload", ["terasort", "pi"])
def test_a_run_has_one_engine(workload: str) -> None:
    with pytest.raises(UsageError, match="runs on one engine") as caught:
        spec("spark,hadoop", workload)
    assert "weft up --engine spark,hadoop" in caught.value.hint
