"""Problems of a set of hosts, derived from their answers. Pure."""

import ipaddress
import re
import time
from collections.abc import Mapping, Sequence

from weft.doctor import directories
from weft.doctor.answers import HostAnswers, each
from weft.doctor.capacity import FILES, PROCESSES
from weft.doctor.finding import Finding, limits, missing, ok
from weft.host import machine
from weft.host.provision.jdk import OLDEST
from weft.text.units import show_size

_PORTS = 4096
"""Ports for outgoing connections below which a shuffle over many connections can run out."""
_APART = 2.0
"""Seconds between clocks above which samples of nodes cannot be compared."""
_SHORT = 600.0
"""Seconds of wall time below which a first run may not finish."""


def ahead(clock: float, began: float, ended: float) -> float:
    """How far a clock is outside the interval in which it was read; 0 inside."""
    return max(0.0, clock - ended) + min(0.0, clock - began)


def left(end: str, now: float) -> float | None:
    """Seconds until a time in Slurm's format; None if it has none."""
    try:
        return time.mktime(time.strptime(end, "%Y-%m-%dT%H:%M:%S")) - now
    except ValueError:
        return None


def judge(
    hosts: Sequence[HostAnswers], shared: str, locks: Mapping[str, str], remaining: float | None
) -> list[Finding]:
    """One finding per check; each names the hosts concerned."""
    plain = [check(hosts) for check in _CHECKS]
    return [_nodes(hosts), *plain, *directories.judge(hosts, shared, locks), *_wall(remaining)]


def _nodes(hosts: Sequence[HostAnswers]) -> Finding:
    listed = ", ".join(f"{host.name} at {host.address}" for host in hosts)
    return ok("nodes", f"{listed}; each reaches each other")


def _names(hosts: Sequence[HostAnswers]) -> Finding:
    def wrong(host: HostAnswers) -> str:
        own, found = host.facts["name"], host.facts["resolved"]
        if not found:
            return f"its own name {own} does not resolve"
        here = ipaddress.ip_address(host.address).is_loopback
        bad = [one for one in found if (one.startswith("127.") and not here) or not _has(host, one)]
        return f"its own name {own} resolves to {bad[0]}, where no other host can reach it" if bad else ""

    if not (found := each(hosts, wrong)):
        return ok("host names", "each resolves to an address of its host")
    fix = "give each host's name its address on the network in that host's /etc/hosts"
    return limits(
        "host names", found, costs="programs that announce their host's name cannot be reached", fix=fix
    )


def _has(host: HostAnswers, address: str) -> bool:
    return address in {*host.interfaces.values(), host.address} or address.startswith("127.")


def _subnets(hosts: Sequence[HostAnswers]) -> Finding:
    networks = {_network(host) for host in hosts} - {""}
    if len(networks) <= 1 or all(ipaddress.ip_address(host.address).is_loopback for host in hosts):
        return ok("networks", ", ".join(sorted(networks)) or "one")
    found = ", ".join(f"{host.name} in {_network(host) or 'no network of its own'}" for host in hosts)
    fix = "choose an interface that all have in one network: fabric=NAME"
    return limits("networks", found, costs="speed, because traffic goes through a router", fix=fix)


def _network(host: HostAnswers) -> str:
    name = next((name for name, address in host.interfaces.items() if address == host.address), "")
    mask = host.facts["networks"].get(name)
    return str(ipaddress.ip_network(f"{host.address}/{mask}", strict=False)) if mask else ""


def _java(hosts: Sequence[HostAnswers]) -> Finding:
    versions = {host.name: _major(host.facts["java"]) for host in hosts}
    found = each(
        hosts,
        lambda host: (
            f"java {host.facts['java']}"
            if not versions[host.name]
            else f"Java {versions[host.name]}, which is too old"
            if versions[host.name] < OLDEST
            else ""
        ),
    )
    fix = f"install Java {OLDEST} or newer under one path on all hosts, and set JAVA_HOME to it"
    if found:
        return missing("java", found, costs="every engine", fix=fix)
    if len(set(versions.values())) > 1:
        found = ", ".join(f"{name} has Java {version}" for name, version in versions.items())
        return limits(
            "java", found, costs="times of nodes are not comparable; classes may be incompatible", fix=fix
        )
    return ok("java", f"Java {versions[hosts[0].name]} on each")


