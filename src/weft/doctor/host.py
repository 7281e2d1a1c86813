"""What this machine and each host of a set are checked for alike: its name, limits, devices, programs."""

import ipaddress
import time

from weft.doctor.answers import Check, HostAnswers
from weft.doctor.finding import Finding, limits, missing, ok
from weft.host import settings
from weft.host.ask import ask

_FILES = 4096
"""Open files below which a shuffle of a few hundred partitions can fail."""
_PROCESSES = 4096
"""Upper bound of the processes and threads that a node's daemons use."""
_SLOW = 1.0
"""Maximum seconds for resolving the host's own name."""
_CONFIGURED = "in /etc/security/limits.conf, or of slurmd (PropagateResourceLimits)"


def here() -> HostAnswers:
    """This machine."""
    programs = [str(settings.cache()), str(settings.work())]
    facts = ask(None, "examine", {"do": "facts", "programs": programs})
    return HostAnswers("", "127.0.0.1", facts)


def _name(host: HostAnswers) -> str:
    own, found = f"its own name {host.facts['name']}", host.facts["resolved"]
    if not found:
        return f"{own} does not resolve"
    if foreign := host.facts["foreign"]:
        return f"{own} resolves to {foreign[0]}, which is not an address of it"
    local = [one for one in found if one.startswith("127.")]
    if local and not ipaddress.ip_address(host.address).is_loopback:
        return f"{own} resolves to {local[0]}, where no other host can reach it"
    seconds = host.facts["lookup"]
    return f"looking up {own} took {seconds:.1f} s" if seconds > _SLOW else ""


def _files(host: HostAnswers) -> str:
    """The hard limit counts: a JVM raises its own soft limit to it."""
    soft, hard = host.facts["files"]
    return f"{soft}, can be raised to {hard}" if 0 <= hard < _FILES else ""


def _processes(host: HostAnswers) -> str:
    """Threads count as processes here."""
    soft, _ = host.facts["processes"]
    return str(soft) if 0 <= soft < _PROCESSES else ""


CHECKS = (
    Check(
        "host name",
        _name,
        "resolves to an address of the host",
        costs="programs that resolve or announce their host's name wait, fail or cannot be reached",
        fix="give the name the host's own address in that host's /etc/hosts",
    ),
    Check(
        "ulimit -n",
        _files,
        f"at least {_FILES}",
        costs="shuffles with many partitions",
        fix=f"raise the hard limit to {_FILES} or more {_CONFIGURED}",
    ),
    Check(
        "ulimit -u",
        _processes,
        f"at least {_PROCESSES}",
        costs="clusters of more than a few nodes",
        fix=f"ulimit -u {4 * _PROCESSES}, or raise it {_CONFIGURED}",
    ),
    Check(
        "loop mounts",
        lambda host: str(host.facts["loop"]),
        "with the kernel",
        costs="--scratch loopback with the kernel; fuse2fs is slower",
        fix="modprobe loop, give a container /dev/loop-control, and run as root; or accept fuse2fs",
    ),
    Check(
        "fuse",
        lambda host: str(host.facts["fuse"]),
        "/dev/fuse",
        costs="fuse2fs (--scratch loopback without root) and the emulated parallel file system",
        fix="modprobe fuse; apt-get install fuse3; chmod 666 /dev/fuse, and pass it to a container; "
        "or use --scratch pool, which does not need it",
    ),
    Check(
        "programs",
        lambda host: ", ".join(f"{path} is mounted noexec" for path in host.facts["noexec"]),
        "may run from weft's directories",
        costs="libraries of engines and of weft",
        fix="set WEFT_CACHE and WEFT_WORK to file systems that are not mounted noexec",
        bad=missing,
    ),
)


def clock(now: float | None = None) -> Finding:
    """A clock of this machine that is earlier than weft's own files is wrong."""
    seconds = time.time() if now is None else now
    text = time.strftime("%Y-%m-%d %H:%M:%S %Z", time.localtime(seconds))
    if seconds >= (settings.PACKAGE / "doctor" / "host.py").stat().st_mtime - 60:
        return ok("clock", text)
    costs = "downloads fail their certificate checks, and records are in the wrong order"
    return limits(
        "clock", f"{text} is before weft was installed", costs=costs, fix="timedatectl set-ntp true"
    )
