"""Hosts by name: lists, node sets and files; what is refused."""

from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError

from tests.fakes import fake_program
from tests.needs import NAMESPACES, ROOT, needs
from weft.adapters.nodes import AnyNodes, batchnodes
from weft.adapters.nodes.remote import SSH_OPTIONS, prepared
from weft.adapters.nodes.ssh import SshNodes, host_names
from weft.errors import NodeError, UsageError
from weft.host import lease
from weft.host.remote.reach import Reach
from weft.host.work import Work, work_directory
from weft.layout.node import Node


def nodes_of(text: str) -> SshNodes:
    found = TypeAdapter(AnyNodes).validate_python(text)
    assert isinstance(found, SshNodes)
    return found


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a", ["a"]),
        ("b,a,b", ["b", "a"]),
        ("node[1-3,7],login", ["node1", "node2", "node3", "node7", "login"]),
        ("n[08-10].site.org", ["n08.site.org", "n09.site.org", "n10.site.org"]),
        ("10.0.0.[1-2]", ["10.0.0.1", "10.0.0.2"]),
    ],
)
def test_hosts_are_named_in_order_and_once(text: str, names: list[str]) -> None:
    assert host_names(text) == names
    nodes = nodes_of(f"ssh:{text},fabric=ib0,cores=3")
    assert [node.name for node in nodes.sketch(work_directory("RUN"))] == names
    assert (nodes.count, nodes.fabric, nodes.cores) == (len(names), "ib0", 3)


ONLY_IPV6 = """
ip link set lo up && ip link add d0 type veth peer name d1 && ip link set d1 up && ip link set d0 up && ip addr add fd00::1/64 nodad dev d0 && exec "$@"
"""


@needs(ROOT, "unshare", "ip", NAMESPACES)
def test_a_host_with_nothing_but_ipv6_is_refused_with_that_word(tmp_path: Path) -> None:
    client = ("unshare", "--net", "sh", "-c", ONLY_IPV6, "sh")
    node = Node("a", "a", 0, 0, tmp_path, way=Reach("a", client, login_shell=False).text())
    with (
        lease.hold("one", "a test") as held,
        pytest.raises(NodeError, match="a: only IPv6 addresses"),
        prepared([node], Work("one", tmp_path, held), [], None),
    ):
        pass


def test_a_file_has_a_host_a_line(tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text("# all\nhead  # the first\n\nnode[1-2]\n")
    assert nodes_of(f"ssh:@{tmp_path}/hosts").hosts == "head,node1,node2"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ssh:a[1-", "missing bracket"),
        ("ssh:a;b", "is not a host name"),
        ("ssh:-oX", "is not a host name"),
        ("ssh:@/none/hosts", "cannot read /none/hosts"),
        ("ssh:,", "hosts"),
    ],
)
def test_what_is_no_list_of_hosts_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        nodes_of(text)


def test_a_count_takes_the_first_hosts_and_no_more_than_there_are() -> None:
    assert [node.name for node in nodes_of("ssh:n[1-4],count=2").sketch(work_directory("RUN"))] == [
        "n1",
        "n2",
    ]
    with pytest.raises(UsageError, match="3 nodes were requested, but only 2 hosts are named"):
        nodes_of("ssh:a,b,count=3").sketch(work_directory("RUN"))


def test_hosts_of_a_job_are_reached_with_the_same_options_as_hosts_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without ServerAliveInterval, a host that has lost its network would be waited for without end."""
    fake_program(tmp_path, "ssh", "")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    client = batchnodes._SSH
    assert client[0] == "ssh"
    own = SshNodes(hosts="one")._reach("one", tmp_path).client
    assert set(SSH_OPTIONS) <= set(client) & set(own)
    assert all(any(word.startswith("ConnectTimeout=") for word in words) for words in (client, own))
