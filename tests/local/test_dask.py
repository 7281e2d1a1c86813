"""Dask on real processes: checked results on every storage, wrong programs that are caught, and who is refused."""

import json
import os
import shutil
import socket
import ssl
import subprocess
from pathlib import Path

import psutil
import pytest

from tests.local.conftest import Weft, in_phase, kill, written_to_scratch
from tests.local.own_program import own_packages, require_own_program
from tests.local.refused import refused_without_token
from tests.needs import DELAYED, JAVA, NATIVE, VIRTUAL, needs
from weft.host import settings

pytestmark = needs(*JAVA)
TWO = ("--engine", "dask", "--nodes", "virtual:2,cores=1")
ENGINES = "src/weft/adapters/engines"


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("wordcount", "--size", "5MB", "--scratch", "disk"), marks=needs(*VIRTUAL)),
        pytest.param(("terasort", "--size", "20MB", "--scratch", "pool"), marks=needs(*VIRTUAL, *NATIVE)),
        pytest.param(
            ("groupby", "--set", "pairs=500", "--scratch", "delayed:lustre"), marks=needs(*VIRTUAL, *DELAYED)
        ),
        pytest.param(
            ("sql-join", "--set", "visits=20000", "--set", "queries=join,aggregation"), marks=needs(*VIRTUAL)
        ),
    ],
    ids=lambda words: words[0],
)
def test_each_workload_is_valid(weft: Weft, words: tuple[str, ...]) -> None:
    result = weft.result("run", *words, *TWO)
    assert result["verdict"] == "VALID", result


@pytest.mark.long
@pytest.mark.parametrize("scratch", ["disk", "pool", pytest.param("delayed:lustre", marks=needs(*DELAYED))])
@pytest.mark.parametrize(
    "words",
    [
        ("wordcount", "--size", "5MB"),
        ("terasort", "--size", "20MB"),
        ("groupby", "--set", "pairs=500"),
        ("sql-join", "--set", "visits=20000", "--set", "queries=join,aggregation"),
    ],
    ids=lambda words: words[0],
)
@needs(*VIRTUAL, *NATIVE)
def test_each_workload_is_valid_and_explained_on_each_storage(
    weft: Weft, words: tuple[str, ...], scratch: str
) -> None:
    result = weft.result("run", *words, *TWO, "--scratch", scratch)
    assert result["verdict"] == "VALID", result
    found = weft.result("explain", "last")
    assert found["coverage"]["tasks"] > 0
    assert found["coverage"]["processes_seen"] == found["coverage"]["processes_ran"] == 2
    assert sum(part["share"] for part in found["parts"]) == pytest.approx(1)


OWN = """
import sys
from distributed import Client
from twice import twice
with Client() as client:
    print("sum", client.gather(client.submit(sum, client.map(twice, range(10)))), sys.argv[1:])
sys.exit(9)
"""
"""A program whose module is not in its directory."""
JOIN = """
import sys
from distributed import Client
from distributed.security import Security
own = Security(tls_ca_file=sys.argv[2], tls_client_cert=sys.argv[2], tls_client_key=sys.argv[2])
for address, security in ((sys.argv[1].replace("tls", "tcp"), Security()), (sys.argv[1], own)):
    try:
        Client(address, security=security, timeout=4).submit(sum, [1, 2]).result()
    except OSError:
        print("refused")
"""
"""Who has no certificate of the run, or one of his own."""


@needs("openssl")
def test_a_cluster_runs_programs_of_its_owner(weft: Weft, tmp_path: Path) -> None:
    packages = f"engine.packages={own_packages(tmp_path)}"
    weft.result("up", "--engine", "dask", "--nodes", "local:1", "--name", "mine", "--set", packages)
    try:
        require_own_program(weft, tmp_path, OWN)
        connect = "from distributed import Client; print(Client().submit(sum, [1, 2]).result())"
        assert weft("exec", "mine", "--", "python3", "-c", connect).stdout == "3\n"
        facts = weft.result("connect", "mine")
        settings = Path(facts["settings"])
        assert settings.stat().st_mode & 0o777 == 0o600
        assert facts["environment"]["DASK_CONFIG"] == str(settings)
        joining = (
            "env",
            "-u",
            "DASK_CONFIG",
            "python3",
            "-c",
            JOIN,
            facts["address"],
            str(own_certificate(tmp_path)),
        )
        strange = weft("exec", "mine", "--", *joining)
        assert strange.stdout == "refused\nrefused\n", strange.stderr
        if os.geteuid() == 0:
            not_read_by_others(settings.parent)
    finally:
        weft("down", "mine")
    assert weft.head()["verdict"] == "UNCHECKED"
    assert weft.result("explain", "last")["coverage"]["tasks"] == 12


def own_certificate(folder: Path) -> Path:
    """A key with a certificate that somebody made himself, in one file."""
    made = folder / "own.pem"
    key = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=own", "-keyout", "-"]
    made.write_text(subprocess.run(key, check=True, capture_output=True, text=True).stdout)
    return made


def not_read_by_others(folder: Path) -> None:
    """A second user of the machine sees neither the address nor the certificate."""
    become = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    for name in ("client.yaml", "dask.yaml", "keystore.pem"):
        assert (folder / name).exists()
        done = subprocess.run(
            [*become, "cat", str(folder / name)], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout) == (1, ""), name
        assert "Permission denied" in done.stderr


