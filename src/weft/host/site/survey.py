"""What is visible of a machine without an allocation. Each check changes nothing and may find nothing."""

import ipaddress
import shutil
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from weft.errors import NodeError, WeftError
from weft.facts import filesystems
from weft.host import settings
from weft.host.programs.mounts import mounts
from weft.host.schedulers.slurm import commands
from weft.host.schedulers.slurm.commands import Partition

CONTAINERS = ("shifter", "apptainer", "podman-hpc")
_ETHERNET, _INFINIBAND = 1, 32
_JAVA = ("java", "openjdk", "jdk")


@dataclass(frozen=True)
class Interface:
    """A network interface that is up. `speed` is in Mbit/s, 0 if the driver does not report it."""

    name: str
    address: str
    speed: int
    infiniband: bool


@dataclass(frozen=True)
class MountedFileSystem:
    """A mounted file system that other machines may mount too."""

    path: Path
    kind: str


@dataclass(frozen=True)
class Survey:
    """All that was found."""

    host: str
    partitions: Sequence[Partition]
    interfaces: Sequence[Interface]
    file_systems: Sequence[MountedFileSystem]
    scratch: Path | None
    """A directory of this user on a shared file system."""
    local: Path | None
    """A directory that is probably local to each node."""
    modules: Sequence[str]
    """Modules that provide Java."""
    burst_buffer: str
    containers: Sequence[str] = ()
    """Programs that can mount an image file inside a container."""


def survey() -> Survey:
    """Inspect this machine. Raises NodeError if it has Slurm, which does not answer: a profile without its partitions would stay."""
    partitions, buffer = _of_slurm() if commands.installed() else ([], "")
    found = file_systems()
    return Survey(
        socket.gethostname(),
        partitions,
        interfaces(),
        found,
        next((path for path in settings.own_directories() if shared(path, found)), None),
        next((path for path in settings.local_directories() if not shared(path, found)), None),
        java_modules(settings.module_directories()),
        buffer,
        containers(),
    )


def _of_slurm() -> tuple[list[Partition], str]:
    """Its partitions and its burst buffer."""
    try:
        return commands.partitions(), commands.burst_buffer()
    except WeftError as error:
        raise NodeError(
            f"Slurm does not describe its partitions: {error.message}",
            tail=error.tail,
            hint="repeat it when `sinfo` lists them",
        ) from error


def containers() -> list[str]:
    """Programs on PATH that can mount an image file inside a container, as named by `loopback,by=`."""
    return [name for name in CONTAINERS if shutil.which(name)]


def interfaces() -> list[Interface]:
    """Interfaces that are up and have an IPv4 address that others can reach, fastest first."""
    stats = psutil.net_if_stats()
    found = []
    for name, addresses in psutil.net_if_addrs().items():
        for address in addresses:
            if address.family != socket.AF_INET or ipaddress.ip_address(address.address).is_loopback:
                continue
            if name in stats and stats[name].isup:
                found.append(Interface(name, address.address, max(0, stats[name].speed), _infiniband(name)))
    return sorted(found, key=lambda one: (-one.infiniband, -one.speed, one.name))


def _infiniband(name: str) -> bool:
    try:
        return int(Path(f"/sys/class/net/{name}/type").read_text(encoding="utf-8")) == _INFINIBAND
    except (OSError, ValueError):
        return False


def file_systems(table: bytes | None = None) -> list[MountedFileSystem]:
    """Shared file systems in a mount table, or in that of this machine."""
    return [
        MountedFileSystem(Path(point), kind) for point, kind in mounts(table) if filesystems.of(kind).remote
    ]


def shared(path: Path, found: Sequence[MountedFileSystem]) -> bool:
    """Whether a directory is on one of the shared file systems."""
    return any(path.is_relative_to(one.path) for one in found)


def java_modules(directories: Sequence[Path]) -> list[str]:
    """Names of modules that provide Java: java/17, openjdk/21.0.2."""
    found = []
    for directory in directories:
        for name in (path for path in _list(directory) if path.name.lower().startswith(_JAVA)):
            versions = [version.name.removesuffix(".lua") for version in _list(name)] if name.is_dir() else []
            found += [f"{name.name}/{version}" for version in versions if not version.startswith(".")]
    return sorted(set(found))


def _list(directory: Path) -> list[Path]:
    try:
        return sorted(directory.iterdir())
    except OSError:
        return []
