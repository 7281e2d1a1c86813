"""Hosts in networks of their own: a namespace each, and one between them that routes, where weft is run."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.hosts.sshd import Hosts, without_servers

PORT = 2222
"""Of every server, as each has a network of its own."""


@dataclass
class Networks:
    """Hosts at 10.71.N.2, each in its own network; the router is at 10.71.N.1."""

    hosts: Hosts
    router: int
    """A process whose network it is."""
    members: list[int]

    def on_router(self) -> list[str]:
        """Arguments before a command that make it run on the router."""
        return inside(self.router)

    def on_host(self, number: int) -> list[str]:
        """The same for host1, host2."""
        return inside(self.members[number - 1])


def inside(pid: int) -> list[str]:
    return ["nsenter", f"--net=/proc/{pid}/ns/net", "--"]


@contextmanager
def routed(folder: Path, count: int) -> Iterator[Networks]:
    """Hosts for the length of a `with`. Needs root, and `ip` of iproute2."""
    holders = [_holder() for _ in range(count + 1)]
    router, *members = (holder.pid for holder in holders)
    networks = Networks(without_servers(folder), router, members)
    try:
        _shell(networks.on_router(), "ip link set lo up; echo 1 > /proc/sys/net/ipv4/ip_forward")
        for number, pid in enumerate(members, start=1):
            _join(networks, number, pid)
            networks.hosts.start(f"10.71.{number}.2", PORT, networks.on_host(number))
        yield networks
    finally:
        networks.hosts.stop()
        for holder in holders:
            holder.kill()
            holder.communicate()


def _holder() -> "subprocess.Popen[bytes]":
    """A process in a new network, which ends with this one."""
    words = [
        "unshare",
        "--net",
        "--",
        "setpriv",
        "--pdeathsig",
        "KILL",
        "sh",
        "-c",
        "echo there; exec sleep 1000",
    ]
    holder = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"there\n"
    return holder


def _join(networks: Networks, number: int, pid: int) -> None:
    address, link = f"10.71.{number}", f"up{number}"
    _shell(
        networks.on_router(),
        f"ip link add {link} type veth peer name eth0 netns {pid}; ip addr add {address}.1/24 dev {link};"
        f"ip link set {link} up",
    )
    _shell(
        networks.on_host(number),
        f"ip link set lo up; ip addr add {address}.2/24 dev eth0; ip link set eth0 up;"
        f"ip route add default via {address}.1",
    )


def _shell(before: Sequence[str], text: str) -> None:
    subprocess.run([*before, "sh", "-ec", text], check=True)
