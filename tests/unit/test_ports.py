"""Ports of daemons: the hint for a taken one names the key that moves it."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from weft.errors import ClusterError
from weft.layout.node import Node
from weft.layout.plan import Daemon
from weft.run import preview
from weft.run.ports import require_free
from weft.spec.parse import parse

ENGINES = ("spark", "flink", "hadoop", "spark:master=yarn", "flink:master=yarn")


def daemons(asked: dict[str, str], **settings: str) -> dict[str, Daemon]:
    spec = parse(asked, {f"engine.{key}": value for key, value in settings.items()})
    return {daemon.name: daemon for daemon in preview.planned(spec, preview.sketch(spec)).daemons}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("key", "paged"), [("web_port", True), ("port", False)])
def test_pages_follow_one_key_and_all_other_ports_the_other(engine: str, key: str, *, paged: bool) -> None:
    asked = {"workload": "terasort:1GB", "engine": engine, "nodes": "local:2,memory=5G"}
    plain, moved = daemons(asked), daemons(asked, **{key: "7500"})
    for name, daemon in ((name, one) for name, one in plain.items() if one.table == "engine"):
        pages = daemon.ports[-1:] if daemon.page else ()
        wanted = pages if paged else tuple(port for port in daemon.ports if port not in pages)
        pairs = zip(daemon.ports, moved[name].ports, strict=True)
        assert tuple(before for before, after in pairs if before != after) == tuple(wanted), name


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield listening.getsockname()[1]


@pytest.mark.parametrize(("page", "key"), [(True, "engine.web_port=..."), (False, "engine.port=...")])
def test_a_taken_port_is_reported_with_the_key_that_moves_it(taken: int, key: str, *, page: bool) -> None:
    node = Node("node1", "127.0.0.1", 1, 1 << 30, Path("/nonexistent"))
    with pytest.raises(ClusterError, match=f"worker: port {taken} on node1") as caught:
        require_free([Daemon("worker", node, ["true"], {}, (taken,), page=page)])
    assert key in caught.value.hint
