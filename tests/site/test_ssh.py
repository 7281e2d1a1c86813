"""Nodes that are reached with ssh: real servers on loopback addresses, a host each."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.conftest import holding, nodes_of, storage_of, traces
from tests.contract.test_storage import read, write
from tests.site.sshd import Hosts, needs_sshd, running
from weft.errors import UsageError, WeftError
from weft.storage.base import SHARED_ROLES, Role

pytestmark = needs_sshd


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[Hosts]:
    with running(tmp_path / "hosts", 2) as found:
        yield found


@pytest.mark.parametrize("form", ["disk", "disk:DIR", "memory:64M", "loopback:DIR,size=64M", "mount:DIR"])
@pytest.mark.parametrize("role", ["input", "shuffle"])
def test_storage_stands_on_hosts(form: str, role: Role, hosts: Hosts, tmp_path: Path) -> None:
    storage = storage_of(form, tmp_path)
    with holding() as work, nodes_of(hosts.nodes(cores="1")).acquire(work, []) as on:
        if role in SHARED_ROLES and form.startswith(("memory", "loopback")):
            with pytest.raises(UsageError, match="is one machine's"), storage.place(role, on, work):
                pass
            return
        with storage.place(role, on, work) as place:
            for node in on:
                write(node, place, f"from-{node.name}")
            for node in on:
                names = [f"from-{one.name}" for one in (on if place.shared else [node])]
                assert node.run(["ls", place.paths[node.name]]).out.split() == names
                assert read(node, place, names[0]) == names[0].removeprefix("from-")
    assert traces(tmp_path) == []


def test_a_directory_that_is_on_no_host_is_named(hosts: Hosts, tmp_path: Path) -> None:
    with (
        holding() as work,
        nodes_of(hosts.nodes(cores="1")).acquire(work, []) as on,
        pytest.raises(WeftError, match="does not exist on host1, host2"),
        storage_of(f"mount:{tmp_path}/none", tmp_path).place("shuffle", on, work),
    ):
        pass
