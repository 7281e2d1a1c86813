"""What the kernel allows this user: namespaces, link shaping, control groups, perf events. Tested by trying."""

import os
from pathlib import Path

from weft.adapters.nodes import cgroups
from weft.doctor.finding import Finding, limits, ok
from weft.errors import WeftError
from weft.host import shell
from weft.host.shell import tool

_USER = ["--user", "--map-root-user"]
_PERF_OPEN = 2
"""The highest perf_event_paranoid at which users may measure their own processes."""


def _try(namespaces: list[str], argv: list[str]) -> str:
    """Run a command in new namespaces that end with it; the error message, or nothing."""
    try:
        done = shell.run([tool("unshare", "util-linux"), *namespaces, "--", *argv], timeout=20, check=False)
    except WeftError as error:
        return error.message
    return "" if done.code == 0 else (done.err.strip().splitlines() or [f"exit code {done.code}"])[-1]


def _own() -> list[str]:
    """For root a network namespace is sufficient; other users need a user namespace."""
    return ["--net"] if os.geteuid() == 0 else [*_USER, "--net"]


def user_namespaces() -> Finding:
    """Whether a user can be root in its own namespaces."""
    if not (problem := _try([*_USER, "--net", "--mount"], ["true"])):
        return ok("user namespaces", "available")
    fix = "sysctl user.max_user_namespaces=10000 kernel.unprivileged_userns_clone=1, as root"
    if Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").exists():
        fix = "sysctl kernel.apparmor_restrict_unprivileged_userns=0, as root"
    return limits("user namespaces", problem, costs="virtual nodes without root", fix=fix)


def virtual_nodes() -> Finding:
    """Namespaces and a bridge, as --nodes virtual creates them."""
    namespaces = [*_own(), "--mount", "--uts", "--ipc", "--pid", "--fork"]
    costs = "--nodes virtual: own network, /tmp and share of the machine per node"
    try:
        problem = _try(namespaces, [tool("ip", "iproute2"), "link", "add", "weft", "type", "bridge"])
    except WeftError as error:
        return limits("virtual nodes", error.message, costs=costs, fix=error.hint)
    if problem:
        fix = "run as root, or allow user namespaces; in a container add the capability SYS_ADMIN"
        return limits("virtual nodes", problem, costs=costs, fix=fix)
    return ok("virtual nodes", "namespaces and a bridge can be created")


def shaping() -> Finding:
    """A token bucket on an unused link."""
    costs = "link rates of virtual nodes (rate=1gbit)"
    qdisc = ["qdisc", "add", "dev", "lo", "root", "tbf", "rate", "1gbit", "burst", "256kb", "latency", "20ms"]
    try:
        problem = _try(_own(), [tool("tc", "iproute2"), *qdisc])
    except WeftError as error:
        return limits("network shaping", error.message, costs=costs, fix=error.hint)
    if problem:
        return limits("network shaping", problem, costs=costs, fix="modprobe sch_tbf, as root")
    return ok("network shaping", "tc tbf")


def control_groups() -> Finding:
    """Groups that limit a virtual node to its share."""
    version = "version 2" if cgroups.unified() else "version 1"
    if cgroups.cgroups_writable():
        return ok("control groups", version)
    fix = "run as root; in a container mount /sys/fs/cgroup writable"
    costs = "CPU and memory shares of virtual nodes are not enforced"
    return limits("control groups", f"{version} at {cgroups.ROOT} is not writable", costs=costs, fix=fix)


def perf(setting: Path = Path("/proc/sys/kernel/perf_event_paranoid")) -> Finding:
    """Whether the kernel lets this user sample its own processes."""
    costs = "profiles with perf"
    try:
        level = int(setting.read_text(encoding="utf-8"))
    except OSError:
        fix = "use a kernel with CONFIG_PERF_EVENTS"
        return limits("perf", "this kernel does not support perf events", costs=costs, fix=fix)
    if level <= _PERF_OPEN or os.geteuid() == 0:
        return ok("perf", f"perf_event_paranoid is {level}")
    fix = "sysctl kernel.perf_event_paranoid=2, as root"
    return limits("perf", f"perf_event_paranoid is {level}", costs=costs, fix=fix)
