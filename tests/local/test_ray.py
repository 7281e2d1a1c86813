"""Ray on real processes: checked results on every storage, wrong programs that are caught, and who is refused."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import psutil
import pytest

from tests.local.conftest import Weft, in_phase, kill, written_to_scratch
from tests.local.own_program import own_packages, require_own_program
from tests.local.refused import refused_without_token
from tests.needs import DELAYED, JAVA, NATIVE, ROOT, VIRTUAL, needs
from weft.host import settings
from weft.host.provision import distribution

pytestmark = needs(*JAVA, *NATIVE)
TWO = ("--engine", "ray", "--nodes", "virtual:2,cores=1")
ENGINES = "src/weft/adapters/engines"


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("terasort", "--size", "20MB", "--scratch", "pool"), marks=needs(*VIRTUAL)),
        pytest.param(
            ("wordcount", "--size", "50MB", "--scratch", "disk"), marks=[pytest.mark.long, needs(*VIRTUAL)]
        ),
        pytest.param(
            ("groupby", "--set", "pairs=500", "--scratch", "delayed:lustre"),
            marks=[pytest.mark.long, needs(*VIRTUAL, *DELAYED)],
        ),
        pytest.param(
            ("sql-join", "--set", "visits=20000", "--set", "queries=join,aggregation"),
            marks=[pytest.mark.long, needs(*VIRTUAL)],
        ),
    ],
    ids=lambda words: words[0],
)
def test_each_workload_is_valid(weft: Weft, words: tuple[str, ...]) -> None:
    result = weft.result("run", *words, *TWO)
    assert result["verdict"] == "VALID", result
    found = weft.result("explain", "last")
    assert found["coverage"]["tasks"] > 0
    assert found["coverage"]["processes_seen"] >= 2
    assert sum(part["share"] for part in found["parts"]) == pytest.approx(1)


OWN = """
import sys
import ray
from twice import twice
ray.init()
doubled = ray.remote(twice)
print("sum", sum(ray.get([doubled.remote(x) for x in range(10)])), sys.argv[1:])
sys.exit(9)
"""
"""A program whose module is not in its directory."""
THREE = """
import ray
ray.init(logging_level="ERROR")
three = ray.remote(lambda: 3)
print(ray.get(three.remote()))
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Weft]:
    """A persistent cluster of these tests, with the name `mine`."""
    weft = Weft(tmp_path_factory.mktemp("ray"))
    packages = f"engine.packages={own_packages(tmp_path_factory.mktemp('packages'))}"
    weft.result("up", "--engine", "ray", "--nodes", "local:1", "--name", "mine", "--set", packages)
    try:
        yield weft
    finally:
        weft("down", "mine")
    assert weft.head()["verdict"] == "UNCHECKED"
    assert weft.result("explain", "last")["coverage"]["tasks"] >= 11
    assert weft.leftovers() == []


def test_a_cluster_runs_programs_of_its_owner(cluster: Weft, tmp_path: Path) -> None:
    require_own_program(cluster, tmp_path, OWN)
    assert cluster("exec", "mine", "--", "python3", "-c", THREE).stdout == "3\n"


def test_a_program_connects_by_variables_with_the_token_in_a_private_file(cluster: Weft) -> None:
    facts = cluster.result("connect", "mine")
    token = Path(facts["settings"])
    assert facts["environment"]["RAY_AUTH_TOKEN_PATH"] == str(token)
    assert facts["environment"]["RAY_ADDRESS"] == facts["address"]
    for file in (token, Path(facts["environment"]["RAY_TLS_SERVER_KEY"])):
        assert file.stat().st_mode & 0o777 == 0o600
    secret = token.read_text().strip()
    assert secret not in json.dumps(facts)
    assert not any(secret in " ".join(process.cmdline()) for process in cluster.processes(""))


def test_a_stranger_submits_nothing_to_a_persistent_cluster(cluster: Weft, tmp_path: Path) -> None:
    facts = cluster.result("connect", "mine")
    for stranger in strangers(tmp_path, Path(facts["environment"]["RAY_TLS_SERVER_KEY"])):
        assert "refused" in asked(facts["address"], stranger), stranger


IN_USE = """
import numpy
import ray
ray.init(logging_level="ERROR")
kept = [ray.get(ray.put(numpy.full(80_000_000, number, numpy.uint8))) for number in range(3)]
print([int(each[-1]) for each in kept])
"""
"""Arrays that are parts of the object store as long as the program has them."""


