"""Every service: it gets the requested nodes, its memory is counted, its daemons are for its nodes, nothing is left."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.contract.conftest import live, nodes_for, storage_of, traces
from tests.fakes import GIB, fake_layout, fake_nodes
from tests.needs import GLUSTER, MOOSEFS, needs
from weft.adapters.engines.hadoop import HadoopEngine
from weft.adapters.services import KINDS, resolved
from weft.adapters.services.base import Service
from weft.adapters.storage.base import Storage
from weft.host.work import WorkDirectory
from weft.layout.plan import Layout
from weft.run.topology import Topology, topology
from weft.spec.parse import parse

FORMS: dict[str, dict[str, tuple[str, ...]]] = {
    "null": {"null": (), "null:2": ()},
    "kerberos": {"hdfs": ()},
    "hdfs": {"hdfs": (), "hdfs:2+memory:64M": ()},
    "gluster": {"gluster:2": GLUSTER},
    "moosefs": {"moosefs:2": MOOSEFS},
    "yarn": {"hadoop": ()},
    "kafka": {"kafka": (), "kafka:2+memory:64M": ()},
}
"""By kind: what brings it into a run, a service, a storage or an engine, and what that needs of the machine."""
SERVICES = pytest.mark.parametrize(
    ("kind", "form"),
    [
        pytest.param(kind, form, marks=needs(*names))
        for kind, forms in FORMS.items()
        for form, names in forms.items()
    ],
)


def services_of(form: str, folder: Path) -> list[Service]:
    if form == "hadoop":
        return resolved({}, HadoopEngine().services(), ())
    if form.startswith(("null", "kafka")):
        return resolved({}, (), [KINDS.read(form)])
    storage: dict[str, Storage] = {"input": storage_of(form, folder)}
    return resolved(storage, (), ())


def laid(made_of: Topology, count: int = 3) -> tuple[Layout, Layout]:
    """A layout with the services on it, of which nothing is made; and the nodes as they were without."""
    own = sum(service.own_nodes for service in made_of.services)
    raw = fake_layout(fake_nodes(count + own, memory=8 * GIB))
    members = made_of.members(raw.nodes, count)
    work = WorkDirectory("RUN", raw.directory)
    layout = Layout(
        run="RUN",
        nodes=made_of.computing(members),
        servers=members.servers,
        places=raw.places,
        directory=raw.directory,
        record=raw.record,
        java=raw.java,
        homes={**raw.homes, "hadoop": Path("/cache/hadoop"), "kafka": Path("/cache/kafka")},
        jars=raw.jars,
    )
    return made_of.laid(layout, members, made_of.sketch(members, work).backings), raw


def test_every_adapter_is_under_contract() -> None:
    assert set(FORMS) == set(KINDS)


@SERVICES
def test_what_it_takes_is_counted_on_its_own_nodes_or_on_those_that_compute(
    kind: str, form: str, tmp_path: Path
) -> None:
    made_of = Topology({}, services_of(form, tmp_path))
    layout, raw = laid(made_of)
    service = next(one for one in made_of.services if one.kind == kind)
    assert len(layout.servers) == sum(one.own_nodes for one in made_of.services)
    names = [node.name for node in layout.serving(kind)]
    if service.own_nodes:
        assert names == [node.name for node in layout.servers]
    else:
        assert set(names) <= {node.name for node in layout.nodes}
    taken = service.memory(made_of.members(raw.nodes, len(layout.nodes)))
    assert set(taken) <= {node.name for node in raw.nodes}
    for before, after in zip(raw.nodes, layout.nodes, strict=False):
        assert after.memory <= before.memory - taken.get(before.name, 0)


@SERVICES
def test_its_daemons_are_on_its_nodes_and_its_ports_are_no_other_s(
    kind: str, form: str, tmp_path: Path
) -> None:
    made_of = Topology({}, services_of(form, tmp_path))
    layout, _ = laid(made_of)
    plans = {service.kind: service.plan(layout) for service in made_of.services}
    own = plans[kind].daemons
    assert {daemon.node.name for daemon in own} <= set(layout.services[kind].nodes)
    assert all(daemon.environment["WEFT_LEASE"] == "RUN" for daemon in own)
    daemons = [daemon for plan in plans.values() for daemon in plan.daemons]
    ports = [(daemon.node.name, port) for daemon in daemons for port in daemon.ports]
    assert len(set(ports)) == len(ports)
    assert not own or plans[kind].ready or any(daemon.before for daemon in own)
    assert all(layout.directory in path.parents for path in (*plans[kind].files, *plans[kind].sealed))


@SERVICES
def test_it_comes_after_those_that_it_needs(kind: str, form: str, tmp_path: Path) -> None:
    order = [service.kind for service in services_of(form, tmp_path)]
    service = next(one for one in services_of(form, tmp_path) if one.kind == kind)
    assert all(order.index(needed) < order.index(kind) for needed in service.needs)


@contextmanager
def running(form: str, folder: Path) -> Iterator[None]:
    made_of = Topology({}, services_of(form, folder))
    with live(nodes_for(form), None, made_of) as (work, members):
        sketched = made_of.sketch(members, work)
        with made_of.place(members, work) as placed:
            assert placed == sketched
            yield


@SERVICES
def test_an_error_leaves_nothing(kind: str, form: str, tmp_path: Path) -> None:
    with pytest.raises(KeyError, match=kind), running(form, tmp_path):
        raise KeyError(kind)
    assert traces(tmp_path) == []


def test_several_services_and_storages_are_in_one_run() -> None:
    asked = {"workload": "terasort:1GB", "nodes": "virtual:2", "input": "hdfs:1", "output": "gluster:1"}
    spec = parse({**asked, "services": ["null:2"], "engine": "hadoop"})
    made_of = topology(spec)
    assert [service.kind for service in made_of.services] == ["kerberos", "hdfs", "gluster", "yarn", "null"]
    assert made_of.nodes(spec.nodes).count == 6
    members = made_of.members(fake_nodes(6), 2)
    assert {name: [node.name for node in nodes] for name, nodes in members.own.items()} == {
        "hdfs": ["node3"],
        "gluster": ["node4"],
        "null": ["node5", "node6"],
    }
