"""Hosts by name: lists, node sets and files; what is refused."""

from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError

from weft.errors import UsageError
from weft.host.work import work_directory
from weft.nodes import AnyNodes
from weft.nodes.ssh import SshNodes, host_names


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