@pytest.mark.long
@needs(*VIRTUAL)
@pytest.mark.parametrize("scratch", ["pool", "disk"])
def test_objects_in_use_that_the_store_has_no_room_for_are_in_files(
    weft: Weft, tmp_path: Path, scratch: str
) -> None:
    (tmp_path / "program.py").write_text(IN_USE)
    words = ("--engine", "ray:object_store=150MB", "--nodes", "virtual:1", "--scratch", scratch)
    done = weft("submit", *words, "--", str(tmp_path / "program.py"))
    assert (done.returncode, done.stdout.partition("\n")[0]) == (0, "[0, 1, 2]"), done.stderr


@pytest.mark.long
@needs(*VIRTUAL)
@pytest.mark.parametrize(
    "scratch", ["pool", "memory", "loopback", pytest.param("delayed:lustre", marks=needs(*DELAYED))]
)
@pytest.mark.parametrize(
    "words", [("terasort", "--size", "20MB"), ("groupby", "--set", "pairs=5000")], ids=lambda words: words[0]
)
def test_shuffles_are_valid_and_explained_on_each_storage(
    weft: Weft, words: tuple[str, ...], scratch: str
) -> None:
    result = weft.result("run", *words, *TWO, "--scratch", scratch)
    assert result["verdict"] == "VALID", result
    found = weft.result("explain", "last")
    assert found["coverage"]["tasks"] > 0
    assert sum(part["share"] for part in found["parts"]) == pytest.approx(1)


@needs(*VIRTUAL)
@pytest.mark.parametrize(
    "scratch",
    ["pool", *(pytest.param(name, marks=pytest.mark.long) for name in ("memory", "loopback"))],
)
def test_objects_that_do_not_fit_in_memory_are_in_scratch(weft: Weft, scratch: str) -> None:
    small = ("--set", "engine.object_store=200MB", "--set", "probes=+fileops", "--scratch", scratch)
    result = weft.result("run", "terasort", "--size", "400MB", "--set", "partitions=20", *TWO, *small)
    assert result["verdict"] == "VALID", result
    assert written_to_scratch(weft.record()) > 50_000_000


def test_a_stranger_joins_reads_and_submits_nothing(weft: Weft, tmp_path: Path) -> None:
    words = ("terasort", "--size", "300MB", "--engine", "ray", "--nodes", "local:2")
    process = weft.start("run", *words, "--json")
    weft.wait_for(process, lambda: in_phase(weft, "run"), 300)
    first, second = nodes(weft)
    gcs = first["gcs"]
    refused_without_token(f"http://{first['address']}:{first['web-port']}/")
    planned = {
        (each["address"], port)
        for each in (first, second)
        for port in range(int(each["first-port"]), int(each["last-port"]) + 1)
    }
    page = (first["address"], int(first["web-port"]))
    weft.wait_for(process, lambda: len(listening(weft)) > 8)
    assert listening(weft) <= planned | {page, (first["address"], int(gcs.rpartition(":")[2]))}
    pem = next((weft.home / "work").glob("*/conf/keystore.pem"))
    for stranger in strangers(tmp_path, pem):
        assert "refused" in asked(gcs, stranger), stranger
    out, err = process.communicate(timeout=300)
    assert json.loads(out)["verdict"] == "VALID", (out, err)


def nodes(weft: Weft) -> list[dict[str, str]]:
    """The options of the processes that start nodes, the head node's first."""
    found = [process.cmdline() for process in weft.processes("weft_ray.node")]
    options = [dict(pairwise(each)) for each in found if "--gcs" in each]
    plain = [{key.removeprefix("--"): value for key, value in each.items()} for each in options]
    return sorted({each["name"]: each for each in plain}.values(), key=lambda each: "web-port" not in each)


def listening(weft: Weft) -> set[tuple[str, int]]:
    """Addresses and ports of all processes of the run."""
    every = [connection for process in weft.processes("") for connection in process.net_connections("inet")]
    return {
        (each.laddr.ip.removeprefix("::ffff:"), each.laddr.port)
        for each in every
        if each.status == psutil.CONN_LISTEN
    }


