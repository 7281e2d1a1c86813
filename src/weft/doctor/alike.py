"""Problems of a set of hosts, derived from their answers. Pure."""

import ipaddress
import time
from collections.abc import Mapping, Sequence

from weft.doctor import directories, host
from weft.doctor.answers import Check, HostAnswers, each
from weft.doctor.finding import Finding, limits, missing, ok
from weft.host import machine
from weft.host.provision import jdk
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


def seconds_until(end: str, now: float) -> float | None:
    """Seconds until a time in Slurm's format; None if it has none."""
    try:
        return time.mktime(time.strptime(end, "%Y-%m-%dT%H:%M:%S")) - now
    except ValueError:
        return None


def judge(
    hosts: Sequence[HostAnswers], shared: str, locks: Mapping[str, str], remaining: float | None
) -> list[Finding]:
    """One finding per check; each names the hosts concerned."""
    plain = [check.judge(hosts) for check in (*CHECKS, *host.CHECKS)]
    apart = [_nodes(hosts), _subnets(hosts), _java(hosts)]
    return [*apart, *plain, *directories.judge(hosts, shared, locks), *_wall(remaining)]


def _nodes(hosts: Sequence[HostAnswers]) -> Finding:
    listed = ", ".join(f"{host.name} at {host.address}" for host in hosts)
    return ok("nodes", f"{listed}; each reaches each other" if len(hosts) > 1 else listed)


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
    versions = {host.name: jdk.major(host.facts["java"]) for host in hosts}
    found = each(
        hosts,
        lambda host: (
            f"java {host.facts['java']}"
            if not versions[host.name]
            else f"Java {versions[host.name]}, which is too old"
            if versions[host.name] < jdk.OLDEST
            else ""
        ),
    )
    fix = f"install Java {jdk.OLDEST} or newer under one path on all hosts, and set JAVA_HOME to it"
    if found:
        return missing("java", found, costs="every engine", fix=fix)
    if len(set(versions.values())) > 1:
        found = ", ".join(f"{name} has Java {version}" for name, version in versions.items())
        return limits(
            "java", found, costs="times of nodes are not comparable; classes may be incompatible", fix=fix
        )
    return ok("java", f"Java {versions[hosts[0].name]} on each")


def _wall(remaining: float | None) -> list[Finding]:
    if remaining is None:
        return []
    found = f"{max(0, remaining) / 60:.0f} min left of the job"
    if remaining >= _SHORT:
        return [ok("wall time", found)]
    fix = "request more: --nodes slurm:N,time=2:00:00, or salloc --time=2:00:00"
    return [limits("wall time", found, costs="runs that take longer", fix=fix)]


def _outgoing(host: HostAnswers) -> str:
    first, last = host.facts["ports"]
    return f"{first} to {last}" if last - first + 1 < _PORTS else ""


CHECKS = (
    Check(
        "engine ports",
        lambda host: ", ".join(host.occupied),
        "free on each",
        costs="that engine, until it has another port",
        fix="stop the process, or choose another port: --set engine.port=N, engine.web_port=N",
    ),
    Check(
        "outgoing ports",
        _outgoing,
        f"at least {_PORTS} on each",
        costs="many connections at a time",
        fix="sysctl net.ipv4.ip_local_port_range='32768 60999', as root",
    ),
    Check(
        "memory",
        lambda host: f"{show_size(host.memory)} for an engine" if host.memory < machine.LEAST else "",
        f"at least {show_size(machine.LEAST)} per node",
        costs="every engine",
        fix=f"request at least {show_size(machine.LEAST)} per node: --nodes slurm:N,memory=4G, or leave that host out",
        bad=missing,
    ),
    Check(
        "clocks",
        lambda host: f"{host.ahead:+.1f} s" if abs(host.ahead) > _APART else "",
        f"within {_APART:.0f} s of this machine's",
        costs="samples of nodes are not comparable; tokens of YARN and HDFS expire",
        fix="timedatectl set-ntp true, or fix chronyd there",
    ),
)
