"""Hosts for tests: an OpenSSH server each, with a key, an address and a configuration of its own."""

import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.hosts.apart import apart
from tests.needs import SEARCHED

SSHD = shutil.which("sshd", path=SEARCHED)

# a bash that is deeper than a login shell reads no ~/.bashrc: its contents must not affect the tests
_SERVER = (
    "PidFile none\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nStrictModes no\n"
    "SetEnv SHLVL=9\n"
)


@dataclass
class Hosts:
    """Named host1, host2, ...; all of them are this machine, distinguished by address."""

    folder: Path
    servers: list["subprocess.Popen[bytes]"] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)

    @property
    def config(self) -> Path:
        return self.folder / "ssh_config"

    def start(self, address: str, port: int, through: Sequence[str] = ()) -> None:
        """One more host; `through` are words that its server is started through."""
        name = f"host{len(self.servers) + 1}"
        _key(self.folder / name)
        kind, key = (self.folder / f"{name}.pub").read_text().split()[:2]
        with (self.folder / "known_hosts").open("a") as known:
            known.write(f"[{address}]:{port} {kind} {key}\n")
        with self.config.open("a") as config:
            config.write(_entry(name, address, port, self.folder))
        (self.folder / f"{name}.conf").write_text(
            f"ListenAddress {address}:{port}\nHostKey {self.folder}/{name}\n"
            f"AuthorizedKeysFile {self.folder}/authorized_keys\n{_SERVER}"
        )
        assert SSHD is not None
        words = [*through, SSHD, "-D", "-e", "-f", str(self.folder / f"{name}.conf")]
        log = self.folder / f"{name}.log"
        with log.open("wb") as file:
            server = subprocess.Popen(words, stderr=file)
        self.servers.append(server)
        self.addresses.append(address)
        end = time.monotonic() + 20
        while f"Server listening on {address}" not in log.read_text():
            assert server.poll() is None, log.read_text()
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.02)

    def stop(self) -> None:
        for server in self.servers:
            server.kill()
            server.wait()

    def nodes(self, which: str = "", **keys: str) -> str:
        """The arguments of --nodes."""
        names = which or f"host[1-{len(self.servers)}]"
        keys = {"options": f"-F {self.config}", **keys}
        return ",".join([f"ssh:{names}", *(f"{key}={value}" for key, value in keys.items())])

    def left(self, seconds: float = 30) -> list[str]:
        """What still runs on the hosts when what has been ended has had time to go."""
        end = time.monotonic() + seconds
        while (found := self.processes()) and time.monotonic() < end:
            time.sleep(0.05)
        return found

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
    hosts = without_servers(folder)
    try:
        with _subnet() as subnet:
            for number in range(1, count + 1):
                own = folder / f"local-host{number}"
                through = apart(local, own, ()) if local is not None and os.geteuid() == 0 else []
                through += last if number == count else ()
                address = f"{subnet}.{number}"
                hosts.start(address, free_port(address), through)
            yield hosts
    finally:
        hosts.stop()


def without_servers(folder: Path) -> Hosts:
    """A user's key, which every host will accept."""
    folder.mkdir(mode=0o700)
    _key(folder / "key")
    (folder / "authorized_keys").write_text((folder / "key.pub").read_text())
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # where a server that is root shuts itself in
    return Hosts(folder)


def _entry(name: str, address: str, port: int, folder: Path) -> str:
    return (
        f"Host {name}\n HostName {address}\n Port {port}\n IdentityFile {folder}/key\n IdentitiesOnly yes\n"
        f" User {getpass.getuser()}\n UserKnownHostsFile {folder}/known_hosts\n GlobalKnownHostsFile /dev/null\n"
    )


def _key(path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)


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
