"""A shuffle service, a metrics sink or a file system is one file and its line in KINDS: engines read what its endpoint says."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest

from tests.contract.test_services import laid
from tests.fakes import fake_layout
from weft.adapters import services, storage
from weft.adapters.engines.base import Engine
from weft.adapters.engines.flink.engine import FlinkEngine
from weft.adapters.engines.hadoop import HadoopEngine
from weft.adapters.engines.hive.engine import HiveEngine
from weft.adapters.engines.spark.engine import SparkEngine
from weft.adapters.services.base import Service
from weft.adapters.storage.base import Storage
from weft.facts.roles import Role
from weft.host.work import Work, WorkDirectory
from weft.layout.endpoint import Endpoint, HadoopFileSystem
from weft.layout.job import Job
from weft.layout.jvm import core
from weft.layout.members import Members
from weft.layout.places import Place
from weft.layout.plan import Layout, Plan
from weft.run.topology import Topology, topology
from weft.spec.parse import parse

ENGINES = [SparkEngine(), FlinkEngine(), HadoopEngine(), HiveEngine()]
PREFIX = {"spark": "spark.", "flink": "", "hadoop": "mapreduce.", "hive": "tez."}


class ShuffleService(Service):
    """Its file is services/toy.py, and the other its line in services/__init__.py."""

    kind: Literal["toy"] = "toy"
    alone: ClassVar[bool] = True

    def endpoint(self, members: Members, layout: Layout) -> Endpoint:
        address = members[0].address
        return Endpoint(
            properties={kind: {f"{prefix}shuffle.toy": address} for kind, prefix in PREFIX.items()},
            jars={kind: [f"/toy/{kind}.jar"] for kind in PREFIX},
        )


class ObjectStorage(Storage):
    """Its file is storage/objects.py, and the other its line in storage/__init__.py."""

    kind: Literal["objects"] = "objects"

    @property
    def service(self) -> Mapping[str, Any]:
        return {"kind": "objects"}

    def sketch(self, role: Role, nodes: Members, work: WorkDirectory) -> Place:
        return Place("objects", "objects", {node.name: f"s3a://weft/{role}" for node in nodes}, shared=True)

    @contextmanager
    def place(self, role: Role, nodes: Members, work: Work) -> Iterator[Place]:
        yield self.sketch(role, nodes, work)


class ObjectStore(Service):
    """What serves it."""

    kind: Literal["objects"] = "objects"
    configurable: ClassVar[bool] = False

    def endpoint(self, members: Members, layout: Layout) -> Endpoint:
        address = {"fs.s3a.endpoint": f"http://{members[0].address}:9000"}
        found = HadoopFileSystem("s3a", address, ["/cache/hadoop-aws/*"])
        return Endpoint(file_system=found, jars={"spark": ["/cache/hadoop-aws/*"]})


def planned(engine: Engine, layout: Layout, made_of: Topology) -> tuple[Plan, str, list[str]]:
    """The plan with its services, all its files as one text, and the command of a job."""
    plans = [*(service.plan(layout) for service in made_of.services), engine.plan(layout)]
    texts = "\n".join(text for plan in plans for text in plan.files.values())
    job = engine.submit(Job("toy", "TeraSort", [], Path("outcome")), layout)
    return plans[-1], texts, list(job.argv)


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.kind)
def test_what_a_shuffle_service_adds_is_in_the_plan_of_each_engine(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(services.KINDS, "toy", ShuffleService)
    work = "tpcds" if engine.kind == "hive" else "terasort"
    made_of = topology(parse({"workload": work, "engine": {"kind": engine.kind}, "services": ["toy"]}))
    layout, _ = laid(made_of)
    layout = replace(layout, homes={**layout.homes, "hive": Path("/cache/hive")})
    plan, texts, job = planned(engine, layout, made_of)
    assert f"{PREFIX[engine.kind]}shuffle.toy" in texts
    found = [*job, *(word for daemon in plan.daemons for word in daemon.argv), texts]
    classes = [word for word in found if f"/toy/{engine.kind}.jar" in word]
    assert len(classes) >= 1 + len([daemon for daemon in plan.daemons if daemon.name != "jobhistory"])
    others = set(PREFIX) - {engine.kind, "hadoop"}
    assert not [word for word in found for kind in others if f"/toy/{kind}" in word]


def test_what_the_user_sets_overrides_a_shuffle_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(services.KINDS, "toy", ShuffleService)
    engine = {"kind": "spark", "conf": {"spark.shuffle.toy": "mine"}}
    spec = parse({"workload": "terasort", "engine": engine, "services": ["toy"]})
    assert "spark.shuffle.toy mine\n" in planned(spec.engine, laid(topology(spec))[0], topology(spec))[1]


def test_nothing_is_added_without_a_service() -> None:
    layout = fake_layout()
    assert layout.service_jars("spark") == layout.file_systems == layout.token_uris == []


def on(kind: str) -> tuple[Layout, Topology]:
    """Spark's terasort with its input on a storage that is reached by URIs."""
    made_of = topology(parse({"workload": "terasort", "engine": "spark", "input": kind}))
    layout, _ = laid(made_of)
    work = WorkDirectory("RUN", layout.directory)
    return replace(
        layout, places={**layout.places, **made_of.sketch(Members(layout.nodes), work).roles}
    ), made_of


def test_an_object_store_is_asked_for_no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(services.KINDS, "objects", ObjectStore)
    monkeypatch.setitem(storage.KINDS, "objects", ObjectStorage)
    (hdfs, of_hdfs), (objects, of_objects) = on("hdfs"), on("objects")
    assert [command.name for command in planned(SparkEngine(), hdfs, of_hdfs)[0].then] == ["hdfs-token"]
    plan, texts, job = planned(SparkEngine(), objects, of_objects)
    assert not plan.then
    assert "TOKEN" not in texts
    assert "spark.hadoop.fs.s3a.endpoint http://10.0.0.1:9000\n" in texts
    assert any(word.endswith(":/cache/hadoop-aws/*") for word in job)


def test_weft_s_own_programs_and_flink_reach_an_object_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(services.KINDS, "objects", ObjectStore)
    monkeypatch.setitem(storage.KINDS, "objects", ObjectStorage)
    layout, made_of = on("objects")
    own = core(layout)
    assert "-Dweft.hadoop.fs.s3a.endpoint=http://10.0.0.1:9000" in own
    assert own[-1] == "/cache/weft-hadoop.jar:/cache/hadoop-aws/*"
    _, texts, job = planned(FlinkEngine(), layout, made_of)
    assert 'flink.hadoop.fs.s3a.endpoint: "http://10.0.0.1:9000"' in texts
    assert any("/cache/hadoop-aws/*" in word for word in job)
