"""The Spark engine: a layout in, files and commands out, and nothing touched."""

import dataclasses
import os
import re
import subprocess
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.fakes import GIB, fake_layout, fake_nodes
from weft.adapters.engines.spark.engine import SparkEngine
from weft.errors import UsageError
from weft.layout.job import Dependencies, Job
from weft.text import properties

JOB = Job("terasort", "TeraSort", ["--input", "/scratch/input"], None, ("--verbose",))


def test_the_settings_of_a_two_node_cluster(snapshot: SnapshotAssertion) -> None:
    plan = SparkEngine().plan(fake_layout())
    assert {str(path): content for path, content in plan.files.items()} == snapshot


def test_the_commands_of_a_two_node_cluster(snapshot: SnapshotAssertion) -> None:
    layout = fake_layout()
    plan = SparkEngine().plan(layout)
    words = {daemon.name: [daemon.node.name, *daemon.argv] for daemon in plan.daemons}
    submit = SparkEngine().submit(JOB, layout)
    assert {**words, submit.name: [submit.node.name, *submit.argv]} == snapshot


def test_the_environment_of_a_worker(snapshot: SnapshotAssertion) -> None:
    worker = SparkEngine().plan(fake_layout()).daemons[-1]
    assert dict(worker.environment) == snapshot


def test_a_plan_is_the_same_for_the_same_layout() -> None:
    one, same = (SparkEngine().plan(fake_layout()) for _ in range(2))
    assert (one.files, one.daemons, one.derived) == (same.files, same.daemons, same.derived)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_one_master_and_a_worker_on_every_node(count: int) -> None:
    plan = SparkEngine().plan(fake_layout(fake_nodes(count)))
    assert [daemon.name for daemon in plan.daemons] == [
        "master",
        *(f"worker-node{i}" for i in range(1, count + 1)),
    ]
    assert [daemon.essential for daemon in plan.daemons] == [True] + [False] * count


def test_users_settings_win() -> None:
    engine = SparkEngine(conf={"spark.shuffle.compress": "false", "spark.io.mode.default": "AUTO"})
    settings = engine.settings(fake_layout())
    assert (settings["spark.shuffle.compress"], settings["spark.io.mode.default"]) == ("false", "AUTO")


def test_one_setting_says_how_long_executors_may_be_silent() -> None:
    """Spark takes spark.network.timeout for the others, unless they have values of their own."""
    settings = SparkEngine(conf={"spark.network.timeout": "600s"}).settings(fake_layout())
    assert settings["spark.network.timeout"] == "600s"
    others = ("storage.blockManagerHeartbeatTimeoutMs", "rpc.askTimeout", "shuffle.io.connectionTimeout")
    assert not {f"spark.{key}" for key in others} & {*settings}


def test_a_silent_worker_may_come_back_for_a_day() -> None:
    settings = SparkEngine().settings(fake_layout())
    assert int(settings["spark.worker.timeout"]) * int(settings["spark.dead.worker.persistence"]) == 86_400


@pytest.mark.parametrize(
    ("conf", "given"), [({}, True), ({"spark.log.structuredLogging.enabled": "true"}, False)]
)
def test_daemons_need_not_search_for_the_settings_of_their_logs(conf: dict[str, str], given: bool) -> None:
    """But those of structured logs are in another file, which Spark chooses itself."""
    for daemon in SparkEngine(conf=conf).plan(fake_layout()).daemons:
        assert any("log4j2-defaults.properties" in word for word in daemon.argv) == given


def test_a_setting_with_a_backslash_reaches_java_as_it_is(tmp_path: Path) -> None:
    """A file of properties is read by Java, for which a backslash that is alone only marks the next letter."""
    own = {"spark.redaction.regex": r"secret|\.key\d+", "spark.y": "1\n2"}
    (conf,) = [
        text
        for path, text in SparkEngine(conf=own).plan(fake_layout()).files.items()
        if path.name == "spark-defaults.conf"
    ]
    assert r"spark.redaction.regex secret|\\.key\\d+" in conf.splitlines()
    file = tmp_path / "spark-defaults.conf"
    file.write_text(conf)
    assert own.items() <= properties.read(file).items()


