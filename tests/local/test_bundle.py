"""A bundle, unpacked and installed where there is no network at all, and used by two users at once."""

import json
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.local import bare
from tests.local.bare import Bare
from tests.needs import NAMESPACES, NATIVE, ROOT, needs

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(3600),
    needs(ROOT, NAMESPACES, "mmdebstrap", "readelf", "ip", *NATIVE),
]
PREFIX = "/opt/shared"
SORT = ("terasort", "--size", "100MB")
SHORT = ("--set", "seconds=2s", "--set", "warmup=1s", "--set", "rate=200")
LIMITS = "[limits]\nnodes = 3\n"


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bare]:
    """Without any network but its own loopback interface, with a bundle of all engines installed for all users."""
    bundle = bare.bundle(tmp_path_factory.mktemp("bundle"), "spark,flink,hadoop,kafka")
    with bare.bare(tmp_path_factory.mktemp("offline"), {}, network=False) as debian:
        shutil.move(bundle, debian.root / "root" / bundle.name)
        debian.run("sh", "-c", f"tar -C /root -xf /root/{bundle.name} && /root/weft-*/install {PREFIX}")
        debian.run("rm", "-r", f"/root/{bundle.name}")
        (debian.root / "etc" / "resolv.conf").write_text("")  # no name server
        profile = debian.root / PREFIX[1:] / "etc/weft/site.toml"
        profile.write_text(LIMITS)
        yield debian


def run(machine: Bare, *words: str, user: str = "") -> dict[str, Any]:
    home = f"/home/user{user}" if user else "/root"
    if user:
        # Hadoop's libraries refuse a user without a name
        machine.run("useradd", "--create-home", "--uid", user, f"user{user}")
    argv = f"cd {home} && HOME={home} {PREFIX}/bin/weft run {' '.join(words)} --json && cat /proc/net/dev"
    began = time.monotonic()
    done = machine.run("sh", "-c", argv, user=user)
    print(f"{' '.join(words)} {user}: {time.monotonic() - began:.1f} s")  # seen with -rP
    text, _, interfaces = done.stdout.rpartition("}\n")
    assert bare.packets_out(interfaces) == 0, done.stderr
    found: dict[str, Any] = json.loads(f"{text}}}")
    assert found["verdict"] == "VALID", done.stderr
    return found


def test_an_attempt_to_leave_is_counted(machine: Bare) -> None:
    leaves = (
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('203.0.113.1', 53))"
    )
    done = machine.run("sh", "-c", f'python3 -c "{leaves}" && cat /proc/net/dev')
    assert bare.packets_out(done.stdout) == 1
    assert bare.packets_out(machine.run("cat", "/proc/net/dev").stdout) == 0


@pytest.mark.parametrize(
    "words",
    [
        (*SORT,),
        (*SORT, "--engine", "flink"),
        (*SORT, "--engine", "hadoop", "--input", "hdfs", "--output", "hdfs"),
        ("sql-join", "--engine", "flink", "--set", "visits=20000"),
        ("stream-statistics", "--engine", "flink", "--service", "kafka:1", *SHORT),
        ("stream-statistics", "--engine", "spark", "--service", "kafka:1", *SHORT),
    ],
    ids=" ".join,
)
def test_a_run_is_valid_without_network(machine: Bare, words: tuple[str, ...]) -> None:
    run(machine, *words)


def test_two_users_at_once_use_one_installation_and_write_nothing_below_it(machine: Bare) -> None:
    prefix = machine.root / PREFIX[1:]
    before = {path: path.stat().st_mtime_ns for path in prefix.rglob("*")}
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda user: run(machine, *SORT, user=user), ("1001", "1002")))
    assert {path: path.stat().st_mtime_ns for path in prefix.rglob("*")} == before


def test_the_administrators_limit_holds(machine: Bare) -> None:
    done = machine.run(f"{PREFIX}/bin/weft", "run", "terasort", "--nodes", "local:4", check=False)
    assert done.returncode == 2
    assert "the run needs 4 nodes, and this site allows 3" in done.stderr
