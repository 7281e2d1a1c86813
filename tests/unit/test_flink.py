"""The Flink engine: a layout in, files and commands out, and nothing touched."""

import dataclasses
import re
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.fakes import GIB, fake_layout, fake_nodes
from weft.adapters.engines.flink.engine import FlinkEngine
from weft.adapters.engines.flink.taskmanager import divide, network_of_slot
from weft.adapters.workloads.terasort import TeraSort
from weft.errors import UsageError
from weft.layout.job import Dependencies, Job

JOB = Job("terasort", "TeraSort", ["--input", "/scratch/input"], None, ("--detached",))


def test_the_files_of_a_two_node_cluster(snapshot: SnapshotAssertion) -> None:
    plan = FlinkEngine().plan(fake_layout())
    assert {str(path): content for path, content in plan.files.items()} == snapshot


def test_the_commands_of_a_two_node_cluster(snapshot: SnapshotAssertion) -> None:
    layout = fake_layout()
    plan = FlinkEngine().plan(layout)
    started = [*plan.first, *plan.daemons, FlinkEngine().submit(JOB, layout)]
    assert {one.name: [one.node.name, *one.argv] for one in started} == snapshot


@pytest.mark.parametrize("count", [1, 2, 5])
def test_one_jobmanager_and_a_taskmanager_on_every_node(count: int) -> None:
    plan = FlinkEngine().plan(fake_layout(fake_nodes(count)))
    names = [f"taskmanager-node{i}" for i in range(1, count + 1)]
    assert [daemon.name for daemon in plan.daemons] == ["jobmanager", *names]
    assert [daemon.essential for daemon in plan.daemons] == [True] + [False] * count


def test_users_settings_win() -> None:
    engine = FlinkEngine(conf={"heartbeat.interval": "1s", "taskmanager.network.compression.codec": "NONE"})
    settings = engine.settings(fake_layout())
    assert settings["heartbeat.interval"] == "1s"
    assert settings["taskmanager.network.compression.codec"] == "NONE"


def test_a_raw_sort_is_not_compressed_unless_its_user_says_so() -> None:
    codec = "taskmanager.network.compression.codec"
    layouts = {
        method: dataclasses.replace(fake_layout(), compressed=TeraSort(method=method, size=1000).compressed)
        for method in ("stock", "raw")
    }
    assert codec not in FlinkEngine().settings(layouts["stock"])
    assert FlinkEngine().settings(layouts["raw"])[codec] == "NONE"
    assert FlinkEngine(conf={codec: "ZSTD"}).settings(layouts["raw"])[codec] == "ZSTD"


def test_only_on_a_persistent_cluster_a_job_waits_for_the_slots_of_others() -> None:
    layout = fake_layout()
    alone = FlinkEngine().settings(layout)
    assert alone["slot.request.timeout"] == "50 s"
    assert "resourcemanager.standalone.start-up-time" not in alone
    queued = FlinkEngine().settings(dataclasses.replace(layout, persistent=True))
    assert queued["slot.request.timeout"] == "1 d"
    assert queued["resourcemanager.standalone.start-up-time"] == "30 d"


