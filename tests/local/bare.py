"""A bare Debian with Python, and with or without a Java runtime, made for the test, and registries on the loopback address to install from.

The registries hold what pip and Maven have downloaded, so nothing but these two asks the real ones.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from installing import UV

from tests.mirror import Registry, python_page, serving
from weft.host import settings
from weft.host.provision import distribution, jars
from weft.host.provision.tree import building, cached, digest

ROOT = settings.SOURCE
WITHOUT_JAVA = "python3-venv"
"""venv is how Debian ships pip."""
PACKAGES = f"{WITHOUT_JAVA},openjdk-17-jre-headless"
_WITHOUT_NETWORK = """
ip link add out type veth peer name void && ip link set out arp off && ip addr add 192.0.2.1/24 dev out &&
for one in out void; do echo 1 >/proc/sys/net/ipv6/conf/$one/disable_ipv6 && ip link set $one up || exit; done &&
ip route add default via 192.0.2.254 &&
"""
"""A way out that ends in nothing, so that every attempt to leave is a packet, and counted."""
_ENTER = """
mount --make-rprivate / && mount --rbind /dev "$0/dev" && mount --rbind /sys "$0/sys" && mount -t proc proc "$0/proc" &&
ip link set lo up && cd "$0" && pivot_root . . && umount --lazy . && cd / && exec "$@"
"""
"""A chroot would not do: nsenter, with which virtual nodes are entered, leaves it."""


def debian(packages: str) -> Path:
    """The unpacked root, kept in the cache; not to be written to."""
    key = f"bare-debian-12-{digest([], packages)}"
    with building(key, 2_000_000_000) as target:
        if target is not None:
            argv = ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={packages}", "bookworm"]
            subprocess.run([*argv, str(target / "root")], check=True)
    found = cached(key)
    assert found is not None
    return found / "root"


def wheel() -> Path:
    """Of this checkout, built if the cache has none of this commit's files."""
    sources = [ROOT / name for name in ("src", "java", "native", "studies", "tools", "pyproject.toml")]
    key = f"wheel-{digest(sources)}"
    with building(key, 500_000_000) as target:
        if target is not None:
            subprocess.run([ROOT / "tools" / "build", target], check=True)
    found = cached(key)
    assert found is not None
    return next(found.glob("*.whl"))


def bundle(directory: Path, engines: str) -> Path:
    """Packed by a weft that pip installed from the wheel, with engines of this machine's cache."""
    made, out = directory / "made", directory / "weft-bundle.tar"
    subprocess.run([sys.executable, "-m", "venv", made], check=True)
    pip = [made / "bin" / "pip", "install", "--quiet", "--no-index"]
    subprocess.run([*pip, f"--find-links={packages()}", wheel()], check=True)
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    argv = [made / "bin" / "weft", "bundle", "--engine", engines, "-o", out]
    subprocess.run(argv, env=environment, check=True)
    shutil.rmtree(made)
    return out


@contextmanager
def registries(*wheels: Path) -> Iterator[Registry]:
    """An index with weft's packages and the engines' archives, and a Maven repository with Hadoop, and what weft's jars are compiled with."""
    registry = Registry()
    for file in [*packages().iterdir(), *wheels]:
        name = re.split(r"-\d", file.name)[0].lower().replace("_", "-")
        registry.files[f"/files/{file.name}"] = file.read_bytes()
        registry.files[f"/simple/{name}/"] = python_page(file.name, f"../../files/{file.name}")
    own = jars.libraries(["spark", "flink", "hadoop", "kerberos"])
    sets = {each.name: each for each in (distribution.HADOOP, *own)}
    for name, home in distribution.provided(sets, print).items():
        for artifact in sets[name].artifacts:
            path = home / sets[name].folder / sets[name].within(artifact)
            registry.files[f"/maven/{artifact.path}"] = path.read_bytes()
    with serving(registry) as running:
        yield running


def packages() -> Path:
    """A directory with the archives of weft's packages, of uv, of Java and of Spark and Flink, as pip downloads them."""
    lock = ROOT / "requirements.lock"
    engines = [distribution.SPARK, distribution.FLINK]
    key = f"packages-{digest([lock], *(each.key for each in (*engines, distribution.JAVA, UV)))}"
    with building(key, 2_000_000_000) as target:
        if target is not None:
            pip = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", str(target)]
            subprocess.run([*pip, "--require-hashes", "--requirement", str(lock)], check=True)
            names = [
                f"{each.package}=={each.version}"
                for each in (*engines, *distribution.JAVA.wheels, *UV.wheels)
            ]
            subprocess.run([*pip, "--no-deps", *names], check=True)
    found = cached(key)
    assert found is not None
    return found


@dataclass
class Bare:
    """A Debian of its own, over the one in the cache."""

    root: Path
    environment: Mapping[str, str]
    network: bool = True

    def run(self, *argv: str, check: bool = True, user: str = "") -> "subprocess.CompletedProcess[str]":
        """A command inside; every process that it leaves is killed, and every mount removed."""
        spaces = ["--mount", "--pid", "--fork", "--kill-child", *([] if self.network else ["--net"])]
        script = _ENTER if self.network else _WITHOUT_NETWORK + _ENTER
        entered = ["unshare", *spaces, "sh", "-c", script, str(self.root)]
        named = [f"{name}={value}" for name, value in self.environment.items()]
        inside = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", *named]
        as_user = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if user else []
        done = subprocess.run(
            [*entered, *as_user, *inside, *argv], capture_output=True, text=True, check=False
        )
        assert not check or done.returncode == 0, f"{argv}: {done.stdout}\n{done.stderr}"
        return done


@contextmanager
def bare(
    directory: Path, environment: Mapping[str, str], *, network: bool = True, packages: str = PACKAGES
) -> Iterator[Bare]:
    """A writable copy by an overlay, whose changes are in the directory."""
    for name in ("upper", "work", "root"):
        (directory / name).mkdir(parents=True)
    where = f"lowerdir={debian(packages)},upperdir={directory}/upper,workdir={directory}/work"
    subprocess.run(["mount", "-t", "overlay", "overlay", "-o", where, str(directory / "root")], check=True)
    # as Debian's installer writes it
    hosts = f"127.0.0.1 localhost\n127.0.1.1 {socket.gethostname()}\n"
    (directory / "root" / "etc" / "hosts").write_text(hosts)
    try:
        yield Bare(directory / "root", environment, network)
    finally:
        subprocess.run(["umount", "--recursive", str(directory / "root")], check=True)


def packets_out(interfaces: str) -> int:
    """Of a machine without network, from its /proc/net/dev: how many packets would have left it."""
    (line,) = [line for line in interfaces.splitlines() if line.split(":")[0].strip() == "out"]
    return int(line.partition(":")[2].split()[9])


def settings_xml(url: str) -> str:
    """Maven's settings with one mirror of everything."""
    mirror = f"<mirror><id>loopback</id><url>{url}/maven</url><mirrorOf>*</mirrorOf></mirror>"
    return f"<settings><mirrors>{mirror}</mirrors></settings>"


def variables() -> dict[str, str]:
    """Of this machine, that its programs need inside too."""
    return {name: os.environ[name] for name in ("LANG",) if name in os.environ}
