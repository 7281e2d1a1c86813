"""A bundle, unpacked and installed where there is no network at all, and used by two users at once."""

import json
import shutil
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

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
LIMITS = "[limits]\nnodes = 3\n"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made by a weft that pip installed, with all engines."""
    wheel, out = bare.wheel(), tmp_path_factory.mktemp("bundle") / "weft-bundle.tar"
    with (
        bare.registries(wheel) as registry,
        bare.bare(tmp_path_factory.mktemp("maker"), {"PIP_INDEX_URL": f"{registry.url}/simple"}) as maker,
    ):
        (maker.root / "root" / ".m2").mkdir()
        (maker.root / "root" / ".m2" / "settings.xml").write_text(bare.settings_xml(registry.url))
        maker.run("python3", "-m", "venv", "/opt/weft")
        maker.run("/opt/weft/bin/pip", "install", "--quiet", "weft")
        maker.run("/opt/weft/bin/weft", "bundle", "-o", "/root/weft-bundle.tar")
        shutil.move(maker.root / "root" / "weft-bundle.tar", out)
    return out


@pytest.fixture(scope="module")
def machine(bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bare]:
    """Without any network but its own loopback interface, with the bundle installed for all users."""
    with bare.bare(tmp_path_factory.mktemp("offline"), {}, network=False) as debian:
        shutil.move(bundle, debian.root / "root" / bundle.name)
        debian.run("sh", "-c", f"tar -C /root -xf /root/{bundle.name} && /root/weft-*/install {PREFIX}")
        debian.run("rm", "-r", f"/root/{bundle.name}")
        # without a name server, and as Debian's installer writes it
        (debian.root / "etc" / "resolv.conf").write_text("")
        (debian.root / "etc" / "hosts").write_text(f"127.0.0.1 localhost\n127.0.1.1 {socket.gethostname()}\n")
        profile = debian.root / PREFIX[1:] / "etc/weft/site.toml"
        profile.write_text(LIMITS)
        yield debian


def terasort(machine: Bare, *words: str, user: str = "") -> dict[str, str]:
    home = f"/home/user{user}" if user else "/root"
    if user:
        machine.run("install", "-d", "-o", user, "-g", user, home)
    argv = f"cd {home} && HOME={home} {PREFIX}/bin/weft run terasort --size 100MB {' '.join(words)} --json && cat /proc/net/dev"
    began = time.monotonic()
    done = machine.run("sh", "-c", argv, user=user)
    print(f"{' '.join(words) or 'spark'} {user}: {time.monotonic() - began:.1f} s")  # seen with -rP
    text, _, interfaces = done.stdout.rpartition("}\n")
    assert bare.packets_out(interfaces) == 0, done.stderr
    found: dict[str, str] = json.loads(f"{text}}}")
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
    [(), ("--engine", "flink"), ("--engine", "hadoop", "--input", "hdfs", "--output", "hdfs")],
    ids=" ".join,
)
def test_a_run_is_valid_without_network(machine: Bare, words: tuple[str, ...]) -> None:
    assert terasort(machine, *words)["bytes_out"] == 100_000_000


def test_two_users_at_once_use_one_installation_and_write_nothing_below_it(machine: Bare) -> None:
    prefix = machine.root / PREFIX[1:]
    before = {path: path.stat().st_mtime_ns for path in prefix.rglob("*")}
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda user: terasort(machine, user=user), ("1001", "1002")))
    assert {path: path.stat().st_mtime_ns for path in prefix.rglob("*")} == before


def test_the_administrators_limit_holds(machine: Bare) -> None:
    done = machine.run(f"{PREFIX}/bin/weft", "run", "terasort", "--nodes", "local:4", check=False)
    assert done.returncode == 2
    assert "the run needs 4 nodes, and this site allows 3" in done.stderr
