"""Every nodes adapter: a command runs on each node, nodes are distinguished, nothing is left."""

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests import needs as programs
from tests.contract.conftest import NAME, holding, live, nodes_of, traces
from tests.hosts.slurmd import slurm
from tests.hosts.sshd import running
from tests.needs import needs
from weft.adapters.nodes import KINDS
from weft.adapters.nodes.access import access
from weft.adapters.nodes.cgroups import cgroups_writable
from weft.host.programs import marks
from weft.host.work import work_directory

VIRTUAL = pytest.param("virtual:3,memory=1500M,cores=1", marks=needs(*programs.VIRTUAL), id="virtual")
LOCAL = pytest.param("local:3", id="local")
SSH = pytest.param("ssh", marks=needs(*programs.SSH))
SLURM = pytest.param("slurm", marks=needs(*programs.SLURM))
REAL = pytest.mark.parametrize("text", [LOCAL, VIRTUAL, SSH, SLURM], indirect=True)
ALL = pytest.mark.parametrize("text", ["null", LOCAL, VIRTUAL, SSH, SLURM], indirect=True)
virtual = pytest.mark.parametrize("text", [VIRTUAL])


@pytest.fixture
def text(request: pytest.FixtureRequest) -> Iterator[str]:
    """The arguments of --nodes; creates hosts for ssh and a Slurm job."""
    folder = request.getfixturevalue("tmp_path") / "hosts"
    if request.param == "slurm":
        with slurm(folder) as cluster, cluster.allocated(3):
            yield "slurm:3"
        return
    if request.param != "ssh":
        yield request.param
        return
    with running(folder, 3) as hosts:
        yield hosts.nodes(cores="1", memory="1500M")


OF_JOBS = {"gridengine", "pbs", "lsf", "flux", "oar"}
"""They are acquired within a job only: tests/hosts/test_gridengine.py, tests/unit/test_schedulers.py."""


def test_every_adapter_is_under_contract() -> None:
    assert set(KINDS) == {"null", "local", "virtual", "ssh", "slurm", *OF_JOBS}


@ALL
def test_a_command_runs_on_each_node(text: str) -> None:
    with live(text) as (_, nodes):
        assert [access(node).run(["echo", node.name]).out for node in nodes] == [
            f"{node.name}\n" for node in nodes
        ]


@ALL
def test_what_is_acquired_is_what_was_sketched(text: str) -> None:
    sketched = nodes_of(text).sketch(work_directory(NAME))
    with live(text) as (_, nodes):
        for one, other in zip(sketched, nodes, strict=True):
            assert (one.name, one.cores, one.directory) == (other.name, other.cores, other.directory)
            assert abs(one.memory - other.memory) < 1 << 30


@REAL
def test_nodes_have_names_addresses_and_directories_of_their_own(text: str) -> None:
    with live(text) as (_, nodes):
        for values in zip(*((node.name, node.address, node.directory) for node in nodes), strict=True):
            assert len(set(values)) == 3
        assert all(node.directory.is_dir() for node in nodes)


@REAL
def test_a_daemon_listens_on_its_nodes_address_and_the_others_reach_it(text: str) -> None:
    with live(text) as (_, nodes):
        first, last = nodes[0], nodes[-1]
        with access(last).call(lambda: socket.create_server((last.address, 0))) as server:
            address = server.getsockname()[:2]
            with access(first).call(lambda: socket.create_connection(address, timeout=5)) as client:
                assert client.getpeername()[0] == last.address


@REAL
def test_a_spawned_process_carries_the_marks_and_ends_when_stopped(text: str) -> None:
    with live(text) as (work, nodes):
        process = access(nodes[1]).spawn(
            "nap", ["sleep", "61"], log=work.directory / "log", env={"WEFT_LEASE": NAME}
        )
        end = time.monotonic() + 60
        while (
            not (
                naps := [
                    one for one in map(psutil.Process, marks.marked(NAME)) if one.cmdline() == ["sleep", "61"]
                ]
            )
            and time.monotonic() < end
        ):
            time.sleep(0.01)
        (nap,) = naps
        assert nap.environ()["WEFT_NODE"] == nodes[1].name
        assert nap.pid == process.pid or nodes[1].host
        process.stop(grace=2)
        assert process.code() is not None
        assert not nap.is_running()


