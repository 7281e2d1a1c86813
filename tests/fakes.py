"""Nodes, places and layouts that stand for real ones: nothing is made, paths are the same on every machine."""

import dataclasses
import stat
from collections.abc import Sequence
from pathlib import Path

from weft.layout.places import SHARED_ROLES, Place, Role
from weft.layout.plan import Layout
from weft.nodes.base import Node
from weft.services.realm import Realm

WORK = Path("/weft/work/RUN")
RECORD = Path("/weft/runs/RUN")
GIB = 1 << 30
MODULES = ("core", "spark", "hadoop", "flink")


def fake_nodes(count: int = 2, *, cores: int = 2, memory: int = 4 * GIB) -> list[Node]:
    return [Node(f"node{i}", f"10.0.0.{i}", cores, memory, WORK / f"node{i}") for i in range(1, count + 1)]


def fake_place(role: Role, nodes: Sequence[Node]) -> Place:
    shared = role in SHARED_ROLES
    paths = {node.name: f"/scratch/{role}" if shared else f"/scratch/{role}/{node.name}" for node in nodes}
    return Place("fake", "nowhere", paths, shared=shared)


def fake_layout(nodes: Sequence[Node] | None = None) -> Layout:
    on = fake_nodes() if nodes is None else nodes
    roles: tuple[Role, ...] = ("input", "output", "shuffle")
    return Layout(
        run="RUN",
        nodes=on,
        places={role: fake_place(role, on) for role in roles},
        directory=WORK,
        record=RECORD,
        java=Path("/jdk/bin/java"),
        homes={name: Path(f"/cache/{name}") for name in ("spark", "flink")},
        jars={name: Path(f"/cache/weft-{name}.jar") for name in (*MODULES, "kerberos")},
        realm=Realm(WORK / "kerberos", on[0], 6010),
    )


def fake_hadoop_layout(nodes: Sequence[Node] | None = None) -> Layout:
    """The same with daemons or clients of Hadoop's."""
    layout = fake_layout(nodes)
    return dataclasses.replace(layout, homes={**layout.homes, "hadoop": Path("/cache/hadoop")})


def fake_program(directory: Path, name: str, script: str = "exit 0") -> Path:
    """A program that answers as the real one would."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path
