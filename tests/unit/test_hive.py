"""The Hive engine: a layout in, files and commands out, and nothing touched."""

from dataclasses import replace
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.fakes import GIB, WORK, fake_hadoop_layout, fake_nodes, fake_plan
from weft.adapters.engines.hive.engine import HiveEngine
from weft.errors import UsageError
from weft.layout.endpoint import Endpoint, HadoopFileSystem
from weft.layout.job import Dependencies, Job
from weft.spec.parse import parse
from weft.text.units import parse_size

JOB = Job("queries", "Sql", ["--order", "q3"])


def settings(path: str, engine: HiveEngine | None = None) -> dict[str, str]:
    text = fake_plan(engine or HiveEngine(), fake_hadoop_layout(engine=engine or HiveEngine())).files[
        WORK / path
    ]
    return {each.findtext("name", ""): each.findtext("value", "") for each in ElementTree.fromstring(text)}


def test_the_files_of_a_two_node_cluster(snapshot: SnapshotAssertion) -> None:
    plan = HiveEngine().plan(fake_hadoop_layout(engine=HiveEngine()))
    assert {str(path): content for path, content in plan.files.items()} == snapshot


def test_the_client_of_a_two_node_cluster(snapshot: SnapshotAssertion) -> None:
    assert list(HiveEngine().submit(JOB, fake_hadoop_layout(engine=HiveEngine())).argv) == snapshot


def test_on_tez_hive_has_no_daemon_and_on_mapreduce_the_history_of_its_jobs() -> None:
    def daemons(engine: HiveEngine) -> list[str]:
        return [daemon.name for daemon in engine.plan(fake_hadoop_layout(engine=engine)).daemons]

    assert daemons(HiveEngine()) == []
    assert daemons(HiveEngine(on="mr")) == ["jobhistory"]


@pytest.mark.parametrize(
    ("form", "on", "label"), [("hive", "tez", "hive on Tez"), ("hive:on=mr", "mr", "hive on MapReduce"), ("hive:mr", "mr", "hive on MapReduce")]
)  # fmt: skip
def test_what_runs_queries_is_part_of_the_short_form(form: str, on: str, label: str) -> None:
    engine = parse({"workload": "sql-join", "engine": form}).engine
    assert isinstance(engine, HiveEngine)
    assert (engine.on, engine.label) == (on, label)
    assert settings("hive/hive-site.xml", engine)["hive.execution.engine"] == on


def test_a_users_setting_is_in_the_file_it_belongs_to() -> None:
    files = {
        "hive.auto.convert.join": "hive/hive-site.xml",
        "tez.grouping.min-size": "hive/tez-site.xml",
        "mapreduce.map.output.compress": "conf/mapred-site.xml",
        "yarn.nodemanager.vmem-check-enabled": "conf/yarn-site.xml",
    }
    engine = HiveEngine(conf=dict.fromkeys(files, "true"))
    for key, path in files.items():
        assert settings(path, engine)[key] == "true"
    assert "hive.auto.convert.join" not in settings("conf/core-site.xml", engine)


def test_the_metastore_listens_to_nobody_and_tez_has_no_page() -> None:
    assert settings("hive/hive-site.xml")["javax.jdo.option.ConnectionURL"].startswith("jdbc:derby:memory:")
    assert "hive.metastore.uris" not in settings("hive/hive-site.xml")
    assert settings("hive/tez-site.xml")["tez.am.tez-ui.webservice.enable"] == "false"


def test_tasks_of_tez_get_tokens_for_hdfs_if_tables_are_there() -> None:
    engine, path, key = HiveEngine(), "hive/tez-site.xml", "tez.job.fs-servers"
    layout = fake_hadoop_layout(engine=engine)
    assert key not in settings(path)
    uri = dict.fromkeys(layout.places["input"].paths, "hdfs://10.0.0.1:8020/weft/input")
    place = replace(layout.places["input"], storage="hdfs", paths=uri)
    hdfs = Endpoint(file_system=HadoopFileSystem("hdfs", tokens=True))
    there = replace(
        layout, places={**layout.places, "input": place}, services={**layout.services, "hdfs": hdfs}
    )
    text = fake_plan(engine, there).files[WORK / path]
    assert f"<name>{key}</name><value>hdfs://10.0.0.1:8020" in text


def test_a_job_s_own_settings_are_hive_s() -> None:
    own = Job("q", "Sql", [], dependencies=Dependencies(conf={"hive.cbo.enable": "false"}))
    argv = HiveEngine().submit(own, fake_hadoop_layout(engine=HiveEngine())).argv
    assert "--hiveconf=hive.cbo.enable=false" in argv


@pytest.mark.parametrize(("cores", "memory"), [(1, 4 * GIB), (2, 5 * GIB), (64, 256 * GIB)])
@pytest.mark.parametrize("on", ["tez", "mr"])
def test_containers_and_processes_fit_into_every_node(on: str, cores: int, memory: int) -> None:
    engine = HiveEngine.model_validate({"on": on})
    layout = fake_hadoop_layout(fake_nodes(2, cores=cores, memory=memory), engine)
    found = engine.containers(layout)
    heaps = [
        parse_size(word.removeprefix("-Xmx"))
        for one in [*fake_plan(engine, layout).daemons, engine.submit(JOB, layout)]
        if one.node == layout.head
        for word in one.argv
        if word.startswith("-Xmx")
    ]
    assert sum(heaps) + found.node < memory
    assert found.node < (found.each + 1) * found.task


def test_a_large_node_has_task_containers_of_the_size_that_the_key_states() -> None:
    layout = fake_hadoop_layout(fake_nodes(2, cores=4, memory=256 * GIB), HiveEngine())
    assert HiveEngine().containers(layout).task == 2 * GIB
    assert (HiveEngine.model_fields["task_memory"].description or "").endswith("at most 2 GiB")


def test_an_installation_without_tez_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "hive-exec-4.0.1.jar").touch()
    with pytest.raises(UsageError, match="tez-dag"):
        HiveEngine().recognize(tmp_path)
    (tmp_path / "lib" / "tez-dag-0.10.5.jar").touch()
    HiveEngine().recognize(tmp_path)


@pytest.mark.parametrize(
    ("on", "conf", "slots"),
    [
        ("tez", {"hive.tez.container.size": "1000"}, 2),
        ("tez", {"mapreduce.map.memory.mb": "1000", "mapreduce.reduce.memory.mb": "1000"}, 4),
        ("mr", {"mapreduce.map.memory.mb": "1000", "mapreduce.reduce.memory.mb": "1000"}, 2),
        ("mr", {"hive.tez.container.size": "1000"}, 4),
    ],
)
def test_larger_containers_leave_fewer_slots(
    on: Literal["tez", "mr"], conf: dict[str, str], slots: int
) -> None:
    engine = HiveEngine(on=on, conf=conf)
    assert engine.plan(fake_hadoop_layout(engine=engine)).derived["hive"].slots == slots
