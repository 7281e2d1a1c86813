"""Inspects a host: its cores, memory and addresses, which of some paths are missing, and its Java."""

import fcntl
import os
import re
import socket
import struct

from weft.host.programs import answers

_ADDRESS_OF_INTERFACE = 0x8915
"""SIOCGIFADDR, netdevice(7)."""
_GLOBAL = "00"
"""The scope of an address in /proc/net/if_inet6."""


def main(request: "dict") -> None:  # type: ignore[type-arg]
    """As `answer`."""
    answers.give(answer, request)


def answer(visible: "list[str]") -> "dict[str, object]":
    """`visible`: paths that must exist. The limit is that of control groups on memory, 0 without one."""
    return {
        "user": os.getuid(),
        "cores": len(os.sched_getaffinity(0)),
        "memory": memory(),
        "limit": min([bound for bound, _ in bounds()], default=0),
        "addresses": addresses(),
        "ipv6": ipv6(),
        "missing": [path for path in visible if not os.path.exists(path)],
        "java": {path: java(path) for path in visible if os.path.exists(path + "/bin/java")},
    }


def java(home: str) -> int:
    """The major version of a JDK from its `release` file, or as its `java` reports; 0 if it has none."""
    try:
        with open(os.path.join(home, "release"), encoding="utf-8") as file:
            text = file.read()
    except OSError:
        text = _output([os.path.join(home, "bin", "java"), "-version"])
    match = re.search(r'(?:JAVA_VERSION=|version )"(?:1\.)?(\d+)', text)
    return int(match.group(1)) if match else 0


def _output(arguments: "list[str]") -> str:
    import subprocess  # noqa: PLC0415 - takes long, and is rarely needed

    try:
        program = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except OSError:
        return ""
    return program.communicate()[0].decode(errors="replace")


def memory() -> int:
    """Bytes that are free for new programs, or less if a control group has a lower limit."""
    with open("/proc/meminfo", encoding="utf-8") as file:
        lines = dict(line.split(":") for line in file)
    return min([int(lines["MemAvailable"].split()[0]) * 1024, *[bound for bound, _ in bounds()]])


def bounds(proc: str = "/proc", root: str = "/sys/fs/cgroup") -> "list[tuple[int, int]]":
    """The limit in bytes of each control group that has one, from the root to this process, and how much of it is used."""
    found = []
    with open(os.path.join(proc, "self/cgroup"), encoding="utf-8") as file:
        groups = [line.rstrip("\n").split(":", 2) for line in file]
    for _, controllers, group in groups:
        if controllers and "memory" not in controllers.split(","):
            continue
        first, second = (
            ("memory.limit_in_bytes", "memory.usage_in_bytes")
            if controllers
            else ("memory.max", "memory.current")
        )
        parts = group.strip("/").split("/")
        for depth in range(len(parts) + 1):
            folder = os.path.join(root, "memory" if controllers else "", *parts[:depth])
            try:
                # one `with` for both in parentheses is a syntax error before Python 3.9
                with open(os.path.join(folder, first), encoding="utf-8") as bound:
                    with open(os.path.join(folder, second), encoding="utf-8") as used:
                        found.append((int(bound.read()), max(0, int(used.read()) - _cached(folder))))
            except (OSError, ValueError):
                continue  # `max` means no limit
    return found


def _cached(folder: str) -> int:
    """Bytes of files that a control group holds in memory until it is needed: the kernel counts them as used."""
    try:
        with open(os.path.join(folder, "memory.stat"), encoding="utf-8") as file:
            found = dict(line.split() for line in file)
    except (OSError, ValueError):
        return 0
    # version 1 counts those of the groups below apart
    whole = "total_" if "total_inactive_file" in found else ""
    return sum(int(found.get(whole + name, 0)) for name in ("inactive_file", "active_file"))


def ipv6() -> "list[str]":
    """Interfaces with an IPv6 address that other hosts can reach."""
    try:
        with open("/proc/net/if_inet6", encoding="utf-8") as file:
            rows = [line.split() for line in file]
    except OSError:  # the kernel has none
        return []
    return sorted({row[5] for row in rows if row[3] == _GLOBAL})


def addresses() -> "dict[str, str]":
    """The IPv4 address of each interface that has one."""
    return of_interfaces(_ADDRESS_OF_INTERFACE)


def of_interfaces(request: int) -> "dict[str, str]":
    """What the kernel answers to a request for each interface that has an IPv4 address."""
    found = {}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for _, name in socket.if_nameindex():
            try:
                answer = fcntl.ioctl(any_socket.fileno(), request, struct.pack("256s", name.encode()[:15]))
            except OSError:
                continue
            found[name] = socket.inet_ntoa(answer[20:24])
    return found
