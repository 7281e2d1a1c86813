"""MooseFS: servers on nodes of their own and on no other address, and settings that say who may connect."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from weft.adapters.services.moosefs import Moosefs
from weft.errors import UsageError
from weft.host.work import Work, work_directory
from weft.layout.plan import SECRET
from weft.run import preview
from weft.run.topology import topology
from weft.spec.parse import parse


def written(nodes: str, folder: Path, storage: str = "moosefs:2") -> tuple[Mapping[str, str], Moosefs]:
    """The texts of its files by name, and the service."""
    wanted = parse({"workload": "groupby", "nodes": nodes, "scratch": storage})
    made_of = topology(wanted)
    (service,) = [one for one in made_of.services if isinstance(one, Moosefs)]
    members = made_of.members(made_of.nodes(wanted.nodes).sketch(work_directory("RUN")), 2)
    work = Work("RUN", folder, None)  # type: ignore[arg-type]
    backing = made_of.sketch(members, work).backings["moosefs"]
    files = service.files(members, backing, work)
    servers = service.servers(members, work)
    assert [(server.name, server.node.name) for server in servers] == [
        ("master", "node3"), ("chunks-node3", "node3"), ("chunks-node4", "node4"),
    ]  # fmt: skip
    arguments = [word for server in servers for word in server.program.arguments]
    arguments += service.mount(members[0], folder, work).arguments
    assert not any(SECRET in word for word in arguments), "a command line shows the password"
    return {path.stem: text for path, text in files.items()}, service


def settings(text: str) -> dict[str, str]:
    return dict(line.split(" = ") for line in text.splitlines())


def test_the_metadata_server_is_on_the_first_of_its_nodes_and_a_chunkserver_on_each(tmp_path: Path) -> None:
    texts, service = written("virtual:2", tmp_path)
    master = settings(texts["master"])
    hosts = {value for key, value in master.items() if key.endswith("LISTEN_HOST")}
    assert hosts == {"10.87.0.3"}
    ports = [value for key, value in master.items() if key.endswith("LISTEN_PORT")]
    for node, address in (("node3", "10.87.0.3"), ("node4", "10.87.0.4")):
        chunks = settings(texts[f"chunks-{node}"])
        assert chunks["CSSERV_LISTEN_HOST"] == chunks["BIND_HOST"] == address
        assert (chunks["MASTER_HOST"], chunks["MASTER_PORT"]) == ("10.87.0.3", master["MATOCS_LISTEN_PORT"])
        ports.append(chunks["CSSERV_LISTEN_PORT"])
    assert len(set(ports)) == 4
    client = dict(line.split("=") for line in texts["client-node2"].splitlines()[:4])
    assert (client["mfsmaster"], client["mfsport"]) == ("10.87.0.3", master["MATOCL_LISTEN_PORT"])
    assert client["mfsbind"] == "10.87.0.2"
    assert service.storage.port == min(map(int, ports))


def test_clients_and_chunkservers_need_the_run_s_secret(tmp_path: Path) -> None:
    texts, _ = written("virtual:2", tmp_path)
    rows = [line.split() for line in texts["exports"].splitlines()]
    assert [address for address, _, _ in rows] == ["10.87.0.1", "10.87.0.2"]
    assert all(options.endswith(f",password={SECRET}") for _, _, options in rows)
    assert all(f"mfspassword={SECRET}\n" in texts[f"client-{node}"] for node in ("node1", "node2"))
    codes = [settings(texts[name])["AUTH_CODE"] for name in ("master", "chunks-node3", "chunks-node4")]
    assert codes == [SECRET] * 3


def test_its_traffic_is_on_the_network_for_storage(tmp_path: Path) -> None:
    texts, _ = written("virtual:2,rate=34mbit,storage_rate=none", tmp_path)
    assert not any("10.87." in text for text in texts.values())
    assert "mfsmaster=10.88.0.3\n" in texts["client-node1"]
    assert "mfsbind=10.88.0.1\n" in texts["client-node1"]


def test_local_nodes_are_refused_before_anything_starts() -> None:
    with pytest.raises(UsageError, match="loopback addresses") as caught:
        preview.sketch(parse({"workload": "groupby", "nodes": "local:2", "scratch": "moosefs"}))
    assert "--nodes virtual" in caught.value.hint


@pytest.mark.parametrize("top", ["loopback", "pool"])
def test_it_backs_other_storages_and_file_operations_are_counted(top: str) -> None:
    wanted = parse({"workload": "groupby", "nodes": "virtual:2", "scratch": f"{top}+moosefs"})
    assert [service.kind for service in topology(wanted).services] == ["moosefs"]
    assert wanted.added_probes() == {"fileops": "files are on MooseFS"}
    place = preview.sketch(wanted).places["scratch"]
    assert "MooseFS of a metadata server and 1 chunkserver(s)" in place.description
