"""Who is at the other end of a descriptor, by texts of /proc as real kernels write them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from weft.adapters.probes.peers import Peers
from weft.adapters.probes.waits import ThreadWaits
from weft.facts.peers import CHILD, EXECUTOR, PYTHON, roles

EXECUTOR_PID, DAEMON, WORKER, DATANODE, SHELL = 10, 20, 21, 30, 40
COMMANDS: Mapping[int, Sequence[str]] = {
    EXECUTOR_PID: ["java", "-cp", "/x", "org.apache.spark.executor.CoarseGrainedExecutorBackend"],
    DAEMON: ["/opt/python3", "-m", "pyspark.daemon", "pyspark.worker"],
    WORKER: ["/opt/python3", "-m", "pyspark.daemon", "pyspark.worker"],
    DATANODE: ["java", "org.apache.hadoop.hdfs.server.datanode.DataNode"],
    SHELL: ["sh", "-c", "cat"],
}
PARENTS = {DAEMON: EXECUTOR_PID, WORKER: DAEMON, SHELL: EXECUTOR_PID}
HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
MAPPED = "0000000000000000FFFF0000"


def tcp(number: int, local: str, remote: str, state: str, inode: int, user: int = 0) -> str:
    rest = f"00000000:00000000 00:00000000 00000000     {user}        0"
    return f"   {number}: {local} {remote} {state} {rest} {inode} 2 000000009605efc2 20 0 0 10 -1\n"


TCP = (
    HEAD
    + tcp(0, "0100007F:E511", "00000000:0000", "0A", 201)
    + tcp(1, "0100007F:E511", "0100007F:B33E", "01", 211)
)
TCP6 = (
    HEAD
    + tcp(0, "0" * 32 + ":268A", "0" * 32 + ":0000", "0A", 301)
    + tcp(9, f"{MAPPED}0100007F:0001", f"{MAPPED}0100007F:0002", "01", 999, user=101)
    + tcp(1, f"{MAPPED}0100007F:B33E", f"{MAPPED}0100007F:E511", "01", 101)
    + tcp(2, f"{MAPPED}0100007F:B340", f"{MAPPED}0100007F:268A", "01", 102)
    + tcp(3, f"{MAPPED}0100007F:B342", f"{MAPPED}0A00000A:1F90", "01", 103)
    + tcp(4, f"{MAPPED}0100007F:AAAA", f"{MAPPED}0100007F:BBBB", "01", 104)
)
UNIX = (
    "Num       RefCount Protocol Flags    Type St Inode Path\n"
    "000000004479959e: 00000002 00000000 00010000 0001 01 205 /tmp/.1.sock\n"
    "000000008cc26f4f: 00000003 00000000 00000000 0001 03 105\n"
    "000000009c88669c: 00000003 00000000 00000000 0001 03 215 /tmp/.1.sock\n"
    "000000009c886690: 00000003 00000000 00000000 0001 03 106 /run/other\n"
)
DESCRIPTORS = {
    EXECUTOR_PID: {
        **{number: f"socket:[{100 + number}]" for number in range(1, 8)},
        8: "pipe:[900]", 9: "pipe:[901]", 11: "anon_inode:[eventfd]", 12: "anon_inode:[eventpoll]", 13: "/data/part-0",
        14: "pipe:[902]", 0: "pipe:[903]", 15: "pipe:[904]", 16: "pipe:[904]",
    },
    DAEMON: {3: "socket:[201]", 4: "socket:[205]", 1: "pipe:[902]"},
    WORKER: {4: "socket:[211]", 5: "socket:[215]"},
    DATANODE: {3: "socket:[301]"},
    SHELL: {1: "pipe:[900]"},
}  # fmt: skip


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    """A /proc with an executor, its Python workers, a DataNode and a child process in one network namespace."""
    for pid, words in COMMANDS.items():
        folder = tmp_path / str(pid)
        for name in ("fd", "fdinfo", "net", "ns", f"task/{pid}"):
            (folder / name).mkdir(parents=True)
        (folder / "cmdline").write_text("\0".join([*words, ""]))
        (folder / "stat").write_text(f"{pid} (a name) S {PARENTS.get(pid, 1)} 1 1 0\n")
        for name, text in (("tcp", TCP), ("tcp6", TCP6), ("unix", UNIX)):
            (folder / "net" / name).write_text(text)
        (folder / "ns" / "net").symlink_to("net:[4026531840]")
        for number, link in DESCRIPTORS[pid].items():
            (folder / "fd" / str(number)).symlink_to(link)
    (tmp_path / str(EXECUTOR_PID) / "fdinfo" / "12").write_text(
        "pos:\t0\nflags:\t02000002\ntfd:       11 events:       19 data: b pos:0 ino:40e sdev:f\n"
        "tfd:        1 events:        1 data: 1 pos:0 ino:65 sdev:9\n"
    )
    return tmp_path


def peers(proc: Path) -> Peers:
    return Peers(lambda: dict.fromkeys(COMMANDS, "10.0.0.1") | {DATANODE: "10.0.0.10"}, root=str(proc))


@pytest.mark.parametrize(
    ("descriptor", "expected"),
    [
        (1, PYTHON),  # Java's socket of IPv6, to a server of IPv4
        (2, "HDFS"),  # a server at all addresses
        (3, ""),  # on another host
        (4, ""),  # nobody of the run has the other end
        (5, PYTHON),  # without a name, to a named one
        (6, ""),  # named: a worker has named ones alone
        (8, CHILD),
        (9, CHILD),  # one that has ended by now, such as a chmod
        (0, ""),  # of who started the executor
        (15, ""),  # its own other end
        (11, None),
        (13, None),
        (14, PYTHON),  # the daemon's output, on which it writes its port
    ],
)
def test_the_peer_of_a_descriptor(descriptor: int, expected: str | None, proc: Path) -> None:
    assert peers(proc).of(EXECUTOR_PID, descriptor) == expected


def test_a_server_is_found_from_the_namespace_of_another_node(proc: Path) -> None:
    """Each virtual node has its own network; the address says which of them a connection leads to."""
    for pid in (DATANODE,):
        (proc / str(pid) / "ns" / "net").unlink()
        (proc / str(pid) / "ns" / "net").symlink_to("net:[4026532000]")
        (proc / str(pid) / "net" / "tcp6").write_text(HEAD)
        (proc / str(pid) / "net" / "tcp").write_text(
            HEAD + tcp(0, "0A00000A:1F90", "00000000:0000", "0A", 301)
        )
    assert peers(proc).of(EXECUTOR_PID, 3) == "HDFS"


def test_a_daemon_on_another_host_is_known_by_its_nodes_address(proc: Path) -> None:
    found = Peers(lambda: dict.fromkeys(COMMANDS, "10.0.0.1"), {"10.0.0.10": "Kafka"}, str(proc))
    assert found.of(EXECUTOR_PID, 3) == "Kafka"
    assert found.of(EXECUTOR_PID, 4) == ""


def test_a_table_is_not_read_again_for_each_socket(proc: Path) -> None:
    """It takes milliseconds, and a peer outside of the run is never found."""
    found = peers(proc)
    assert found.of(EXECUTOR_PID, 1) == PYTHON
    for pid in COMMANDS:
        (proc / str(pid) / "net" / "tcp6").write_text(HEAD)
    assert found.of(EXECUTOR_PID, 2) == "HDFS", "of what was read"
    assert found.of(EXECUTOR_PID, 4) == ""
    assert found.known["socket:[104]"].pause == Peers.AGAIN
    found.known["socket:[104]"] = found.known["socket:[104]"]._replace(again=0)
    assert found.of(EXECUTOR_PID, 4) == ""
    assert found.known["socket:[104]"].pause == 2 * Peers.AGAIN


def test_a_worker_that_connects_to_the_jvm_is_found_by_the_same_connection(proc: Path) -> None:
    """Without a daemon, the JVM listens."""
    for pid in COMMANDS:
        (proc / str(pid) / "net" / "tcp").write_text(
            HEAD + tcp(0, "0100007F:C001", "0100007F:C002", "01", 211)
        )
        (proc / str(pid) / "net" / "tcp6").write_text(
            HEAD + tcp(0, f"{MAPPED}0100007F:C002", f"{MAPPED}0100007F:C001", "01", 101)
        )
    assert peers(proc).of(EXECUTOR_PID, 1) == PYTHON


def wait(proc: Path, line: str) -> tuple[str, str]:
    (proc / f"{EXECUTOR_PID}/task/{EXECUTOR_PID}/syscall").write_text(line)
    return ThreadWaits(peers(proc), "x86_64", str(proc)).of(EXECUTOR_PID, EXECUTOR_PID)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("running\n", ("running", "")),
        ("-1 0x7ffe 0x7f\n", ("fault", "")),
        ("202 0x7f3 0x80 0x0 0x0 0x0 0xffffffff 0x7ffe 0x7fd\n", ("lock", "")),
        ("0 0x1 0x7f3497a98000 0x20000 0x0 0x0 0x0 0x7ffe 0x7f3\n", ("network", PYTHON)),
        ("0 0x8 0x7f3497a98000 0x20000 0x0 0x0 0x0 0x7ffe 0x7f3\n", ("network", CHILD)),
        ("0 0xd 0x7f3497a98000 0x20000 0x0 0x0 0x0 0x7ffe 0x7f3\n", ("read", "")),
        ("0 0x63 0x7f3497a98000 0x20000 0x0 0x0 0x0 0x7ffe 0x7f3\n", ("read", "")),  # closed meanwhile
        ("45 0x2 0x7f3497a98000 0x20000 0x0 0x0 0x0 0x7ffe 0x7f3\n", ("network", "HDFS")),
        ("232 0xc 0x7f3497a98000 0x400 0xffffffff 0x0 0x0 0x7ffe 0x7f3\n", ("network", PYTHON)),
        ("7 0x10 0x2 0xffffffff 0x0 0x0 0x0 0x7ffe 0x7f3\n", ("network", PYTHON)),
        ("23 0x8 0x20 0x0 0x0 0x0 0x0 0x7ffe 0x7f3\n", ("network", PYTHON)),
    ],
)
def test_a_wait_is_for_whom_its_descriptors_lead_to(line: str, expected: tuple[str, str], proc: Path) -> None:
    polled = b"".join(each.to_bytes(4, "little") + b"\1\0\0\0" for each in (11, 1))
    chosen = bytes([0b00000010])  # descriptor 1
    memory = bytes(16) + polled + chosen
    (proc / f"{EXECUTOR_PID}/mem").write_bytes(memory.ljust(64, b"\0"))
    assert wait(proc, line) == expected


def test_a_thread_that_stays_in_a_call_is_not_resolved_again(proc: Path) -> None:
    waits = ThreadWaits(peers(proc), "x86_64", str(proc))
    (proc / f"{EXECUTOR_PID}/task/{EXECUTOR_PID}/syscall").write_text(
        "0 0x1 0x7f 0x2 0x0 0x0 0x0 0x7f 0x7f\n"
    )
    assert waits.of(EXECUTOR_PID, EXECUTOR_PID) == ("network", PYTHON)
    (proc / f"{EXECUTOR_PID}/fd/1").unlink()
    assert waits.of(EXECUTOR_PID, EXECUTOR_PID) == ("network", PYTHON)


def test_a_thread_that_ended_is_in_nothing(proc: Path) -> None:
    assert ThreadWaits(peers(proc), "x86_64", str(proc)).of(EXECUTOR_PID, 999) == ("", "")


def test_every_role_has_a_name_of_its_own() -> None:
    assert len(set(roles())) == len(roles())
    assert {PYTHON, CHILD, EXECUTOR} < set(roles())
