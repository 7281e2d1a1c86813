"""A run on a persistent cluster: what it may ask for, and how its job is distinguished from others; nothing is started."""

import dataclasses
import itertools
import json
import os
import re
import socket
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.fakes import fake_layout, fake_shared_layout
from weft.adapters.engines import KINDS
from weft.adapters.engines.spark.engine import SparkEngine
from weft.adapters.probes import KINDS as PROBES
from weft.adapters.workloads.base import Prepared
from weft.api.flags import Flags
from weft.api.joined import study_on
from weft.clusters import joined, registry
from weft.clusters.joined import JoinedCluster
from weft.clusters.registry import PersistentCluster
from weft.errors import ClusterError, UsageError
from weft.host import settings
from weft.layout.client import Client
from weft.layout.node import Node
from weft.layout.plan import Layout
from weft.record.record import Record
from weft.run.cluster import Cluster
from weft.run.progress import Progress
from weft.run.run import Live
from weft.run.topology import topology
from weft.spec.model import Spec
from weft.spec.parse import parse

STARTED = """
[workload]
kind = "persistent"
name = "mine"
[engine]
kind = "spark"
driver_memory = "2G"
[engine.conf]
"spark.sql.shuffle.partitions" = "7"
[nodes]
kind = "virtual"
count = 2
[scratch]
kind = "memory"
"""


@pytest.fixture
def cluster(tmp_path: Path) -> PersistentCluster:
    return made(tmp_path, STARTED)


def made(directory: Path, started: str) -> PersistentCluster:
    (directory / "spec.toml").write_text(started)
    (directory / "events.jsonl").write_text("")
    Record(directory).update(schema=6, id="RUN")
    engine = parse(tomllib.loads(started)).engine
    layout = dataclasses.replace(fake_shared_layout(engine), record=directory)
    return PersistentCluster("mine", os.getpid(), engine, "virtual:2", layout, Client({}), 1.0, None)


def asked(cluster: PersistentCluster, *words: str, what: str = "terasort", **flags: str) -> Spec:
    ((_, spec),) = study_on(what, Flags(set=words, **flags), cluster).cells()  # type: ignore[arg-type]
    return spec


def test_a_run_has_the_engine_the_nodes_and_the_storage_of_its_cluster(cluster: PersistentCluster) -> None:
    spec = asked(cluster, size="10MB")
    assert (spec.workload.kind, spec.nodes.kind, spec.nodes.count) == ("terasort", "virtual", 2)
    assert (spec.scratch.kind, spec.input.kind, spec.output.kind) == ("memory", "disk", "disk")
    assert isinstance(spec.engine, SparkEngine)
    assert spec.engine.driver_memory == 2 << 30


@pytest.mark.parametrize(
    ("flags", "words", "wrong"),
    [
        ({"nodes": "virtual:3"}, (), "nodes.count 2, and this command asks for 3"),
        ({"nodes": "local:2"}, (), "nodes virtual, and this command asks for local"),
        ({"scratch": "disk"}, (), "scratch memory, and this command asks for disk"),
        ({"input": "memory"}, (), "input disk, and this command asks for memory"),
        (
            {},
            ("engine.driver_memory=1G",),
            "engine.driver_memory 2147483648, and this command asks for 1073741824",
        ),
        ({}, ("engine.port=7177",), "engine.port 7077, and this command asks for 7177"),
        ({}, ("security=none",), "security full, and this command asks for none"),
        ({}, ("spark.worker.timeout=9",), "another spark.worker.timeout, and a job cannot have its own"),
    ],
)
def test_what_contradicts_the_cluster_is_refused_by_its_name(
    cluster: PersistentCluster, flags: dict[str, str], words: tuple[str, ...], wrong: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(f"the cluster 'mine' has {wrong}")):
        asked(cluster, *words, **flags)


def test_a_job_with_secrets_is_refused_since_only_a_new_cluster_hides_them(
    cluster: PersistentCluster, tmp_path: Path
) -> None:
    key, file = tmp_path / "key", tmp_path / "job.toml"
    key.write_text("very secret")
    key.chmod(0o600)
    conf = f'conf = {{ "spark.hadoop.fs.s3a.secret.key" = "file:{key}" }}'
    file.write_text(f'[workload]\nkind = "own-job"\nprogram = "job.py"\n{conf}\n')
    with pytest.raises(UsageError, match="the cluster 'mine' has no secrets of its own"):
        asked(cluster, what=str(file))