def strangers(directory: Path, pem: Path) -> list[dict[str, str]]:
    """Variables of who has nothing; of who has a certificate of his own; of who has stolen the run's, and guesses the token."""
    own, token = directory / "own.pem", directory / "token"
    token.write_text("a" * 32)
    new = ("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    files = ("-keyout", str(own), "-out", str(directory / "certificate"), "-subj", "/CN=weft")
    subprocess.run(["openssl", *new, *files], check=True, capture_output=True)
    own.write_text(own.read_text() + (directory / "certificate").read_text())

    def tls(key: Path, authority: Path) -> dict[str, str]:
        files = {"SERVER_CERT": key, "SERVER_KEY": key, "CA_CERT": authority}
        return {"RAY_USE_TLS": "1", **{f"RAY_TLS_{name}": str(path) for name, path in files.items()}}

    guessed = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(token)}
    return [{"RAY_AUTH_MODE": "disabled"}, tls(own, pem) | guessed, tls(pem, pem) | guessed]


ASK = """
import sys
from ray._raylet import GcsClient
try:
    print("keys", GcsClient(address=sys.argv[1]).internal_kv_keys(b"", b"session", timeout=5))
except Exception as error:
    print("refused", type(error).__name__, error)
"""


def asked(gcs: str, variables: dict[str, str]) -> str:
    """What the control service answers somebody with these variables."""
    own = {"PYTHONPATH": str(distribution.home("ray", print) / "lib"), "PATH": os.environ["PATH"]}
    limits = {"RAY_gcs_rpc_server_connect_timeout_s": "3", "RAY_gcs_rpc_server_reconnect_timeout_s": "3"}
    argv = [sys.executable, "-S", "-P", "-c", ASK, gcs]
    done = subprocess.run(
        argv, env={**own, **limits, **variables}, capture_output=True, text=True, timeout=100, check=False
    )
    assert "keys" not in done.stdout
    return done.stdout if done.returncode == 0 else f"refused {done.returncode} {done.stderr[-500:]}"


@pytest.mark.long
@needs(ROOT, "setpriv")
def test_a_second_user_reads_neither_the_token_nor_a_socket(weft: Weft) -> None:
    process = weft.start("run", "terasort", "--size", "100MB", "--engine", "ray", "--nodes", "local:1")
    weft.wait_for(process, lambda: in_phase(weft, "run"), 300)
    work = next((weft.home / "work").iterdir())
    sockets = [Path(f"/proc/{each.pid}/cwd") for each in weft.processes("weft_ray.node")]
    assert any((each / "raylet").is_socket() for each in sockets)
    become = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    for path in (
        work / "conf" / "ray.token",
        work / "conf" / "keystore.pem",
        work / "node1" / "ray",
        *sockets,
    ):
        assert subprocess.run([*become, "ls", f"{path}/"], capture_output=True, check=False).returncode
        assert subprocess.run([*become, "cat", path], capture_output=True, check=False).returncode
    process.communicate(timeout=300)
    assert process.returncode == 0


@pytest.mark.long
@pytest.mark.parametrize("nodes", [2, 3])
def test_a_killed_raylet_ends_in_a_right_result_or_in_a_reason(weft: Weft, nodes: int) -> None:
    words = ("terasort", "--size", "300MB", "--engine", "ray", "--nodes", f"local:{nodes}")
    process = weft.start("run", *words, "--json")
    weft.wait_for(process, lambda: in_phase(weft, "run"), 300)
    second = next(each for each in weft.processes("/raylet/raylet") if "--head" not in each.cmdline())
    kill(second)
    out, err = process.communicate(timeout=500)
    result = json.loads(out)
    assert result["verdict"] == "VALID" or "ray-node" in result["reason"] or "lost" in result["reason"], (
        result,
        err,
    )
    log = "".join(path.read_text() for path in weft.record().glob("logs/*/ray-*.log"))
    assert "raylet ended with -9" in log


MUTANTS = {
    "lose": ("ray/programs/weft_ray/cluster.py", "list(blocks[:maps])", "list(blocks[1:maps])"),
    "repeat": ("ray/programs/weft_ray/cluster.py", "list(blocks[:maps])", "[*blocks[:maps], blocks[0]]"),
    "misorder": (
        "programs/weft_tasks/records.py",
        "np.lexsort((tails, heads(records)))",
        "np.lexsort((heads(records), tails))",
    ),
}
"""Programs that are wrong: the file, what is there, and what is there instead."""


@pytest.mark.long
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
    words = ("run", "terasort", "--size", "2MB", "--engine", "ray", "--nodes", "local:1", "--json")
    done = weft(*words, PYTHONPATH=str(copy / "src"))
    result = json.loads(done.stdout)
    assert result["verdict"] == "INVALID", result
    assert any(word in result["reason"] for word in ("rows written", "order is broken")), result["reason"]
