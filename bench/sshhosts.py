"""Addresses of real ssh servers on this machine, as many hosts for weft."""

import getpass
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

PORT = 22064
_OF_A_SERVER = 16
"""Addresses that one sshd listens on at most."""
_SERVER = """\
HostKey {folder}/server
AuthorizedKeysFile {folder}/key.pub
PidFile none
UsePAM no
PasswordAuthentication no
StrictModes no
MaxStartups 200
SetEnv SHLVL=9
"""
# all hosts are this machine, whose cores would read its user's ~/.bashrc each time; a bash deeper than a login shell reads none
_CLIENT = """\
Host host*
 Port {port}
 User {user}
 IdentityFile {folder}/key
 IdentitiesOnly yes
 UserKnownHostsFile {folder}/known_hosts
 GlobalKnownHostsFile /dev/null
"""
_LIMIT = 60
"""Seconds until the servers listen."""


@contextmanager
def hosts(count: int, folder: Path) -> Iterator[Path]:
    """The configuration of a client that knows them as host1, host2, ...; the servers end with the block."""
    sshd = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
    if not sshd:
        sys.exit("apt-get install openssh-server")
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    for name in ("key", "server"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    addresses = [f"127.90.{number // 250}.{number % 250 + 1}" for number in range(count)]
    public = " ".join((folder / "server.pub").read_text().split()[:2])
    (folder / "known_hosts").write_text(f"[127.90.*]:{PORT} {public}\n")
    config = folder / "ssh_config"
    config.write_text(
        "".join(f"Host host{number}\n HostName {at}\n" for number, at in enumerate(addresses, 1))
        + _CLIENT.format(port=PORT, user=getpass.getuser(), folder=folder)
    )
    with ExitStack() as servers:
        for first in range(0, count, _OF_A_SERVER):
            _serve(sshd, folder, addresses[first : first + _OF_A_SERVER], servers)
        yield config


def _serve(sshd: str, folder: Path, addresses: list[str], servers: ExitStack) -> None:
    own = folder / f"sshd_config.{addresses[0]}"
    listen = "".join(f"ListenAddress {address}:{PORT}\n" for address in addresses)
    own.write_text(listen + _SERVER.format(folder=folder))
    log = folder / f"log.{addresses[0]}"
    with log.open("wb") as file:
        server = subprocess.Popen([sshd, "-D", "-e", "-f", own], stderr=file)
    servers.callback(server.wait)
    servers.callback(server.kill)
    end = time.monotonic() + _LIMIT
    while log.read_text().count("Server listening on") < len(addresses):
        if server.poll() is not None or time.monotonic() > end:
            sys.exit(f"sshd does not listen: {log.read_text()}")
        time.sleep(0.05)
