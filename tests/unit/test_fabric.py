"""One address a node, tried between nodes: clients here are shells, addresses are loopback's."""

import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.adapters.nodes.fabric import on_fabric, peers_of
from weft.errors import NodeError
from weft.host.programs import connectivity
from weft.host.remote.reach import Reach
from weft.layout.node import Node

NOBODYS = "192.0.2.7"
"""An address that no machine has (RFC 5737)."""


Make = Callable[..., list[Node]]


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[Make]:
    """Two nodes with a remote agent each and interfaces of their own."""
    made: list[Reach] = []

    def make(*interfaces: dict[str, str]) -> list[Node]:
        found = []
        for i, own in enumerate(interfaces, start=1):
            reach = Reach(f"host{i}", ("sh", "-c"), login_shell=True).connected(tmp_path / f"host{i}.log")
            made.append(reach)
            address = f"127.88.250.{i}"
            node = Node(
                f"host{i}",
                address,
                1,
                1 << 30,
                Path("/none"),
                host=f"host{i}",
                way=reach.text(),
                interfaces=own,
            )
            found.append(node)
        return found

    yield make
    for reach in made:
        reach.close()


def test_a_named_interface_gives_each_node_its_address_there(nodes: Make) -> None:
    two = nodes({"eth1": "127.88.251.1"}, {"eth1": "127.88.251.2"})
    assert [node.address for node in on_fabric(two, "eth1")] == ["127.88.251.1", "127.88.251.2"]


def test_auto_takes_a_fast_interface_that_all_have(nodes: Make) -> None:
    two = nodes({"ib0": "127.88.251.1", "eth0": NOBODYS}, {"ib0": "127.88.251.2", "hsn0": NOBODYS})
    assert [node.address for node in on_fabric(two, "auto")] == ["127.88.251.1", "127.88.251.2"]


@pytest.mark.parametrize("name", ["ib0", "ibp65s0", "ibP2p1s0", "ibs1", "ibo1", "mlx5_ib0", "hsn0", "opa1"])
def test_auto_knows_the_names_of_fast_interfaces(name: str, nodes: Make) -> None:
    two = nodes({name: "127.88.251.1", "bond0": NOBODYS}, {name: "127.88.251.2", "bond0": NOBODYS})
    assert [node.address for node in on_fabric(two, "auto")] == ["127.88.251.1", "127.88.251.2"]


def test_auto_passes_by_a_fast_interface_that_does_not_answer(nodes: Make) -> None:
    two = nodes({"ib0": "127.88.251.1"}, {"ib0": NOBODYS})
    assert [node.address for node in on_fabric(two, "auto")] == ["127.88.250.1", "127.88.250.2"]


def test_two_names_of_one_machine_are_refused_on_a_fast_interface_too(nodes: Make) -> None:
    two = nodes({"ib0": "127.88.251.1"}, {"ib0": "127.88.251.1"})
    with pytest.raises(NodeError, match=r"host1 and host2 are the same machine: both are at 127\.88\.251\.1"):
        on_fabric(two, "auto")


def test_a_node_without_the_interface_is_named_with_what_all_have(nodes: Make) -> None:
    two = nodes({"ib0": "127.88.251.1", "eth0": "127.88.252.1"}, {"eth0": "127.88.252.2"})
    with pytest.raises(NodeError, match="host2: no address on an interface ib0") as caught:
        on_fabric(two, "ib0")
    assert "all nodes have eth0" in caught.value.hint


def test_a_pair_that_does_not_meet_is_named(nodes: Make) -> None:
    two = nodes({"eth1": "127.88.251.1"}, {"eth1": NOBODYS})
    with pytest.raises(
        NodeError, match=r"host2 does not listen at 192\.0\.2\.7 \(fabric eth1\): .* is not available"
    ):
        on_fabric(two, "eth1")


def test_each_way_of_not_answering_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connectivity, "_PATIENCE", 3)
    monkeypatch.setattr(connectivity, "_AT_ONCE", 2)
    host = "127.0.0.1"
    with socket.create_server((host, 0)) as right, socket.create_server((host, 0)) as wrong:
        threading.Thread(target=connectivity._answer, args=(right, "word"), daemon=True).start()
        threading.Thread(target=connectivity._answer, args=(wrong, "other"), daemon=True).start()
        with socket.create_server((host, 0)) as silent, socket.socket() as closed:
            closed.bind((host, 0))
            servers = {"right": right, "closed": closed, "wrong": wrong, "silent": silent, "again": right}
            peers = [[name, host, server.getsockname()[1]] for name, server in servers.items()]
            found = connectivity.unreached([*peers, ["nameless", "no-such-host.invalid", 1]], "word")
    assert found.pop("nameless")
    assert found == {
        "closed": "Connection refused",
        "wrong": "something else answers there",
        "silent": "no answer in 3 s",
    }


@pytest.mark.parametrize("count", [1, 2, 64])
def test_of_few_nodes_each_connects_to_all_others(count: int) -> None:
    assert [sorted([node, *peers]) for node, peers in enumerate(peers_of(count))] == [[*range(count)]] * count


@given(st.integers(65, 3000), st.data())
def test_however_many_nodes_are_divided_both_parts_connect_to_the_other(
    count: int, data: st.DataObject
) -> None:
    peers = peers_of(count)
    part = data.draw(st.sets(st.integers(0, count - 1), min_size=1, max_size=count - 1))
    crossing = {
        node in part for node in range(count) for peer in peers[node] if (node in part) != (peer in part)
    }
    assert crossing == {True, False}
    assert all(len({*found} - {node}) == len(found) < 13 for node, found in enumerate(peers))