def test_what_a_drivers_jvm_must_have_when_it_starts_is_not_left_to_spark() -> None:
    own = {
        "spark.driver.memory": "2g",
        "spark.driver.extraJavaOptions": "-Dlog='a b' -XX:+UseParallelGC",
        "spark.driver.extraClassPath": "/opt/jdbc.jar",
    }
    of_job = dataclasses.replace(JOB, dependencies=Dependencies(conf=own))
    flags = ("--driver-memory", "--driver-java-options", "--driver-class-path")
    words = tuple(word for pair in zip(flags, own.values(), strict=True) for word in pair)
    of_options = dataclasses.replace(JOB, options=words)
    layout = fake_layout(fake_nodes(memory=8 * GIB))
    usual = SparkEngine().submit(JOB, layout).argv
    classes = usual[usual.index("-cp") + 1]
    for argv in (
        SparkEngine(conf=own).submit(JOB, layout).argv,
        SparkEngine().submit(of_job, layout).argv,
        SparkEngine().submit(of_options, layout).argv,
    ):
        java = argv[: argv.index("-cp")]
        assert {"-Xmx2048m", "-Dlog=a b", "-XX:+UseParallelGC"} <= set(java)
        assert "-Xmx1024m" not in java
        assert argv[argv.index("-cp") + 1] == f"/opt/jdbc.jar:{classes}"
    assert SparkEngine(conf=own).heap(layout) < SparkEngine().heap(layout)
    assert SparkEngine(conf=own).plan(layout).derived["spark"].sizes["driver heap"] == 2 * GIB


def test_libraries_of_a_driver_are_added_to_those_that_its_host_has() -> None:
    """The JVM and the Python that it starts search them (SparkSubmitCommandBuilder.java); no other variable is a shell's."""
    own = {"spark.driver.extraLibraryPath": "/opt/$lib"}
    of_options = dataclasses.replace(JOB, options=("--driver-library-path", "/opt/$lib"))
    of_job = dataclasses.replace(JOB, dependencies=Dependencies(conf=own))
    usual = SparkEngine().submit(JOB, fake_layout()).argv
    for argv in (
        SparkEngine(conf=own).submit(JOB, fake_layout()).argv,
        SparkEngine().submit(of_job, fake_layout()).argv,
        SparkEngine().submit(of_options, fake_layout()).argv,
    ):
        print_it = [*argv[: argv.index(usual[0])], "printenv", "LD_LIBRARY_PATH"]
        for inherited, found in (({"LD_LIBRARY_PATH": "/usr/own"}, "/usr/own:/opt/$lib"), ({}, "/opt/$lib")):
            environment = {"PATH": os.environ["PATH"], **inherited}
            assert subprocess.check_output(print_it, env=environment, text=True).strip() == found


def test_a_shuffle_service_that_no_worker_has_is_refused() -> None:
    """Its executors would end one after another, because none can register (BlockManager.scala)."""
    own = {"spark.shuffle.service.enabled": "true"}
    job = dataclasses.replace(JOB, dependencies=Dependencies(conf=own))
    with pytest.raises(UsageError, match=r"spark\.shuffle\.service\.enabled=true: no Worker"):
        SparkEngine().submit(job, fake_layout())
    assert SparkEngine(conf=own).submit(job, fake_layout())
    assert SparkEngine().submit(
        dataclasses.replace(JOB, dependencies=Dependencies(conf=dict.fromkeys(own, "false"))), fake_layout()
    )
    with pytest.raises(UsageError, match=r"spark\.shuffle\.service\.enabled=true: no NodeManager"):
        SparkEngine(master="yarn", conf=own).settings(fake_layout())


@pytest.mark.parametrize(
    ("key", "value", "words"), [("memory", "much", "is not a size"), ("extraJavaOptions", "-Da='", "quot")]
)
def test_a_setting_of_a_drivers_jvm_that_cannot_be_is_refused(key: str, value: str, words: str) -> None:
    with pytest.raises(UsageError, match=rf"spark\.driver\.{key}: .*{words}"):
        SparkEngine(conf={f"spark.driver.{key}": value}).submit(JOB, fake_layout())