@ALL
def test_an_error_leaves_nothing(text: str, tmp_path: Path) -> None:
    spawned = []
    with pytest.raises(KeyError), live(text) as (work, nodes):
        log = work.directory / "log"
        spawned.append(access(nodes[0]).spawn("nap", ["sleep", "60"], log=log, env={"WEFT_LEASE": NAME}))
        raise KeyError
    assert traces(tmp_path) == []
    assert spawned[0].wait(150) is not None  # a busy Slurm reports it late


@virtual
def test_virtual_nodes_have_namespaces_and_host_names_of_their_own(text: str) -> None:
    with live(text) as (_, nodes):
        for kind in ("net", "mnt", "uts", "ipc", "pid"):
            seen = {access(node).run(["readlink", f"/proc/self/ns/{kind}"]).out.strip() for node in nodes}
            assert len(seen | {str(Path(f"/proc/self/ns/{kind}").readlink())}) == 4, kind
        for node in nodes:
            assert access(node).run(["hostname"]).out.strip() == node.name
            assert access(node).run(["getent", "hosts", "node3"]).out.split()[0] == nodes[2].address


@virtual
def test_tmp_of_a_virtual_node_is_private_and_visible_paths_stay_visible(text: str, tmp_path: Path) -> None:
    (tmp_path / "seen").mkdir()
    (tmp_path / "seen" / "file").write_text("x")
    with holding() as work, nodes_of(text).acquire(work, [tmp_path / "seen"]) as nodes:
        private = f"/tmp/{NAME}-private"
        access(nodes[0]).run(["touch", private])
        assert not Path(private).exists()
        assert access(nodes[1]).run(["ls", private], check=False).code != 0
        for node in nodes:
            assert access(node).run(["cat", str(tmp_path / "seen" / "file")]).out == "x"


@virtual
@pytest.mark.skipif(not cgroups_writable(), reason="control groups are not writable here")
def test_a_virtual_node_has_its_share_of_cpu_and_memory(text: str) -> None:
    with live(text) as (work, nodes):
        process = access(nodes[0]).spawn(
            "nap", ["sleep", "60"], log=work.directory / "log", env={"WEFT_LEASE": NAME}
        )
        assert nodes[0].cgroups
        end = time.monotonic() + 60
        while not all(_has(group, process.pid) for group in nodes[0].cgroups) and time.monotonic() < end:
            time.sleep(0.01)  # it joins them itself
        checked = set()
        for group in nodes[0].cgroups:
            assert _has(group, process.pid)
            for file in ("memory.max", "memory.limit_in_bytes"):
                if (group / file).exists():
                    assert abs(int((group / file).read_text()) - nodes[0].memory) < 4096
                    checked.add("memory")
            for file, one_core in (("cpu.max", "100000 100000"), ("cpu.cfs_quota_us", "100000")):
                if (group / file).exists():
                    assert (group / file).read_text().strip() == one_core
                    checked.add("cpu")
        assert checked == {"cpu", "memory"}
        process.stop(0)


def _has(group: Path, pid: int) -> bool:
    return str(pid) in (group / "cgroup.procs").read_text().split()


@needs("tc")
@virtual
def test_a_link_rate_is_set_on_both_ends(text: str) -> None:
    with live(f"{text},rate=100mbit,storage_rate=none") as (_, nodes):
        for node in nodes:
            assert "rate 100Mbit" in access(node).run(["tc", "qdisc", "show", "dev", "eth0"]).out
            assert "rate" not in access(node).run(["tc", "qdisc", "show", "dev", "eth1"]).out
        first, second = nodes[0].on("storage"), nodes[1].on("storage")
        with access(first).call(lambda: socket.create_server((first.address, 0))) as server:
            there = server.getsockname()[:2]
            with access(second).call(lambda: socket.create_connection(there, timeout=5)) as client:
                assert client.getsockname()[0] == second.address != nodes[1].address


@virtual
def test_two_runs_do_not_meet(text: str) -> None:
    with (
        live(text) as (_, nodes),
        holding(f"{NAME}-other") as work,
        nodes_of("virtual:1,memory=1500M").acquire(work, []) as (other,),
    ):
        address = nodes[2].address
        with (
            access(nodes[2]).call(lambda: socket.create_server((address, 0))) as server,
            pytest.raises(OSError),
        ):
            access(other).call(lambda: socket.create_connection(server.getsockname()[:2], timeout=1))
