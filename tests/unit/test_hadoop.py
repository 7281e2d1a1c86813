"""The Hadoop engine: a layout in, files and commands out, and nothing touched."""

import dataclasses
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.fakes import GIB, WORK, fake_hadoop_layout, fake_nodes, fake_plan
from weft.adapters.engines.hadoop import HadoopEngine
from weft.errors import UsageError
from weft.layout.job import Dependencies, Job
from weft.layout.plan import SECRET
from weft.text.units import parse_size

JOB = Job("terasort", "TeraSort", ["--input", "/scratch/input"])


def site(name: str, engine: HadoopEngine | None = None) -> dict[str, str]:
    text = fake_plan(engine or HadoopEngine(), fake_hadoop_layout()).files[WORK / "conf" / f"{name}.xml"]
    found = ElementTree.fromstring(text)
    return {each.findtext("name", ""): each.findtext("value", "") for each in found}


def test_the_files_of_a_two_node_cluster(snapshot: SnapshotAssertion) -> None:
    plan = fake_plan(HadoopEngine(), fake_hadoop_layout())
    assert {str(path): content for path, content in plan.files.items()} == snapshot


def test_the_commands_of_a_two_node_cluster(snapshot: SnapshotAssertion) -> None:
    layout = fake_hadoop_layout()
    plan = fake_plan(HadoopEngine(), layout)
    words = {daemon.name: [daemon.node.name, *daemon.argv] for daemon in plan.daemons}
    submit = HadoopEngine().submit(JOB, layout)
    assert {**words, submit.name: [submit.node.name, *submit.argv]} == snapshot


def test_pages_are_closed_unless_they_are_asked_for() -> None:
    secret = WORK / "conf" / "http-secret"
    plan, core = fake_plan(HadoopEngine(), fake_hadoop_layout()), site("core-site")
    first = core["hadoop.http.filter.initializers"].partition(",")[0]
    assert first == "io.weft.hadoop.PageFilterInitializer"
    assert core["weft.pages.secret.file"] == str(secret)
    assert plan.files[secret] == f"{SECRET}\n"
    text = plan.files[WORK / "conf" / "core-site.xml"]
    assert text.count("<final>") == 1, "a job's own setting would win over it"
    assert "StaticUserWebFilter</value><final>" in text
    assert all(question.page.signed for question in (*plan.ready, *plan.applications))
    opened = HadoopEngine(pages="open")
    plan = fake_plan(opened, fake_hadoop_layout())
    assert "hadoop.http.filter.initializers" not in site("core-site", opened)
    assert secret not in plan.files
    assert not any(question.page.signed for question in (*plan.ready, *plan.applications))


@pytest.mark.parametrize("count", [1, 2, 5])
def test_two_masters_and_a_nodemanager_on_every_node(count: int) -> None:
    plan = fake_plan(HadoopEngine(), fake_hadoop_layout(fake_nodes(count)))
    essential = {daemon.name for daemon in plan.daemons if daemon.essential}
    assert essential == {"resourcemanager", "jobhistory"}
    assert {daemon.name for daemon in plan.daemons} - essential == {
        f"nodemanager-node{i}" for i in range(1, count + 1)
    }


def test_a_disk_that_is_nearly_full_is_used() -> None:
    """Without its timer, a NodeManager still looks once, when it starts, and keeps no directory on a disk that is 90 % full."""
    share = site("yarn-site")["yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage"]
    assert share == "100"


def test_a_users_setting_is_in_the_file_it_belongs_to() -> None:
    own = {
        "mapreduce.map.output.compress": "true",
        "yarn.app.mapreduce.am.resource.mb": "512",
        "yarn.nodemanager.vmem-check-enabled": "true",
        "yarn.scheduler.capacity.maximum-am-resource-percent": "1",
        "io.file.buffer.size": "65536",
        "dfs.replication": "1",
    }
    engine = HadoopEngine(conf=own)
    names = ("mapred-site", "mapred-site", "yarn-site", "capacity-scheduler", "core-site", "hdfs-site")
    assert {key: site(name, engine)[key] for key, name in zip(own, names, strict=True)} == own


