"""Nodes that are reached with ssh: real servers on loopback addresses, a host each."""

import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import polars
import pytest

from tests.contract.conftest import holding, nodes_of, storage_of, traces
from tests.contract.test_storage import read, write
from tests.hosts.sshd import Hosts, running
from tests.local.conftest import Weft, in_phase
from tests.needs import LOOPBACK, ROOT, SSH, needs
from weft.adapters.nodes.access import access
from weft.adapters.storage.base import SHARED_ROLES, Role
from weft.errors import NodeError, UsageError, WeftError
from weft.host.provision import jdk

pytestmark = needs(*SSH)


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[Hosts]:
    with running(tmp_path / "hosts", 2) as found:
        yield found


@pytest.fixture
def weft(tmp_path: Path) -> Iterator[Weft]:
    command = Weft(tmp_path)
    yield command
    command.end()
    assert command.leftovers() == []


SMALL = {"cores": "1", "memory": "2700M"}


@pytest.fixture
def apart(tmp_path: Path) -> Iterator[Hosts]:
    """Hosts with a work directory of their own each, as on several machines."""
    with running(tmp_path / "hosts", 2, local=tmp_path / "work") as found:
        yield found
    assert list((tmp_path / "hosts").glob("local-*/*")) == []


def test_a_sort_on_hosts_is_valid(weft: Weft, apart: Hosts) -> None:
    """Its daemons run below the hosts' servers, each host's counters are there, and nothing stays."""
    hosts, shared = apart, weft.home / "shared"
    shared.mkdir()
    words = ("terasort", "--size", "50MB", "--nodes", hosts.nodes(**SMALL), "--json")
    process = weft.start("run", *words, WEFT_SHARED=str(shared))
    weft.wait_for(
        process,
        lambda: in_phase(weft, "run") and sum("CoarseGrained" in words for words in hosts.processes()) >= 2,
    )
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, out + err
    assert weft.head()["verdict"] == "VALID"
    samples = polars.read_parquet(weft.record() / "samples.parquet")
    seen = samples.filter(polars.col("counter").is_in(["cpu_user", "idle", "memory", "net_send"]))
    assert set(seen["node"]) == {"host1", "host2"}
    assert hosts.left() == []
    assert (weft.record() / "logs" / "host2" / "worker-host2.log").stat().st_size > 0


SORT = (("terasort", "--size", "200MB"), "CoarseGrained")
OPENS = (("file-open", "--set", "rounds=500"), "FileOpen")
"""Work that takes long, and a word of its programs."""


@pytest.mark.parametrize(
    ("number", "work"),
    [
        pytest.param(signal.SIGKILL, SORT, marks=pytest.mark.long),
        (signal.SIGKILL, OPENS),
        (signal.SIGINT, OPENS),
    ],
)
def test_the_end_of_weft_ends_everything_on_the_hosts(
    weft: Weft, hosts: Hosts, number: signal.Signals, work: tuple[tuple[str, ...], str]
) -> None:
    asked, word = work
    process = weft.start("run", *asked, "--nodes", hosts.nodes(**SMALL))
    weft.wait_for(process, lambda: any(word in words for words in hosts.processes()))
    if number == signal.SIGKILL:
        weft.kill(process.pid)
    process.send_signal(number)
    process.communicate(timeout=60)
    end = time.monotonic() + 20
    while weft.alive() and time.monotonic() < end:
        time.sleep(0.05)
    assert hosts.left() == []
    assert weft.alive() == []
    if number == signal.SIGKILL:
        assert "LEFTOVER" in weft("ps").stdout
        done = weft("gc")
        assert "on host1" in done.stdout, done.stdout + done.stderr


def test_a_cluster_runs_on_hosts(weft: Weft, hosts: Hosts) -> None:
    done = weft("up", "--engine", "null", "--name", "here", "--nodes", hosts.nodes(**SMALL))
    assert done.returncode == 0, done.stderr
    assert "host2" in weft("ps").stdout
    done = weft("exec", "here", "--", "sh", "-c", "echo $WEFT_NODE; exit 5")
    assert (done.returncode, done.stdout) == (5, "host1\n")
    assert weft("down", "here").returncode == 0
    assert hosts.left() == []


def test_workers_that_never_answer_are_named_within_the_deadline(weft: Weft, hosts: Hosts) -> None:
    late = ("--engine", "null", "--set", "engine.workers=10m", "--set", "start_deadline=1s")
    done = weft("run", "file-open", *late, "--nodes", hosts.nodes(**SMALL))
    assert done.returncode == 1
    message = " ".join(done.stderr.split())
    assert "worker-host1 on host1 did not become ready in 1 s (also missing: worker-host2)" in message
    assert weft.head()["phase"] == "start"
    assert hosts.left() == []


def test_a_host_that_never_answers_is_named_within_the_deadline(hosts: Hosts) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        with hosts.config.open("a") as config:
            config.write(f"Host host9\n HostName 127.0.0.1\n Port {silent.getsockname()[1]}\n")
        nodes = nodes_of(hosts.nodes("host1,host9", deadline="2s"))
        with (
            holding() as work,
            pytest.raises(NodeError, match=r"^host9 did not answer within 2 s"),
            nodes.acquire(work, []),
        ):
            pass