def test_settings_of_a_taskmanager_reach_it_although_weft_sets_its_parts() -> None:
    """Its command line wins over config.yaml, and Java's limits are of the parts."""
    layout = fake_layout(fake_nodes(2, memory=8 * GIB))
    usual = FlinkEngine().memory(layout)
    own = {
        "taskmanager.memory.task.off-heap.size": "512 mb",
        "taskmanager.memory.network.max": "1g",
        "taskmanager.memory.managed.size": "1048576",
        "taskmanager.numberOfTaskSlots": "1",
    }
    plan = FlinkEngine(conf=own).plan(layout)
    argv = plan.daemons[-1].argv
    memory = FlinkEngine(conf=own).memory(layout)
    assert memory.direct == usual.direct - usual.network + (512 << 20) + GIB
    assert f"-XX:MaxDirectMemorySize={memory.direct >> 20}m" in argv
    for word in (
        "taskmanager.memory.task.off-heap.size=512m",
        "taskmanager.memory.network.min=1024m",
        "taskmanager.memory.network.max=1024m",
        "taskmanager.memory.managed.size=1m",
        "taskmanager.numberOfTaskSlots=1",
    ):
        assert word in argv
    assert plan.derived["flink"].slots == 2
    assert FlinkEngine(conf=own).settings(layout)["parallelism.default"] == "2"


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("process.size", "4g", "taskmanager.memory.process.size has no effect"),
        ("managed.fraction", "0.6", "taskmanager.memory.managed.fraction has no effect"),
        ("managed.size", "much", "taskmanager.memory.managed.size=much is not a size"),
        ("task.heap.size", "64g", "with the parts in engine.conf, a TaskManager of .* does not fit"),
    ],
)
def test_a_part_of_a_taskmanager_that_cannot_be_is_refused(key: str, value: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        FlinkEngine(conf={f"taskmanager.memory.{key}": value}).plan(fake_layout())
    assert caught.value.hint


def test_options_of_java_reach_the_processes_of_their_role() -> None:
    """Flink's own processes read none of them: its start scripts do."""
    roles = ("all", "client", "jobmanager", "taskmanager")
    conf = {f"env.java.opts.{role}": f"-Da='{role} 1'" for role in roles}
    engine, layout = FlinkEngine(conf=conf), fake_layout()
    jobmanager, taskmanager, *_ = engine.plan(layout).daemons
    started = {"jobmanager": jobmanager, "taskmanager": taskmanager, "client": engine.submit(JOB, layout)}
    for role, one in started.items():
        java = one.argv[: one.argv.index("-cp")]
        assert [word for word in java if word.startswith("-Da=")] == ["-Da=all 1", f"-Da={role} 1"]
    with pytest.raises(UsageError, match=r"jobmanager\.memory\.heap\.size has no effect"):
        FlinkEngine(conf={"jobmanager.memory.heap.size": "1g"}).plan(layout)
    with pytest.raises(UsageError, match=r"env\.java\.opts\.all: no closing quotation"):
        FlinkEngine(conf={"env.java.opts.all": "-Da='"}).plan(layout)


def test_pipelined_exchanges_that_the_scheduler_never_reads_are_refused() -> None:
    pipelined = {"execution.batch-shuffle-mode": "ALL_EXCHANGES_PIPELINED"}
    job = dataclasses.replace(JOB, dependencies=Dependencies(conf=pipelined))
    for asked in (
        lambda: FlinkEngine(conf=pipelined).plan(fake_layout()),
        lambda: FlinkEngine().submit(job, fake_layout()),
    ):
        with pytest.raises(UsageError, match="a batch job would wait for ever") as caught:
            asked()
        assert "jobmanager.scheduler=Default" in (caught.value.hint or "")
    FlinkEngine(conf={**pipelined, "jobmanager.scheduler": "Default"}).plan(fake_layout())
    FlinkEngine(conf={"jobmanager.scheduler": "Default"}).submit(job, fake_layout())


@pytest.mark.parametrize(("address", "asked"), [("127.87.1.1", "false"), ("10.0.0.1", None)])
def test_the_names_of_loopback_addresses_are_not_looked_up(address: str, asked: str | None) -> None:
    nodes = [dataclasses.replace(node, address=address) for node in fake_nodes(1)]
    settings = FlinkEngine().settings(fake_layout(nodes))
    assert settings.get("jobmanager.retrieve-taskmanager-hostname") == asked


def test_ready_names_the_taskmanagers_that_the_jobmanager_does_not_know() -> None:
    (ready,) = FlinkEngine().plan(fake_layout(fake_nodes(3))).ready
    assert ready.missing({"taskmanagers": [{"id": "taskmanager-node2"}]}) == [
        "taskmanager-node1",
        "taskmanager-node3",
    ]


def test_questions_are_asked_with_the_certificate_that_is_made_first() -> None:
    plan = FlinkEngine().plan(fake_layout())
    assert plan.ready[0].page.url.startswith("https://10.0.0.1:")
    assert str(plan.ready[0].page.certificate) in plan.first[-1].argv
    assert plan.ready[0].page.certificate in plan.first[-1].makes


def test_no_password_is_in_a_command() -> None:
    layout = fake_layout()
    plan = FlinkEngine().plan(layout)
    words = [word for one in (*plan.first, *plan.daemons) for word in one.argv]
    assert not [word for word in words if re.search(r"@SECRET@|-storepass$", word)]


@pytest.mark.parametrize("size", [1 << 30, 3 * GIB, 100 * GIB])
@pytest.mark.parametrize("slots", [1, 4])
def test_the_parts_of_a_taskmanager_fill_its_process_and_no_more(size: int, slots: int) -> None:
    memory = divide(size, slots, slots)
    assert size - (8 << 20) <= memory.process <= size
    sizes = [int(value.removesuffix("m")) for key, value in memory.options().items() if "batch" not in key]
    twice = (memory.network + memory.overhead) >> 20
    assert sum(sizes) - twice == memory.process >> 20


@pytest.mark.parametrize(("parallelism", "buffers"), [(1, 1024), (124, 1024), (128, 1040), (4096, 2512)])
def test_a_slot_has_network_buffers_for_what_it_reads_from(parallelism: int, buffers: int) -> None:
    """Two inputs, each with two buffers for a subtask and eight more; in batch mode no more than 1000 are required."""
    assert network_of_slot(parallelism) == buffers * (32 << 10)
    memory = divide(8 * GIB, 16, parallelism)
    assert memory.network >= 16 * network_of_slot(parallelism)


def test_the_smallest_node_decides_the_memory_of_all() -> None:
    small, big = fake_nodes(1, memory=2 * GIB)[0], fake_nodes(1, memory=64 * GIB)[0]
    layout = fake_layout([dataclasses.replace(big, name="node1"), dataclasses.replace(small, name="node2")])
    assert FlinkEngine().memory(layout).process < 2 * GIB


@pytest.mark.parametrize(
    ("engine", "memory", "words"),
    [
        (FlinkEngine(), 1 * GIB, "below"),
        (FlinkEngine(taskmanager_memory="3500M"), 4 * GIB, "does not fit"),
        (FlinkEngine(taskmanager_memory="600M"), 4 * GIB, "below"),
        (FlinkEngine(driver_memory="4G"), 4 * GIB, "below"),
    ],
)
def test_what_does_not_fit_a_node_is_refused_with_a_hint(
    engine: FlinkEngine, memory: int, words: str
) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        engine.plan(fake_layout(fake_nodes(1, memory=memory)))
    assert caught.value.hint


def test_a_jar_of_ones_own_is_submitted_as_it_is() -> None:
    own = dataclasses.replace(JOB, program="/home/me/my.jar", options=("-c", "Main"))
    argv = list(FlinkEngine().submit(own, fake_layout()).argv)
    assert argv[-6:] == ["run", "-c", "Main", "/home/me/my.jar", "--input", "/scratch/input"]
    with pytest.raises(UsageError, match="not a program for flink"):
        FlinkEngine().require_program(Path("/home/me/my.py"))


@pytest.mark.parametrize(
    ("jar", "words"), [("none.jar", "not a Flink"), ("lib/flink-dist-1.20.0.jar", "Flink 1.20.0")]
)
def test_a_home_that_is_no_flink_2_is_refused(tmp_path: Path, jar: str, words: str) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / jar).touch()
    with pytest.raises(UsageError, match=words):
        FlinkEngine().recognize(tmp_path)