def test_a_jar_of_ones_own_runs_as_hadoop_jar_does() -> None:
    job = Job("own", "/home/me/job.jar", ["in", "out"], options=("org.example.Main",))
    argv = HadoopEngine().submit(job, fake_hadoop_layout()).argv
    assert list(argv[-5:]) == [
        "org.apache.hadoop.util.RunJar", "/home/me/job.jar", "org.example.Main", "in", "out",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "missing"),
    [
        ({"nodes": None}, ["nodemanager-node1", "nodemanager-node2"]),
        (
            {"nodes": {"node": [{"nodeHostName": "10.0.0.2", "state": "RUNNING"}]}},
            ["nodemanager-node1"],
        ),
        (
            {
                "nodes": {
                    "node": [
                        {"nodeHostName": "node1.cluster", "state": "RUNNING"},
                        {"nodeHostName": "node2", "state": "LOST"},
                    ]
                }
            },
            ["nodemanager-node2"],
        ),
        (
            {"nodes": {"node": [{"nodeHostName": name, "state": "RUNNING"} for name in ("a", "b")]}},
            [],
        ),
    ],
)
def test_ready_names_the_nodemanagers_that_do_not_run(answer: Any, missing: list[str]) -> None:
    ready = fake_plan(HadoopEngine(), fake_hadoop_layout()).ready[0]
    assert ready.missing(answer) == missing


@pytest.mark.parametrize(("cores", "memory"), [(1, 3 * GIB), (2, 4 * GIB), (8, 16 * GIB), (64, 256 * GIB)])
def test_containers_and_daemons_fit_into_every_node(cores: int, memory: int) -> None:
    layout = fake_hadoop_layout(fake_nodes(2, cores=cores, memory=memory))
    engine = HadoopEngine()
    plan, found = fake_plan(engine, layout), engine.containers(layout)
    heaps = [
        parse_size(word.removeprefix("-Xmx"))
        for one in [*plan.daemons, engine.submit(JOB, layout)]
        if one.node == layout.head
        for word in one.argv
        if word.startswith("-Xmx")
    ]
    assert found.each == cores
    assert sum(heaps) + found.node < memory


def test_a_large_node_has_task_containers_of_the_size_that_the_key_states() -> None:
    layout = fake_hadoop_layout(fake_nodes(2, cores=4, memory=256 * GIB))
    assert HadoopEngine().containers(layout).task == 2 * GIB
    assert (HadoopEngine.model_fields["task_memory"].description or "").endswith("at most 2 GiB")


def test_a_container_of_the_user_s_size_is_as_large_as_yarn_makes_it() -> None:
    """It rounds up to multiples of the smallest: the last of the containers would not fit into what a node offers."""
    layout = fake_hadoop_layout(fake_nodes(2, cores=4, memory=16 * GIB))
    found = HadoopEngine(task_memory="1GB").containers(layout)
    assert (found.task, found.each) == (960 << 20, 4)


def test_the_place_of_a_master_is_too_small_for_one_more_task() -> None:
    found = HadoopEngine().containers(fake_hadoop_layout())
    assert found.node < (found.each + 1) * found.task


def test_the_heap_and_the_sort_buffer_fit_into_the_container() -> None:
    mapred = site("mapred-site")
    heap = parse_size(mapred["mapreduce.map.java.opts"].split()[0].removeprefix("-Xmx")) >> 20
    assert int(mapred["mapreduce.task.io.sort.mb"]) < heap < int(mapred["mapreduce.map.memory.mb"])


@pytest.mark.parametrize(
    ("engine", "memory", "words"),
    [
        (HadoopEngine(), 1 * GIB, "below"),
        (HadoopEngine(task_memory="3G"), 4 * GIB, "do not fit"),
        (HadoopEngine(task_memory="100M"), 4 * GIB, "below"),
        (HadoopEngine(client_memory="4G"), 4 * GIB, "below"),
    ],
)
def test_what_does_not_fit_a_node_is_refused_with_a_hint(
    engine: HadoopEngine, memory: int, words: str
) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        engine.plan(fake_hadoop_layout(fake_nodes(1, memory=memory)))
    assert caught.value.hint


