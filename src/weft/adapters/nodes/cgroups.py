"""Control groups, version 1 or 2: a node's share of CPU and memory, and its usage."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from weft.errors import NodeError
from weft.host.lease import Lease

ROOT = Path("/sys/fs/cgroup")
_PERIOD = 100_000
"""Microseconds of one scheduling period (the kernel's default)."""


_LARGEST_PAGE = 1 << 16
"""Bytes of the largest pages of common kernels."""


@dataclass(frozen=True)
class CgroupNames:
    """The group of a node: one per run and node."""

    run: str
    node: str


def unified() -> bool:
    """True if the machine has only version 2."""
    return (ROOT / "cgroup.controllers").exists()


def _controllers() -> list[Path]:
    """The directories in which a group has to be created."""
    if unified():
        return [ROOT]
    # cpu and cpuacct are one directory on some machines and two on others
    return list(
        {
            (ROOT / name).resolve(): None
            for name in ("cpu", "cpuacct", "memory", "blkio")
            if (ROOT / name).is_dir()
        }
    )


def cgroups_writable() -> bool:
    """True if groups can be created."""
    directories = _controllers()
    return bool(directories) and all(os.access(path, os.W_OK) for path in directories)


def group_paths(names: CgroupNames) -> tuple[Path, ...]:
    """The directories of a node's group; none if groups are not writable."""
    if not cgroups_writable():
        return ()
    return tuple(controller / f"weft-{names.run}-{names.node}" for controller in _controllers())


def make_group(names: CgroupNames, cores: int, memory: int, lease: Lease) -> tuple[Path, ...]:
    """Groups that limit a node to `cores` and `memory` bytes; none if groups are not writable."""
    paths = group_paths(names)
    try:
        for path in paths:
            lease.note("cgroup", path=str(path))
            path.mkdir()
            for file, value in _settings(path, cores, memory):
                (path / file).write_text(value, encoding="utf-8")
    except OSError as error:
        raise NodeError(
            f"{names.node}: cannot set its CPU and memory share: {error}",
            hint="use --nodes local:2, or mount the cpu and memory controllers",
        ) from error
    return paths


def require_limits(names: CgroupNames, paths: Sequence[Path], cores: int, memory: int) -> None:
    """Raises NodeError, which names both, if the kernel has other limits than those of `make_group`."""
    for path in paths:
        for file, wanted in _settings(path, cores, memory):
            found = (path / file).read_text(encoding="utf-8").strip()
            if found != wanted and not _rounded(found, wanted):
                raise NodeError(
                    f"{names.node}: {path / file} was to be {wanted}, but is {found}",
                    hint="a program that manages control groups may have changed it; use --nodes local:2",
                )


def _rounded(found: str, wanted: str) -> bool:
    """The kernel rounds memory to whole pages."""
    return found.isdigit() and wanted.isdigit() and 0 <= int(wanted) - int(found) < _LARGEST_PAGE


def _settings(path: Path, cores: int, memory: int) -> Sequence[tuple[str, str]]:
    every = {
        "cpu.max": f"{cores * _PERIOD} {_PERIOD}",
        "memory.max": str(memory),
        "cpu.cfs_period_us": str(_PERIOD),
        "cpu.cfs_quota_us": str(cores * _PERIOD),
        "memory.limit_in_bytes": str(memory),
    }
    return [(file, value) for file, value in every.items() if (path / file).exists()]
