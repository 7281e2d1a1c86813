"""Resources of this machine: memory, cores, shared memory."""

import os
import shutil
from pathlib import Path

from weft.adapters.nodes.local import LocalNodes
from weft.doctor.finding import Finding, limits, missing, ok
from weft.errors import UsageError
from weft.host import machine
from weft.run import preview
from weft.spec.parse import parse
from weft.text.units import show_size

_SHARED = Path("/dev/shm")  # noqa: S108 - the machine's tmpfs is what is meant
_SHM_LEAST = 1 << 30
"""Free bytes of /dev/shm below which scratch in memory is of little use without root."""


def memory() -> Finding:
    """Memory for the nodes of a default run, and for what its engine runs on the first of them."""
    free = max(0, machine.available() - machine.RESERVE)
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


def cores() -> Finding:
    """Cores that this process may use."""
    count = machine.cores()
    if count >= LocalNodes().count:
        return ok("cores", str(count))
    costs = "nodes share one core, so times mean little"
    return limits("cores", str(count), costs=costs, fix="use a machine, or an affinity, with more cores")


def shared_memory(path: Path = _SHARED) -> Finding:
    """tmpfs for scratch in memory without root; root mounts its own."""
    size, _, free = shutil.disk_usage(path) if path.is_dir() else (0, 0, 0)
    found = f"{show_size(free)} of {show_size(size)} free at {path}"
    if free >= _SHM_LEAST or os.geteuid() == 0:
        return ok("shared memory", found)
    fix = f"mount -o remount,size=50% {path}, as root"
    if size >= _SHM_LEAST:
        fix = f"remove what you no longer need there: find {path} -user $USER -size +1M"
    return limits("shared memory", found, costs="--scratch memory without root", fix=fix)