def test_what_the_cluster_has_may_be_repeated(cluster: PersistentCluster) -> None:
    same = asked(cluster, "engine.driver_memory=2G", engine="spark", nodes="virtual:2", scratch="memory")
    assert same == asked(cluster)


def test_a_setting_of_the_job_is_its_own_and_others_are_the_clusters(cluster: PersistentCluster) -> None:
    spec = asked(cluster, "spark.default.parallelism=3")
    assert isinstance(spec.engine, SparkEngine)
    assert spec.engine.conf == {"spark.sql.shuffle.partitions": "7", "spark.default.parallelism": "3"}
    assert JoinedCluster(cluster)._own_conf(spec)["spark.default.parallelism"] == "3"


def test_a_matrix_may_vary_what_the_cluster_does_not_decide(
    cluster: PersistentCluster, tmp_path: Path
) -> None:
    file = tmp_path / "s.toml"
    file.write_text(
        'workload = "terasort"\n[matrix]\nsize = ["1MB", "2MB"]\n"spark.default.parallelism" = ["2", "4"]\n'
    )
    assert len(study_on(str(file), Flags(), cluster).cells()) == 4
    file.write_text('workload = "terasort"\n[matrix]\n"spark.worker.timeout" = ["3", "4"]\n')
    with pytest.raises(UsageError, match=r"has another spark\.worker\.timeout"):
        study_on(str(file), Flags(), cluster)
    file.write_text('workload = "terasort"\n[matrix]\nnodes = ["virtual:2", "virtual:3"]\n')
    with pytest.raises(UsageError, match="a matrix cannot vary nodes on the cluster 'mine'"):
        study_on(str(file), Flags(), cluster)


