"""Nodes, places and layouts that stand for real ones: nothing is made, paths are the same on every machine."""

import dataclasses
import stat
from collections.abc import Sequence
from pathlib import Path

from weft.adapters.engines.base import Engine
from weft.adapters.engines.hadoop import HadoopEngine
from weft.adapters.services import resolved
from weft.facts.roles import SHARED_ROLES, Role
from weft.layout.members import Members
from weft.layout.node import Node
from weft.layout.places import Place
from weft.layout.plan import Layout, Plan, together
from weft.run.topology import Topology

WORK = Path("/weft/work/RUN")
RECORD = Path("/weft/runs/RUN")
GIB = 1 << 30
MODULES = ("core", "spark", "hadoop", "flink", "hive", "kafka")


def fake_nodes(count: int = 2, *, cores: int = 2, memory: int = 4 * GIB) -> list[Node]:
    return [Node(f"node{i}", f"10.0.0.{i}", cores, memory, WORK / f"node{i}") for i in range(1, count + 1)]


def fake_place(role: Role, nodes: Sequence[Node]) -> Place:
    shared = role in SHARED_ROLES
    paths = {node.name: f"/scratch/{role}" if shared else f"/scratch/{role}/{node.name}" for node in nodes}
    return Place("fake", "nowhere", paths, shared=shared)


def fake_layout(nodes: Sequence[Node] | None = None) -> Layout:
    on = fake_nodes() if nodes is None else nodes
    roles: tuple[Role, ...] = ("input", "output", "scratch")
    return Layout(
        run="RUN",
        nodes=on,
        places={role: fake_place(role, on) for role in roles},
        directory=WORK,
        record=RECORD,
        java=Path("/jdk/bin/java"),
        native=Path("/cache/native"),
        homes={name: Path(f"/cache/{name}") for name in ("spark", "flink", "dask", "ray", "duckdb", "sail")},
        jars={name: Path(f"/cache/weft-{name}.jar") for name in (*MODULES, "kerberos")},
    )


def fake_shared_layout(engine: Engine, nodes: Sequence[Node] | None = None) -> Layout:
    """The same for an engine that may consist of several."""
    return dataclasses.replace(fake_layout(nodes), shares=engine.memory_shares)


def fake_hadoop_layout(nodes: Sequence[Node] | None = None, engine: Engine | None = None) -> Layout:
    """The same with a realm, and with YARN for an engine, which has what YARN leaves of the nodes' memory."""
    asked = engine or HadoopEngine()
    layout, own = fake_shared_layout(asked, nodes), asked.services()
    members = Members(layout.nodes)
    left = Topology({}, own).computing(members)
    homes = {**layout.homes, **{name: Path(f"/cache/{name}") for name in ("hadoop", "hive")}}
    return Topology({}, resolved({}, own, ())).laid(
        dataclasses.replace(layout, nodes=left, homes=homes), members, {}
    )


def fake_plan(engine: Engine, layout: Layout) -> Plan:
    """What an engine runs, with the services that it asks for."""
    return together([*(service.plan(layout) for service in engine.services()), engine.plan(layout)])


def fake_program(directory: Path, name: str, script: str = "exit 0") -> Path:
    """A program that answers as the real one would."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path
