"""What storages and nodes created is read back: another type, size, rate or share than the requested one is an error."""

from pathlib import Path

import pytest

from tests.fakes import fake_nodes
from weft.adapters.nodes import remote, virtual
from weft.adapters.nodes.cgroups import CgroupNames, require_limits
from weft.adapters.storage import readback
from weft.adapters.storage.readback import difference, require_expected
from weft.errors import NodeError, StorageError
from weft.host.shell import Completed
from weft.layout.node import Node
from weft.layout.places import ExpectedMount, Place

MOUNTS = r"""/dev/sda1 / ext4 rw,relatime 0 0
tmpfs /dev/shm tmpfs rw 0 0
weft /mnt/a\040b tmpfs rw,size=65536k 0 0
latencyfs-lustre /mnt/a\040b fuse.latencyfs rw 0 0
weft /mnt/tmp tmpfs rw 0 0
"""


@pytest.mark.parametrize(
    ("wanted", "size", "words"),
    [
        (ExpectedMount("/mnt/tmp", "tmpfs", 64 << 20), 64 << 20, ""),
        (ExpectedMount("/mnt/tmp", "tmpfs", (64 << 20) - 5), 64 << 20, ""),
        (ExpectedMount("/mnt/tmp", "tmpfs", 64 << 20), 32 << 20, "was to have 67.1 MB, but has 33.6 MB"),
        (ExpectedMount("/mnt/tmp", "tmpfs", 64 << 20), 128 << 20, "was to have 67.1 MB, but has 134 MB"),
        (ExpectedMount("/mnt/tmp", "ext4", 64 << 20, 0.2), 60 << 20, "was to be ext4, but is tmpfs"),
        (ExpectedMount("/mnt/none", "ext4", 64 << 20, 0.2), 60 << 20, "but is mounted at /"),
        (ExpectedMount("/mnt/a b", "fuse*"), 1, ""),
        (ExpectedMount("/dev/shm/x", "tmpfs", mounted=False), 1, ""),
        (ExpectedMount("/mnt/x", "tmpfs", mounted=False), 1, "was to be tmpfs, but is ext4"),
    ],
)
def test_a_difference_names_both(wanted: ExpectedMount, size: int, words: str) -> None:
    found = difference(wanted, MOUNTS, size)
    assert words in found
    assert bool(found) == bool(words)


class Answers:
    """Nodes that answer each command with the same text."""

    text = ""
    code = 0

    def run(self, argv: object, *, timeout: float = 60, check: bool = True) -> Completed:
        return Completed(self.code, self.text, "stat: no such file")


def place(**expected: ExpectedMount) -> Place:
    return Place(
        "memory", "tmpfs", {}, shared=False, expected={name: (one,) for name, one in expected.items()}
    )


def test_a_run_on_another_file_system_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = fake_nodes(2)
    monkeypatch.setattr(readback, "access", lambda _: Answers())
    monkeypatch.setattr(Answers, "text", f"4096 {(32 << 20) // 4096}\n{MOUNTS}")
    require_expected("scratch", place(node1=ExpectedMount("/mnt/tmp", "tmpfs", 32 << 20)), nodes)
    wanted = place(node1=ExpectedMount("/mnt/tmp", "tmpfs", 64 << 20), node2=ExpectedMount("/mnt/tmp", "xfs"))
    with pytest.raises(StorageError, match=r"scratch on node1: .* 67.1 MB, but has 33.6 MB \(and 1 more\)"):
        require_expected("scratch", wanted, nodes)
    monkeypatch.setattr(Answers, "code", 1)
    with pytest.raises(StorageError, match="cannot be read: stat: no such file"):
        require_expected("scratch", wanted, nodes)


def test_a_share_that_the_kernel_did_not_take_is_named(tmp_path: Path) -> None:
    names = CgroupNames("run", "node1")
    (tmp_path / "cpu.max").write_text("200000 100000\n")
    (tmp_path / "memory.max").write_text(f"{1 << 30}\n")
    require_limits(names, [tmp_path], 2, (1 << 30) + 100)
    (tmp_path / "cpu.max").write_text("max 100000\n")
    with pytest.raises(NodeError, match=r"node1: .*cpu.max was to be 200000 100000, but is max 100000"):
        require_limits(names, [tmp_path], 2, 1 << 30)
    (tmp_path / "cpu.max").unlink()
    (tmp_path / "memory.max").write_text("max\n")
    with pytest.raises(NodeError, match=r"memory.max was to be 1073741824, but is max"):
        require_limits(names, [tmp_path], 2, 1 << 30)


def test_the_rate_of_a_link_is_that_of_its_token_bucket() -> None:
    text = '[{"kind":"tbf","handle":"8001:","root":true,"options":{"rate":125000000,"burst":262144,"lat":20000}}]'
    assert virtual.rate_of(text) == 1e9
    assert virtual.rate_of('[{"kind":"noqueue","options":{}}]') is virtual.rate_of("") is None


def test_more_cores_than_a_host_gives_are_refused() -> None:
    (node,) = fake_nodes(1)
    asked = Node("a", "", 64, 0, node.directory, host="a")
    with pytest.raises(NodeError, match="a was to have 64 cores, but commands on it may use 2"):
        remote._refuse_few_cores([asked], [(asked, {"cores": 2})])
    remote._refuse_few_cores([asked], [(asked, {"cores": 64})])


def test_more_memory_than_a_host_has_is_refused_by_its_name() -> None:
    nodes = fake_nodes(2)
    found = [(nodes[0], {"memory": 8 << 30}), (nodes[1], {"memory": 2 << 30})]
    with pytest.raises(
        NodeError, match=r"node2 was to have 4.29 GB of memory, but 2.15 GB are free there"
    ) as caught:
        remote._refuse_little_memory(4 << 30, found)
    assert "memory=2048M" in caught.value.hint
    remote._refuse_little_memory(2 << 30, found)
    remote._refuse_little_memory(0, found)