def test_a_run_that_finds_no_application_ready_says_so_and_does_not_wait_where_others_use_the_cluster(
    cluster: PersistentCluster, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spec, joins = asked(cluster), JoinedCluster(dataclasses.replace(cluster, ready=True))
    searched: list[Layout] = []
    monkeypatch.setattr(joined.readyapplications, "find", searched.append)
    monkeypatch.setattr(JoinedCluster, "_counted", lambda *_: 0)
    monkeypatch.setattr(registry, "in_use", lambda _: True)
    assert joins._found(spec, Progress()) is None
    assert (searched, capsys.readouterr().err) == ([], "")
    monkeypatch.setattr(registry, "in_use", lambda _: False)
    assert joins._found(spec, Progress()) is None
    assert searched == [cluster.layout]
    assert "the cluster 'mine' has no application ready" in capsys.readouterr().err
    other = asked(cluster, "spark.default.parallelism=3")
    assert (joins.key(spec), joins.key(other)) == (f"{spec.key()}-ready", f"{other.key()}-persistent")


def test_a_probe_that_the_cluster_has_is_worth_an_application_of_its_own(cluster: PersistentCluster) -> None:
    counted = PROBES["fileops"]().environment(cluster.layout)
    layout = dataclasses.replace(cluster.layout, preload=counted)
    clusters = [
        cluster,
        # an earlier version of weft, whose library does not know ANY_NODE
        dataclasses.replace(cluster, layout=layout),
        dataclasses.replace(cluster, layout=layout, any_node=True),
    ]
    spec = asked(cluster, "probes=+fileops")
    keys = [JoinedCluster(dataclasses.replace(one, ready=True)).key(spec) for one in clusters]
    assert keys == [f"{spec.key()}-ready", f"{spec.key()}-ready", f"{spec.key()}-persistent"]


def test_an_engine_that_the_cluster_does_not_run_is_refused(cluster: PersistentCluster) -> None:
    with pytest.raises(UsageError, match="mine does not run flink"):
        asked(cluster, engine="flink")


def test_of_several_engines_one_is_named_and_has_its_own_keys(tmp_path: Path) -> None:
    started = 'engine = [{ kind = "spark", driver_memory = "2G" }, { kind = "flink" }]\nworkload = "persistent:mine"\n'
    cluster = made(tmp_path, started)
    with pytest.raises(UsageError, match="runs several engines: spark, flink"):
        asked(cluster)
    engine = asked(cluster, engine="spark").engine
    assert isinstance(engine, SparkEngine)
    assert engine.driver_memory == 2 << 30


@pytest.mark.parametrize("kind", ["flink", "hadoop", "dask", "ray"])
def test_an_engine_whose_processes_are_of_all_jobs_is_refused_by_its_name(kind: str) -> None:
    with pytest.raises(UsageError, match=f"^{kind} runs the tasks of all jobs in the same processes"):
        KINDS[kind]().of_one_job(fake_layout())


def test_spark_on_yarn_is_refused_by_its_name() -> None:
    with pytest.raises(UsageError, match=r"^spark on YARN runs"):
        SparkEngine(master="yarn").of_one_job(fake_layout())


def test_the_processes_of_a_job_have_its_mark_and_its_history_is_in_its_record(
    cluster: PersistentCluster,
) -> None:
    spec = asked(cluster)
    layout = dataclasses.replace(cluster.layout, run="JOB", record=Path("/weft/runs/JOB"))
    work = spec.workload.measured
    assert work is not None
    live = Live(
        spec, layout, Cluster(print), Record(layout.record), Progress(), conf=spec.engine.of_one_job(layout)
    )
    job = live.own(work.job(Prepared(layout)))
    command = spec.engine.submit(job, layout)
    assert command.environment["WEFT_LEASE"] == "JOB"
    assert {
        "spark.executorEnv.WEFT_LEASE=JOB", "spark.eventLog.enabled=true", "spark.eventLog.dir=file:/weft/runs/JOB/engine"
    } <= set(command.argv)  # fmt: skip


def test_such_runs_repeat_each_other_and_not_those_on_new_clusters(cluster: PersistentCluster) -> None:
    spec, source = asked(cluster), JoinedCluster(cluster)
    assert source.key(spec) == f"{spec.key()}-persistent"
    assert source.about(spec)["cluster"] == "mine"


def test_a_job_has_the_logs_of_its_own_executors_as_they_grow(
    cluster: PersistentCluster, tmp_path: Path
) -> None:
    own = tmp_path / "JOB"
    (own / "engine").mkdir(parents=True)
    (own / "engine" / "app-2.inprogress").write_text("")
    for application in ("app-1", "app-2"):
        folder = tmp_path / "logs" / "node1" / "executors" / application / "0"
        folder.mkdir(parents=True)
        (folder / "stderr").write_text(application)
    alive = joined._Joined(
        lambda *_, **__: None, source=JoinedCluster(cluster), began=0.0,
        layout=dataclasses.replace(cluster.layout, record=own), task_logs=SparkEngine().task_logs,
    )  # fmt: skip
    alive.adopt()
    with (folder / "stderr").open("a") as log:
        log.write(" failed")
    found = {str(path.relative_to(own)): path.read_text() for path in own.rglob("stderr")}
    assert found == {"logs/node1/executors/app-2/0/stderr": "app-2 failed"}


def test_the_end_of_the_cluster_and_its_lost_daemons_are_seen_while_the_job_runs(
    cluster: PersistentCluster, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "engine").mkdir()
    lost = {"t": 5.0, "event": "daemon-lost", "daemon": "worker-node2", "node": "node2", "how": "exit code 1"}
    (tmp_path / "events.jsonl").write_text(
        "".join(json.dumps(event) + "\n" for event in ({**lost, "t": 1.0, "daemon": "earlier"}, lost))
    )
    alive = joined._Joined(
        lambda *_, **__: None, source=JoinedCluster(cluster), layout=cluster.layout, began=2.0
    )
    monkeypatch.setattr(registry, "supervisor", lambda _: cluster.supervisor)
    alive.watch()
    assert alive.lost == ["worker-node2 on node2 ended (exit code 1)"]
    monkeypatch.setattr(registry, "supervisor", lambda _: None)
    alive.polled = 0.0
    with pytest.raises(ClusterError, match="the cluster 'mine' has ended"):
        alive.watch()


def test_what_takes_long_to_inspect_is_inspected_seldom_and_the_end_of_the_cluster_is_seen_at_once(
    cluster: PersistentCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with logs of hundreds of nodes on a parallel file system, which the job uses as well."""
    now, inspected = [100.0], [0.0]

    def inspect(_: joined._Joined) -> None:
        inspected.append(now[0])
        now[0] += 1

    monkeypatch.setattr(joined, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(joined._Joined, "inspect", inspect)
    monkeypatch.setattr(Cluster, "watch", lambda _: None)
    monkeypatch.setattr(registry, "supervisor", lambda _: cluster.supervisor)
    alive = joined._Joined(
        lambda *_, **__: None, source=JoinedCluster(cluster), layout=cluster.layout, began=2.0
    )
    for _ in range(300):
        alive.watch()
        now[0] += 0.5
    assert len(inspected) - 1 == 8
    assert min(later - before for before, later in itertools.pairwise(inspected)) >= 20
    monkeypatch.setattr(registry, "supervisor", lambda _: None)
    with pytest.raises(ClusterError, match="the cluster 'mine' has ended"):
        alive.watch()


def test_commands_of_others_during_the_run_are_a_gap_of_its_record(
    cluster: PersistentCluster, tmp_path: Path
) -> None:
    events = [
        {"t": 1.0, "event": "command-started", "command": "before"},
        {"t": 3.0, "event": "command-started", "command": "weft", "record": "JOB"},
        {"t": 4.0, "event": "command-started", "command": "pyspark"},
    ]
    (tmp_path / "events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    (words,) = JoinedCluster(cluster)._others(2.0)
    assert words == "other commands began on the cluster during the run: pyspark"


def test_a_second_measured_run_is_refused_with_the_name_of_the_first() -> None:
    with (
        registry.measured("mine", "terasort"),
        pytest.raises(UsageError, match="terasort is being measured on the cluster 'mine'"),
        registry.measured("mine", "grep"),
    ):
        pass
    with registry.measured("mine", "grep"):
        pass


def test_a_workload_with_a_service_of_its_own_is_refused(cluster: PersistentCluster) -> None:
    spec = parse({"workload": "stream-statistics", "engine": "spark", "services": ["kafka:1"]})
    with pytest.raises(UsageError, match="stream-statistics needs kafka of its own"):
        JoinedCluster(cluster).require(spec, topology(spec))


def on_this_machine(cluster: PersistentCluster, directory: Path) -> PersistentCluster:
    """The same with nodes and directories that exist."""
    layout = fake_layout([Node("node1", "127.0.0.1", 2, 4 << 30, directory)])
    paths = {"node1": str(directory)}
    places = {role: dataclasses.replace(place, paths=paths) for role, place in layout.places.items()}
    settings.runs().mkdir(parents=True, exist_ok=True)
    return dataclasses.replace(cluster, layout=dataclasses.replace(layout, places=places, record=directory))


def test_a_cluster_that_does_not_answer_is_an_error_before_there_is_a_record(
    cluster: PersistentCluster, tmp_path: Path
) -> None:
    spec = asked(cluster, size="1MB")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    engine = spec.engine.model_copy(update={"web_port": port})
    unreachable = JoinedCluster(on_this_machine(cluster, tmp_path))
    with pytest.raises(ClusterError, match="the cluster 'mine' does not answer: nothing listens"):
        unreachable.require(spec.model_copy(update={"engine": engine}), topology(spec))


def test_a_cluster_without_one_of_its_nodes_is_refused(
    cluster: PersistentCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = asked(cluster, size="1MB")
    answer = {"workers": [{"host": "127.0.0.1", "state": "DEAD"}], "activeapps": []}
    monkeypatch.setattr(JoinedCluster, "_answer", lambda *_: answer)
    source = JoinedCluster(on_this_machine(cluster, tmp_path))
    with pytest.raises(ClusterError, match="the cluster 'mine' lacks worker-node1, so that"):
        source.require(spec, topology(spec))
    answer["workers"][0] |= {"state": "ALIVE", "cores": 2, "coresfree": 2}  # type: ignore[index]
    source.require(spec, topology(spec))


def test_cores_that_other_applications_hold_are_not_waited_for(
    cluster: PersistentCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, source = asked(cluster, size="1MB"), JoinedCluster(on_this_machine(cluster, tmp_path))
    worker = {"host": "127.0.0.1", "state": "ALIVE", "cores": 2, "coresfree": 1}
    monkeypatch.setattr(JoinedCluster, "_answer", lambda *_: {"workers": [worker], "activeapps": [{}]})
    monkeypatch.setattr(joined, "_SETTLED", 0.0)
    with pytest.raises(
        ClusterError, match="hold the cores of the cluster 'mine': node1 has 1 of 2 cores free"
    ):
        source.require(spec, topology(spec))
    small = asked(cluster, "spark.executor.cores=1", size="1MB")
    source.require(small, topology(small))


def test_nodes_that_do_not_see_the_records_are_refused(
    cluster: PersistentCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, source = asked(cluster, size="1MB"), JoinedCluster(on_this_machine(cluster, tmp_path))
    monkeypatch.setenv("WEFT_RUNS", str(tmp_path / "elsewhere"))
    with pytest.raises(UsageError, match=r"do not see .*elsewhere, the directory of the record") as refused:
        source.require(spec, topology(spec))
    assert refused.value.hint == f"set WEFT_RUNS to {tmp_path.parent}, where the cluster has its own"