def _major(text: str) -> int:
    match = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(match[1]) if match else 0


def _limits(hosts: Sequence[HostAnswers]) -> Finding:
    def low(value: int, least: int) -> bool:
        return 0 <= value < least

    def wrong(host: HostAnswers) -> str:
        files, processes = host.facts["files"], host.facts["processes"]
        return ", ".join(
            [
                *([f"{files} open files"] if low(files, FILES) else []),
                *([f"{processes} processes"] if low(processes, PROCESSES) else []),
            ]
        )

    if not (found := each(hosts, wrong)):
        return ok("ulimit", f"at least {FILES} files and {PROCESSES} processes")
    fix = f"ulimit -n {FILES} -u {PROCESSES}: in /etc/security/limits.conf, or of slurmd (PropagateResourceLimits)"
    return limits("ulimit", found, costs="shuffles with many partitions", fix=fix)


def _memory(hosts: Sequence[HostAnswers]) -> Finding:
    found = each(hosts, lambda host: show_size(host.memory) if host.memory < machine.LEAST else "")
    if not found:
        return ok("memory", f"at least {show_size(min(host.memory for host in hosts))} per node")
    fix = f"request at least {show_size(machine.LEAST)} per node: --nodes slurm:N,memory=4G, or leave that host out"
    return missing("memory", f"{found} for an engine", costs="every engine", fix=fix)


def _ports(hosts: Sequence[HostAnswers]) -> Finding:
    if not (found := each(hosts, lambda host: ", ".join(host.occupied))):
        return ok("engine ports", "free on each")
    fix = "stop the process, or choose another port: --set engine.port=N, engine.web_port=N"
    return limits("engine ports", found, costs="that engine, until it has another port", fix=fix)


def _outgoing(hosts: Sequence[HostAnswers]) -> Finding:
    def wrong(host: HostAnswers) -> str:
        first, last = host.facts["ports"]
        return f"{first} to {last}" if last - first + 1 < _PORTS else ""

    if not (found := each(hosts, wrong)):
        return ok("outgoing ports", f"at least {_PORTS} on each")
    fix = "sysctl net.ipv4.ip_local_port_range='32768 60999', as root"
    return limits("outgoing ports", found, costs="many connections at a time", fix=fix)


def _clock(hosts: Sequence[HostAnswers]) -> Finding:
    found = each(hosts, lambda host: f"{host.ahead:+.1f} s" if abs(host.ahead) > _APART else "")
    if not found:
        return ok("clocks", f"within {_APART:.0f} s of this machine's")
    costs = "samples of nodes are not comparable; tokens of YARN and HDFS expire"
    return limits("clocks", found, costs=costs, fix="timedatectl set-ntp true, or fix chronyd there")


def _devices(hosts: Sequence[HostAnswers]) -> Finding:
    found = each(
        hosts, lambda host: ", ".join(f"no {kind}" for kind in ("fuse", "loop") if not host.facts[kind])
    )
    if not found:
        return ok("fuse and loop", "on each")
    costs = "--scratch loopback (one of them is enough)"
    fix = "modprobe fuse loop; apt-get install fuse3; or use --scratch pool, which needs neither"
    return limits("fuse and loop", found, costs=costs, fix=fix)


def _wall(remaining: float | None) -> list[Finding]:
    if remaining is None:
        return []
    found = f"{max(0, remaining) / 60:.0f} min left of the job"
    if remaining >= _SHORT:
        return [ok("wall time", found)]
    fix = "request more: --nodes slurm:N,time=2:00:00, or salloc --time=2:00:00"
    return [limits("wall time", found, costs="runs that take longer", fix=fix)]


_CHECKS = (_names, _subnets, _ports, _outgoing, _java, _limits, _memory, _clock, _devices)
