"""Which of some ports are in use on an address, by which process, and whether only this user's processes listen there."""

import errno
import os
import socket
import sys

from weft.host.programs import answers

_LISTENING = "0A"
"""State of a listening socket in /proc/net/tcp."""


def main(request: "dict") -> None:  # type: ignore[type-arg]
    """As `answer`."""
    answers.give(answer, request)


def answer(address: str, ports: "list[int] | None" = None, port: int = 0) -> object:
    """Which of some ports are taken, as `taken`; or the users who listen on one port, as `strangers`."""
    return strangers(address, port) if ports is None else taken(address, ports)


def taken(address: str, ports: "list[int]") -> "dict[str, str]":
    """By port: the process that uses it, as text, empty if unknown. Raises OSError for an address of another host."""
    return {str(port): holder(address, port) for port in ports if _refused(address, port)}


def _refused(address: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return True
            raise OSError(error.errno, error.strerror, f"the address {address}") from None
    return False


def strangers(address: str, port: int) -> "list[int] | None":
    """User IDs, besides this user's and root's, that listen on a port of an address; None if nobody listens."""
    users = {int(row[7]) for row in listening(address, port)}
    return sorted(users - {0, os.geteuid()}) if users else None


def listening(address: str, port: int) -> "list[list[str]]":
    """The kernel's rows of sockets that listen on a port of an address, or of all addresses."""
    rows = []
    for table in ("tcp", "tcp6"):
        try:
            with open("/proc/thread-self/net/" + table, encoding="utf-8") as file:
                rows += [line.split() for line in file.readlines()[1:]]
        except OSError:
            continue
    return [row for row in rows if row[3] == _LISTENING and _covers(row[1], address, port)]


def holder(address: str, port: int) -> str:
    """` by process PID (NAME)` of the process that listens on a port of an address, or of all addresses."""
    wanted = {f"socket:[{row[9]}]" for row in listening(address, port)}
    for name in os.listdir("/proc"):
        try:
            folder = f"/proc/{int(name)}/fd"
            if any(os.readlink(os.path.join(folder, entry)) in wanted for entry in os.listdir(folder)):
                with open(f"/proc/{name}/comm", encoding="utf-8", errors="replace") as file:
                    return f" by process {name} ({file.read().strip()})"
        except (OSError, ValueError):
            continue
    return ""


def _covers(bound: str, address: str, port: int) -> bool:
    """Whether the local address of a socket, as the kernel writes it, conflicts with an address and a port."""
    at, number = bound.split(":")
    own = format(int.from_bytes(socket.inet_aton(address), sys.byteorder), "08X")
    return int(number, 16) == port and (not at.strip("0") or at.endswith(own))