@pytest.mark.long
@needs(*VIRTUAL, *NATIVE)
def test_results_that_do_not_fit_in_memory_are_in_scratch(weft: Weft) -> None:
    small = (
        "--set",
        "engine.worker_memory=400MB",
        "--set",
        "partitions=40",
        "--scratch",
        "pool",
        "--set",
        "probes=+fileops",
    )
    result = weft.result("run", "terasort", "--size", "500MB", *TWO, *small)
    assert result["verdict"] == "VALID", result
    assert written_to_scratch(weft.record()) > 50_000_000


@pytest.mark.long
@needs(*VIRTUAL, *NATIVE)
def test_a_shuffle_that_does_not_fit_in_memory_writes_each_byte_a_few_times(weft: Weft) -> None:
    """In the order of the parts, every result is read and written once for each part: 16 times here."""
    pairs = (
        "--set",
        "mappers=16",
        "--set",
        "reducers=16",
        "--set",
        "pairs=2500",
        "--set",
        "value_bytes=10000",
    )
    small = ("--set", "engine.worker_memory=300MB", "--set", "probes=+fileops")
    result = weft.result("run", "groupby", *pairs, *small, *TWO)
    assert result["verdict"] == "VALID", result
    assert 50_000_000 < written_to_scratch(weft.record()) < 5 * 400_000_000


def test_a_killed_worker_is_replaced_and_a_stranger_is_refused(weft: Weft) -> None:
    words = ("terasort", "--size", "300MB", "--engine", "dask", "--nodes", "local:2")
    process = weft.start("run", *words, "--json")
    weft.wait_for(process, lambda: in_phase(weft, "run"), 240)
    (scheduler,) = weft.processes("distributed.cli.dask_scheduler")
    argv = scheduler.cmdline()
    address, port = argv[argv.index("--host") + 1], int(argv[argv.index("--port") + 1])
    refused_without_token(f"http://{argv[argv.index('--dashboard-address') + 1]}/workers")
    refused_without_certificate(address, port)
    nodes = [each.cmdline() for each in weft.processes("distributed.cli.dask_worker")]
    hosts = [each[each.index("--host") + 1] for each in nodes]
    planned = {(host, own) for host in hosts for own in (port + 2, port + 3)}
    assert listening(weft) <= planned | {(address, port), (address, port + 1)}
    workers = weft.wait_for(process, lambda: weft.processes("spawn_main"), 60)
    kill(workers[0])  # type: ignore[index]
    out, err = process.communicate(timeout=200)
    result = json.loads(out)
    assert result["verdict"] == "VALID" or "workers died" in result["reason"], (result, err)
    log = "".join(path.read_text() for path in weft.record().glob("logs/*/worker-*.log"))
    assert "was killed by signal 9" in log


def listening(weft: Weft) -> set[tuple[str, int]]:
    """Addresses and ports of all processes of the run."""
    every = [connection for process in weft.processes("") for connection in process.net_connections("inet")]
    found = {(each.laddr.ip, each.laddr.port) for each in every if each.status == psutil.CONN_LISTEN}
    assert len(found) > 2
    return found


def refused_without_certificate(address: str, port: int) -> None:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with (
        pytest.raises((ssl.SSLError, ConnectionError)),
        socket.create_connection((address, port), timeout=10) as plain,
        context.wrap_socket(plain) as connection,
    ):
        connection.sendall(b"\0" * 16)
        assert not connection.recv(1), "the scheduler answers a stranger"
        raise ConnectionError


SHUFFLE = "dask/programs/weft_dask/cluster.py"
MUTANTS = {
    "lose": (SHUFFLE, "zip(*blocks, strict", "zip(*blocks[1:], strict"),
    "repeat": (SHUFFLE, "zip(*blocks, strict", "zip(*blocks, blocks[0], strict"),
    "misorder": (
        "programs/weft_tasks/records.py",
        "np.lexsort((tails, heads(records)))",
        "np.lexsort((heads(records), tails))",
    ),
}
"""Programs that are wrong: the file, what is there, and what is there instead."""


@pytest.mark.parametrize("name", MUTANTS)
def test_a_program_that_is_wrong_is_caught(weft: Weft, tmp_path: Path, name: str) -> None:
    file, right, wrong = MUTANTS[name]
    copy = tmp_path / "checkout"
    copy.mkdir()
    for path in settings.SOURCE.iterdir():
        if path.name == "src":
            shutil.copytree(path, copy / "src", ignore=shutil.ignore_patterns("__pycache__"))
        elif path.name in {"java", "native"}:
            (copy / path.name).symlink_to(path)
    program = copy / ENGINES / file
    text = program.read_text()
    assert text.count(right) == 1
    program.write_text(text.replace(right, wrong))
    words = ("run", "terasort", "--size", "2MB", "--engine", "dask", "--nodes", "local:1", "--json")
    done = weft(*words, PYTHONPATH=str(copy / "src"))
    result = json.loads(done.stdout)
    assert result["verdict"] == "INVALID", result
    assert any(word in result["reason"] for word in ("rows written", "order is broken")), result["reason"]
