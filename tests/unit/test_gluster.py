"""GlusterFS: servers on nodes of their own, and volume files that say who may connect."""

from pathlib import Path

from tests.fakes import fake_nodes
from weft.adapters.services.gluster import Gluster
from weft.adapters.storage.gluster import GlusterStorage
from weft.host.work import Work, work_directory
from weft.layout.members import Members
from weft.layout.plan import SECRET
from weft.run import preview
from weft.run.topology import topology
from weft.spec.parse import parse

WANTED = parse(
    {"workload": "terasort:1GB", "nodes": "virtual:2", "input": "gluster:2", "output": "gluster:2"}
)


def test_servers_do_not_compute_and_clients_take_memory() -> None:
    layout = preview.sketch(WANTED)
    assert [node.name for node in layout.nodes] == ["node1", "node2"]
    assert list(layout.all_places["gluster"].paths) == layout.services["gluster"].nodes == ["node3", "node4"]
    assert layout.places["input"].path.endswith("shared/gluster/input")
    nodes, asked = fake_nodes(4), topology(WANTED)
    assert all(node.memory < nodes[0].memory for node in asked.computing(asked.members(nodes, 2)))


def test_nodes_of_services_that_are_backed_by_it_mount_it_too() -> None:
    asked = topology(parse({"workload": "terasort", "nodes": "virtual:2", "input": "hdfs:1+gluster:2"}))
    members = asked.members(fake_nodes(5), 2)
    (gluster,) = [service for service in asked.services if isinstance(service, Gluster)]
    assert [node.name for node in gluster.clients(members)] == ["node1", "node2", "node5"]


def test_every_brick_listens_on_its_own_node_and_wants_the_password(tmp_path: Path) -> None:
    service, nodes = Gluster(storage=GlusterStorage(nodes=2)), fake_nodes(4)
    work = Work("RUN", tmp_path, None)  # type: ignore[arg-type]
    servers = Members(nodes[2:])
    files = service.files(servers, service.backing.sketch("gluster", servers, work), work)
    texts = {path.stem: text for path, text in files.items()}
    assert set(texts) == {"brick-node3", "brick-node4", "client"}
    for node in nodes[2:]:
        brick = texts[f"brick-{node.name}"]
        assert f"transport.socket.bind-address {node.address}\n" in brick
        assert f"auth.login.weft.password {SECRET}\n" in brick
        assert f"remote-host {node.address}\n" in texts["client"]
    assert texts["client"].count(f"password {SECRET}\n") == 2
    assert "subvolumes brick-node3 brick-node4\n" in texts["client"]


def test_on_a_network_for_storage_bricks_listen_there_alone_and_clients_find_them_there(
    tmp_path: Path,
) -> None:
    """The engine stays on the network of the compute nodes."""
    words = {"workload": "terasort", "input": "gluster:2", "nodes": "virtual:2,rate=34mbit,storage_rate=none"}
    wanted = parse(words)
    layout = preview.sketch(wanted)
    assert [node.address for node in layout.serving("gluster")] == ["10.88.0.3", "10.88.0.4"]
    (service,) = [one for one in topology(wanted).services if isinstance(one, Gluster)]
    every = topology(wanted).nodes(wanted.nodes).sketch(work_directory("RUN"))
    members = topology(wanted).members(every, 2)
    work = Work("RUN", tmp_path, None)  # type: ignore[arg-type]
    servers = members.of("gluster")
    texts = service.files(servers, service.backing.sketch("gluster", servers, work), work).values()
    for address in ("10.88.0.3", "10.88.0.4"):
        assert sum(f"bind-address {address}\n" in text for text in texts) == 1
        assert sum(f"remote-host {address}\n" in text for text in texts) == 1
    assert not any("10.87." in text for text in texts)
    daemons = {daemon.name: daemon.node for daemon in preview.planned(wanted, layout).daemons}
    assert daemons["master"].address == "10.87.0.1"
