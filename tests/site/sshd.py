"""Hosts for tests: an OpenSSH server each, with a key, an address and a configuration of its own."""

import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.site.apart import apart

SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/usr/bin")

needs_sshd = pytest.mark.skipif(
    SSHD is None, reason="sshd is not on this machine: apt-get install openssh-server"
)


_NO_LOGIN_FILES = "SetEnv SHLVL=9"
"""A bash that is deeper than a login shell does not read ~/.bashrc: what stands in it is none of the tests' matter."""


@dataclass
class Hosts:
    """Named host1, host2, ...; all of them are this machine, told apart by address."""

    folder: Path
    servers: list["subprocess.Popen[bytes]"]

    @property
    def config(self) -> Path:
        return self.folder / "ssh_config"

    def nodes(self, which: str = "", **keys: str) -> str:
        """The words after --nodes."""
        names = which or f"host[1-{len(self.servers)}]"
        keys = {"options": f"-F {self.config}", **keys}
        return ",".join([f"ssh:{names}", *(f"{key}={value}" for key, value in keys.items())])

    def processes(self) -> list[str]:
        """What runs on the hosts beside their servers."""
        found = []
        for server in self.servers:
            for child in psutil.Process(server.pid).children(recursive=True):
                try:
                    found.append(" ".join(child.cmdline()))
                except psutil.Error:
                    continue
        return found


@contextmanager
def running(folder: Path, count: int, last: Sequence[str] = (), local: Path | None = None) -> Iterator[Hosts]:
    """Servers for the length of a `with`; `last` are words that the last of them is started through.

    `local` is a directory that each has for itself, where that can be.
    """
    folder.mkdir(mode=0o700)
    hosts = Hosts(folder, [])
    _key(folder / "key")
    (folder / "authorized_keys").write_text((folder / "key.pub").read_text())
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # where a server that is root shuts itself in
    try:
        with _subnet() as subnet:
            for number in range(1, count + 1):
                own = folder / f"local-host{number}"
                through = apart(local, own, ()) if local is not None and os.geteuid() == 0 else []
                through += last if number == count else ()
                hosts.servers.append(_server(folder, number, f"{subnet}.{number}", through))
            yield hosts
    finally:
        for server in hosts.servers:
            server.kill()
            server.wait()


def _key(path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)


def _server(folder: Path, number: int, address: str, through: Sequence[str]) -> "subprocess.Popen[bytes]":
    name = f"host{number}"
    port = free_port(address)
    _key(folder / name)
    kind, key = (folder / f"{name}.pub").read_text().split()[:2]
    with (folder / "known_hosts").open("a") as known:
        known.write(f"[{address}]:{port} {kind} {key}\n")
    with (folder / "ssh_config").open("a") as config:
        config.write(
            f"Host {name}\n HostName {address}\n Port {port}\n IdentityFile {folder}/key\n IdentitiesOnly yes\n"
            f" User {getpass.getuser()}\n UserKnownHostsFile {folder}/known_hosts\n GlobalKnownHostsFile /dev/null\n"
        )
    (folder / f"{name}.conf").write_text(
        f"ListenAddress {address}:{port}\nHostKey {folder}/{name}\nAuthorizedKeysFile {folder}/authorized_keys\n"
        "PidFile none\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nStrictModes no\n"
        f"{_NO_LOGIN_FILES}\n"
    )
    assert SSHD is not None
    words = [*through, SSHD, "-D", "-e", "-f", str(folder / f"{name}.conf")]
    with (folder / f"{name}.log").open("wb") as log:
        server = subprocess.Popen(words, stderr=log)
    end = time.monotonic() + 10
    while True:
        try:
            socket.create_connection((address, port), timeout=1).close()
        except OSError:
            assert server.poll() is None, (folder / f"{name}.log").read_text()
            assert time.monotonic() < end
            time.sleep(0.02)
        else:
            return server


def free_port(address: str) -> int:
    with socket.socket() as probe:
        probe.bind((address, 0))
        return int(probe.getsockname()[1])


@contextmanager
def _subnet() -> Iterator[str]:
    """A /24 of 127.88.0.0/16 that no other test has now."""
    for third in range(1, 255):
        with socket.socket(socket.AF_UNIX) as lock:
            try:
                lock.bind(f"\0weft-127.88.{third}")
            except OSError:
                continue
            yield f"127.88.{third}"
            return
    raise AssertionError("254 tests run at once")
