"""Resources of this machine: memory, cores, shared memory, open files, processes."""

import os
import resource
import shutil
from pathlib import Path

import psutil

from weft.adapters.nodes.local import LocalNodes
from weft.doctor.finding import Finding, limits, missing, ok
from weft.errors import UsageError
from weft.host import machine
from weft.run import preview
from weft.spec.parse import parse
from weft.text.units import show_size

FILES = 4096
"""Open files below which a shuffle of a few hundred partitions can fail."""
PROCESSES = 4096
"""Upper bound of the processes and threads that a node's daemons use."""
_SHARED = Path("/dev/shm")  # noqa: S108 - the machine's tmpfs is what is meant
_SHM_LEAST = 1 << 30
"""Bytes of /dev/shm below which scratch in memory is of little use without root."""


def memory() -> Finding:
    """Memory for the nodes of a default run, and for what its engine runs on the first of them."""
    free = max(0, min(psutil.virtual_memory().available, allowance()) - machine.RESERVE)
    nodes = free // machine.LEAST
    wanted = LocalNodes().count
    found = f"{show_size(free)} for nodes: enough for {nodes} of at least {show_size(machine.LEAST)}"
    costs = f"a run on {wanted} nodes, which is the default"
    if nodes < wanted:
        fix = "use --nodes local:1" if nodes else "stop other programs, or use a machine with more memory"
        return missing("memory", found, costs=costs, fix=fix)
    try:
        preview.preview(parse({"workload": "terasort"}))
    except UsageError as error:
        return missing("memory", f"{found}, but {error.message}", costs=costs, fix=error.hint)
    return ok("memory", found)


def allowance(proc: Path = Path("/proc"), root: Path = Path("/sys/fs/cgroup")) -> int:
    """Bytes that this process's control group still allows, which a container does not show elsewhere."""
    left = 1 << 62
    for line in (proc / "self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        names = ("memory.max", "memory.current")
        if controllers:
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes")
        base = root / ("memory" if controllers else "") / path.strip("/")
        try:
            bound, used = ((base / name).read_text().strip() for name in names)
        except OSError:
            continue
        if (not controllers or "memory" in controllers.split(",")) and bound != "max":
            left = min(left, int(bound) - int(used))
    return left


def cores() -> Finding:
    """Cores that this process may use."""
    count = machine.cores()
    if count >= LocalNodes().count:
        return ok("cores", str(count))
    costs = "nodes share one core, so times mean little"
    return limits("cores", str(count), costs=costs, fix="use a machine, or an affinity, with more cores")


def shared_memory(path: Path = _SHARED) -> Finding:
    """tmpfs for scratch in memory without root; root mounts its own."""
    size = shutil.disk_usage(path).total if path.is_dir() else 0
    found = f"{show_size(size)} at {path}"
    if size >= _SHM_LEAST or os.geteuid() == 0:
        return ok("shared memory", found)
    fix = f"mount -o remount,size=50% {path}, as root"
    return limits("shared memory", found, costs="--scratch memory without root", fix=fix)


def open_files() -> Finding:
    """The hard limit counts: a JVM raises its own soft limit to it."""
    soft, hard = (_bound(value) for value in resource.getrlimit(resource.RLIMIT_NOFILE))
    found = f"{soft}, can be raised to {hard}"
    if hard >= FILES:
        return ok("ulimit -n", found)
    fix = f"raise the hard limit to {FILES} or more in /etc/security/limits.conf"
    return limits("ulimit -n", found, costs="shuffles with many partitions", fix=fix)


def processes() -> Finding:
    """Threads count as processes here."""
    soft, hard = (_bound(value) for value in resource.getrlimit(resource.RLIMIT_NPROC))
    if soft >= PROCESSES:
        return ok("ulimit -u", str(soft))
    fix = f"ulimit -u {min(hard, 4 * PROCESSES)}" if hard > soft else "raise it in /etc/security/limits.conf"
    return limits("ulimit -u", str(soft), costs="clusters of more than a few nodes", fix=fix)


def _bound(value: int) -> int:
    return 1 << 30 if value == resource.RLIM_INFINITY else value