def test_jvms_of_weft_s_own_jobs_begin_with_the_archived_jars_and_those_of_users_do_not() -> None:
    layout = dataclasses.replace(fake_hadoop_layout(), classes={"hadoop": Path("/cache/classes.jsa")})
    engine = HadoopEngine()
    plan, jars = fake_plan(engine, layout), f"-cp {layout.jars['hadoop']}:{layout.homes['hadoop']}/lib/*:"
    for process in [*plan.daemons, engine.submit(JOB, layout)]:
        assert "-XX:SharedArchiveFile=/cache/classes.jsa" in process.argv
        assert jars in " ".join(process.argv)
    own = plan.files[WORK / "conf" / "own" / "mapred-site.xml"]
    assert (
        own.count(f"-XX:SharedArchiveFile=/cache/classes.jsa -Xlog:cds=off -Xlog:cds+dynamic=off {jars}") == 3
    )
    assert "SharedArchiveFile" not in plan.files[WORK / "conf" / "mapred-site.xml"]
    users = engine.submit(dataclasses.replace(JOB, program="/home/me/job.jar"), layout)
    assert str(WORK / "conf" / "own") in " ".join(engine.submit(JOB, layout).argv)
    assert str(WORK / "conf" / "own") not in " ".join(users.argv)


def test_commands_on_a_persistent_cluster_know_the_version() -> None:
    """Programs that call hadoop, such as mrjob, ask for it first, and end if it is refused."""
    programs = HadoopEngine().client(fake_hadoop_layout()).programs
    text = programs[WORK / "bin" / "hadoop"]
    assert "version) main=org.apache.hadoop.util.VersionInfo ;;" in text
    assert "one of: jar fs job application version" in text


def test_the_class_of_a_jar_is_named_where_its_manifest_names_none(tmp_path: Path) -> None:
    """RunJar takes the first argument for it only then; otherwise the name would be an argument of the program."""
    jar = tmp_path / "my.jar"

    def started(manifest: str, main: str) -> list[str]:
        with zipfile.ZipFile(jar, "w") as out:
            out.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\r\n{manifest}")
        own = dataclasses.replace(JOB, program=str(jar), dependencies=Dependencies(main))
        argv = list(HadoopEngine().submit(own, fake_hadoop_layout()).argv)
        return argv[argv.index(str(jar)) + 1 :]

    arguments = list(JOB.arguments)
    assert started("", "org.example.Count") == ["org.example.Count", *arguments]
    assert started("Main-Class: org.example.C\r\n ount\r\n", "org.example.Count") == arguments
    assert started("Main-Class: org.example.Count\r\n", "") == arguments
    with pytest.raises(UsageError, match=r"names org\.example\.Count as its main class, .* so not Other"):
        started("Main-Class: org.example.Count\r\n", "Other")


def test_a_container_has_what_every_engine_process_has_but_the_way_to_log_in() -> None:
    layout = fake_hadoop_layout()
    inherited = set(site("yarn-site")["yarn.nodemanager.env-whitelist"].split(","))
    assert set(layout.environment(layout.head)) - inherited == {"KRB5PRINCIPAL", "KRB5KEYTAB"}


@pytest.mark.parametrize(
    ("conf", "slots"),
    [
        ({}, 4),
        ({"mapreduce.map.memory.mb": "1000"}, 4),
        ({"mapreduce.map.memory.mb": "1000", "mapreduce.reduce.memory.mb": "1000"}, 2),
        ({"mapreduce.map.memory.mb": "100", "mapreduce.reduce.memory.mb": "100"}, 4),
    ],
)
def test_larger_containers_leave_fewer_slots(conf: dict[str, str], slots: int) -> None:
    """As many as the smaller ones of maps and reduces; more than cores are no slots, since YARN counts memory alone."""
    plan = HadoopEngine(conf=conf).plan(fake_hadoop_layout())
    assert plan.derived["hadoop"].slots == slots