def test_a_wrong_key_is_an_error_with_a_hint(hosts: Hosts) -> None:
    (hosts.folder / "authorized_keys").write_text("")
    with (
        holding() as work,
        pytest.raises(NodeError, match="ssh cannot connect") as caught,
        nodes_of(hosts.nodes()).acquire(work, []),
    ):
        pass
    assert "Permission denied" in " ".join(caught.value.tail)
    assert "ssh-copy-id host" in caught.value.hint


def test_an_unknown_host_key_is_an_error_with_a_hint(hosts: Hosts) -> None:
    (hosts.folder / "known_hosts").write_text("")
    with (
        holding() as work,
        pytest.raises(NodeError, match="ssh cannot connect") as caught,
        nodes_of(hosts.nodes()).acquire(work, []),
    ):
        pass
    assert "connect once by hand" in caught.value.hint


def test_an_interface_that_a_host_has_not_is_an_error(hosts: Hosts) -> None:
    with (
        holding() as work,
        pytest.raises(NodeError, match="host1, host2: no address on an interface ib7"),
        nodes_of(hosts.nodes(fabric="ib7")).acquire(work, []),
    ):
        pass


def test_an_address_that_is_not_the_hosts_own_is_an_error(hosts: Hosts) -> None:
    """As with a name that leads to another network, or to 127.0.1.1."""
    subnet = hosts.config.read_text().partition("HostName ")[2].split()[0].rpartition(".")[0]
    port = hosts.config.read_text().split("Port ")[2].split()[0]
    forward = f"Host host2\n HostName 192.0.2.7\n ProxyCommand bash -c 'exec 3<>/dev/tcp/{subnet}.2/{port}; cat <&3 & cat >&3'\n"
    hosts.config.write_text(forward + hosts.config.read_text())
    with (
        holding() as work,
        pytest.raises(NodeError, match=r"host2.*192\.0\.2\.7.*is not available"),
        nodes_of(
            hosts.nodes(options=f"-F {hosts.config} -o HostKeyAlias=any -o StrictHostKeyChecking=no")
        ).acquire(work, []),
    ):
        pass


def test_a_host_without_the_python_is_an_error_that_leaves_nothing(hosts: Hosts, tmp_path: Path) -> None:
    with (
        pytest.raises(NodeError, match=r"host1: cannot run commands there \(and 1 more") as caught,
        holding() as work,
        nodes_of(hosts.nodes(python="python-none")).acquire(work, []),
    ):
        pass
    assert "python-none" in " ".join([*caught.value.tail, caught.value.hint])
    assert traces(tmp_path) == []


def test_visible_paths_that_a_host_lacks_are_named(hosts: Hosts, tmp_path: Path) -> None:
    with (
        holding() as work,
        pytest.raises(NodeError, match=f"host1, host2: {tmp_path}/none.* does not exist there"),
        nodes_of(hosts.nodes()).acquire(work, [tmp_path / "none"]),
    ):
        pass


@needs(ROOT, "unshare")
def test_an_old_java_on_one_host_is_named_before_anything_starts(weft: Weft, tmp_path: Path) -> None:
    old, home = tmp_path / "old", jdk.java().parent.parent
    (old / "bin").mkdir(parents=True)
    (old / "bin" / "java").symlink_to("/bin/false")
    (old / "release").write_text('JAVA_VERSION="11.0.2"\n')
    through = ["unshare", "--mount", "sh", "-c", 'mount --bind "$1" "$2"; shift 2; exec "$@"', "sh"]
    with running(tmp_path / "hosts", 2, [*through, str(old), str(home)]) as hosts:
        done = weft("run", "terasort", "--size", "1MB", "--nodes", hosts.nodes(**SMALL))
    message = " ".join(done.stderr.split())
    assert (done.returncode, f"host2: {home} is Java 11; the engines need Java 17" in message) == (1, True), (
        message
    )
    assert "set JAVA_HOME" in message
    assert weft.head()["phase"] == "acquire"


ON_IMAGES = pytest.param("loopback:DIR,size=64M", marks=needs(*LOOPBACK))


@pytest.mark.parametrize("form", ["disk", "disk:DIR", "memory:64M", ON_IMAGES, "mount:DIR"])
@pytest.mark.parametrize("role", ["input", "scratch"])
def test_storage_runs_on_hosts(form: str, role: Role, hosts: Hosts, tmp_path: Path) -> None:
    storage = storage_of(form, tmp_path)
    with holding() as work, nodes_of(hosts.nodes(cores="1")).acquire(work, []) as on:
        if role in SHARED_ROLES and form.startswith(("memory", "loopback")):
            with pytest.raises(UsageError, match="works on one machine only"), storage.place(role, on, work):
                pass
            return
        with storage.place(role, on, work) as place:
            for node in on:
                write(node, place, f"from-{node.name}")
            for node in on:
                names = [f"from-{one.name}" for one in (on if place.shared else [node])]
                assert access(node).run(["ls", place.paths[node.name]]).out.split() == names
                assert read(node, place, names[0]) == names[0].removeprefix("from-")
    assert traces(tmp_path) == []


def test_a_directory_that_is_on_no_host_is_named(hosts: Hosts, tmp_path: Path) -> None:
    with (
        holding() as work,
        nodes_of(hosts.nodes(cores="1")).acquire(work, []) as on,
        pytest.raises(WeftError, match="does not exist on host1, host2"),
        storage_of(f"mount:{tmp_path}/none", tmp_path).place("scratch", on, work),
    ):
        pass