def test_the_module_of_a_probe_stays_on_a_search_path_that_a_user_sets() -> None:
    own = {"spark.executorEnv.PYTHONPATH": "/home/me/lib"}
    job = dataclasses.replace(JOB, dependencies=Dependencies(conf=own))
    plain, watched = (
        fake_layout(),
        dataclasses.replace(fake_layout(), preload={"node1": {"PYTHONPATH": "/weft/workers:/users/own"}}),
    )
    (path,) = own
    assert SparkEngine(conf=own).settings(plain)[path] == "/home/me/lib"
    assert SparkEngine(conf=own).settings(watched)[path] == "/home/me/lib:/weft/workers"
    assert f"{path}=/home/me/lib:/weft/workers" in SparkEngine().submit(job, watched).argv
    assert path not in SparkEngine().settings(watched)


def test_ready_names_the_workers_that_the_master_does_not_know() -> None:
    (ready,) = SparkEngine().plan(fake_layout(fake_nodes(3))).ready
    workers = [{"host": "10.0.0.1", "state": "ALIVE"}, {"host": "10.0.0.3", "state": "DEAD"}]
    assert ready.missing({"workers": workers}) == ["worker-node2", "worker-node3"]


def test_workers_start_with_the_master_and_wait_for_it_themselves() -> None:
    """Those that register before it leads are ignored, and ask again after 5 to 15 s: weft's main class waits for that."""
    layout = fake_layout(fake_nodes(3))
    daemons = SparkEngine().plan(layout).daemons
    assert [(daemon.before, daemon.after) for daemon in daemons] == [(None, None)] * 4
    for worker in daemons[1:]:
        assert "io.weft.spark.Worker" in worker.argv
        assert worker.argv[worker.argv.index("-cp") + 1].endswith(f":{layout.jars['spark']}")


def test_the_heap_leaves_room_for_daemons_and_driver() -> None:
    layout = fake_layout(fake_nodes(2, memory=8 * GIB))
    heap = SparkEngine().heap(layout)
    head = 2 * (320 << 20) + (1 << 30) + (384 << 20)
    assert heap == (8 * GIB - head) * 6 // 10
    assert heap + head < 8 * GIB


def test_the_smallest_node_decides_the_heap_of_all() -> None:
    small, big = fake_nodes(1, memory=2 * GIB)[0], fake_nodes(1, memory=64 * GIB)[0]
    layout = fake_layout([dataclasses.replace(big, name="node1"), dataclasses.replace(small, name="node2")])
    assert SparkEngine().heap(layout) < 2 * GIB


def test_the_least_heap_is_enough_for_spark_without_the_survivor_space_that_serial_gc_leaves_out() -> None:
    """Spark compares Runtime.maxMemory() with 1.5 x 300 MiB; of -Xmx480m that is 464 MiB with SerialGC."""
    tight = 2 * (320 << 20) + (1 << 30) + (384 << 20) + (500 << 20)
    heap = SparkEngine().heap(fake_layout(fake_nodes(1, memory=tight)))
    assert heap == 480 << 20
    assert heap - heap // 30 > 450 << 20


def test_the_heap_stays_where_object_pointers_are_short() -> None:
    assert SparkEngine().heap(fake_layout(fake_nodes(1, memory=512 * GIB))) == 30 * GIB
    assert (SparkEngine.model_fields["executor_memory"].description or "").endswith("at most 30 GiB")


@pytest.mark.parametrize(
    ("engine", "memory", "words"),
    [
        (SparkEngine(), 2 * GIB, "below"),
        (SparkEngine(executor_memory="3G"), 4 * GIB, "does not fit"),
        (SparkEngine(executor_memory="100M"), 4 * GIB, "below"),
        (SparkEngine(executor_memory=450 << 20), 4 * GIB, "below"),
        (SparkEngine(driver_memory="4G"), 4 * GIB, "below"),
    ],
)
def test_what_does_not_fit_a_node_is_refused_with_a_hint(
    engine: SparkEngine, memory: int, words: str
) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        engine.plan(fake_layout(fake_nodes(1, memory=memory)))
    assert caught.value.hint


def test_no_secret_is_in_a_command() -> None:
    layout = fake_layout()
    plan = SparkEngine().plan(layout)
    words = [word for daemon in plan.daemons for word in daemon.argv]
    assert not [word for word in words if re.search(r"secret", word, re.IGNORECASE)]


@pytest.mark.parametrize(
    ("own", "job", "cores"),
    [
        ({}, {"spark.cores.max": "1"}, "1"),
        ({"spark.executor.cores": "2"}, {"spark.cores.max": "3"}, None),
        ({"spark.cores.max": "2"}, {}, "2"),
        ({}, {"spark.cores.max": "many"}, None),
        ({}, {"spark.cores.max": "8"}, None),
    ],
)
def test_an_application_with_few_cores_has_executors_that_fit(
    own: dict[str, str], job: dict[str, str], cores: str | None
) -> None:
    """Otherwise the Master gives it none, and says nothing."""
    layout = fake_layout(fake_nodes(2, cores=4))
    engine = SparkEngine(conf=own)
    submitted = engine.submit(dataclasses.replace(JOB, dependencies=Dependencies(conf=job)), layout)
    given = [word for word in submitted.argv if word.startswith("spark.executor.cores=")]
    if own:
        assert engine.settings(layout)["spark.executor.cores"] == (cores or "2")
    assert given == ([f"spark.executor.cores={cores}"] if cores and job else [])


@pytest.mark.parametrize(
    ("conf", "slots"),
    [({}, 4), ({"spark.cores.max": "3"}, 2), ({"spark.cores.max": "1"}, 1), ({"spark.cores.max": "9"}, 4)],
)
def test_a_limit_of_cores_has_room_for_whole_executors_only(conf: dict[str, str], slots: int) -> None:
    """As the Master gives them."""
    plan = SparkEngine(conf=conf).plan(fake_layout(fake_nodes(2, cores=2)))
    assert plan.derived["spark"].slots == slots


def test_executors_with_more_cores_than_the_application_are_refused() -> None:
    settings = {"spark.cores.max": "1", "spark.executor.cores": "2"}
    job = dataclasses.replace(JOB, dependencies=Dependencies(conf=settings))
    with pytest.raises(UsageError, match=r"spark\.executor\.cores=2 is more than spark\.cores\.max=1"):
        SparkEngine().submit(job, fake_layout())
    on_yarn = SparkEngine(master="yarn").submit(job, fake_layout())
    assert "spark.executor.cores=2" in on_yarn.argv


def test_a_node_with_fewer_cores_than_the_first_has_an_executor_too() -> None:
    """The Master gives a Worker none that needs more cores than it has, and says nothing."""
    small, large = fake_nodes(1, cores=4)[0], fake_nodes(1, cores=16)[0]
    large = dataclasses.replace(large, name="node2", address="10.0.0.2")
    for nodes in ([large, small], [small, large]):
        layout = fake_layout(nodes)
        assert "spark.executor.cores" not in SparkEngine().settings(layout)
        given = SparkEngine().submit(
            dataclasses.replace(JOB, dependencies=Dependencies(conf={"spark.cores.max": "1"})), layout
        )
        assert not [word for word in given.argv if word.startswith("spark.executor.cores")]
        assert SparkEngine(conf={"spark.executor.cores": "4"}).settings(layout)["spark.executor.cores"] == "4"
    (asked,) = SparkEngine().plan(fake_layout([large, small])).applications
    workers = [
        {"host": "10.0.0.1", "state": "ALIVE", "cores": 4, "coresfree": 4},
        {"host": "10.0.0.2", "state": "ALIVE", "cores": 16, "coresfree": 8},
    ]
    assert asked.full({"workers": workers}) == ["node2 has 8 of 16 cores free"]


def test_a_number_of_cores_that_is_none_is_sparks_to_refuse() -> None:
    engine = SparkEngine(conf={"spark.executor.cores": "two"})
    assert engine.plan(fake_layout()).daemons
    assert engine.submit(JOB, fake_layout()).argv
