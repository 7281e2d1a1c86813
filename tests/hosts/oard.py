"""A real OAR of this machine's own packages: a server, where users log in, and hosts, each in namespaces of its own.

OAR's programs read /etc/oar and /var/lib/oar only, so each host has its own mounted there.
"""

import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import ClassVar

from tests.hosts.lan import Lan

SERVER = "oarhead"
HOSTS = ("oar1", "oar2")
CORES = 2
STATE, SETTINGS, LOG = Path("/var/lib/oar"), Path("/etc/oar"), Path("/var/log/oar.log")
DATABASE = Path("/var/lib/postgresql")
PACKAGED = Path("/usr/share/oar")

CHANGED = {
    "DB_HOSTNAME": "{login}",
    "DB_BASE_PASSWD": "{password}",
    "DB_BASE_PASSWD_RO": "{reading}",
    "SERVER_HOSTNAME": SERVER,
    "LOG_LEVEL": "3",
    "SCHEDULER_MIN_TIME_BETWEEN_2_CALLS": "1",
    "SCHEDULER_JOB_SECURITY_TIME": "1",
    "SCHEDULER_GANTT_HOLE_MINIMUM_TIME": "1",
    "JOB_RESOURCE_MANAGER_FILE": "/etc/oar/job_resource_manager.pl",
    "OPENSSH_CMD": "/usr/bin/ssh -p 6667 -e none -o BatchMode=yes -o StrictHostKeyChecking=yes",
}
"""Keys of Debian's configuration that are others here: addresses, passwords, and shorter times."""

LEFT_OUT = ("CPUSET_PATH",)
"""With it OAR would make one cgroup a job and host, but hosts here have those of one machine; and empty /tmp of its user's files."""

DAEMON = """\
ListenAddress {address}
Port 6667
HostKey /etc/oar/oar_ssh_host_rsa_key
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin no
StrictModes yes
MaxStartups 1024
AcceptEnv OAR_CPUSET OAR_USER_CPUSET OAR_USER_GPUDEVICE OAR_JOB_USER
PermitUserEnvironment yes
AllowUsers oar
PidFile none
"""


class Oar(Lan):
    """A live OAR; `on` starts commands on its hosts, such as the one where users log in."""

    net: ClassVar[str] = "10.73"
    head: ClassVar[str] = SERVER
    hosts: ClassVar[Sequence[str]] = HOSTS

    def jobs(self) -> list[str]:
        rows = (line.split() for line in self("oarstat").splitlines())
        return [row[0] for row in rows if row[:1] and row[0].isdigit()]

    def mounts(self, name: str) -> Iterable[str]:
        yield "mount -t tmpfs -o mode=755 own /run"
        yield "mkdir -p /run/sshd /run/postgresql"
        yield "chown postgres /run/postgresql"
        yield f"mount --bind {self.home}/settings-{name} {SETTINGS}"
        yield f"mount --bind {self.home}/state-{name} {STATE}"
        yield f"mount --bind {self.home}/oar-{name}.log {LOG}"
        if name == SERVER:
            yield f"mount --bind {self.home}/database {DATABASE}"

    def sql(self, text: str) -> str:
        """What the database answers to its administrator."""
        return self(
            *_AS_POSTGRES, "psql", "--no-psqlrc", "-v", "ON_ERROR_STOP=1", "-Atq", "oar", entered=text
        )


_AS_POSTGRES = ("setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "env", "-C", "/")


_SERVED = "trap 'kill \"$child\"' TERM; /usr/sbin/Almighty & child=$!; wait; wait"
"""The server, as a child of what ends with this process: a program that changes its user does not."""


@contextmanager
def oar(home: Path) -> Iterator[Oar]:
    """An OAR in a directory of its own for the length of a `with`."""
    cluster = Oar(home)
    with ExitStack() as live:
        live.callback(cluster.stop)
        _write(cluster)
        cluster.begin()
        _database(cluster)
        for name in HOSTS:
            cluster.start(name, "/usr/sbin/sshd", "-D", "-e", "-f", str(SETTINGS / "sshd_config"))
        cluster.start(SERVER, "sh", "-c", _SERVED)
        _configured(cluster)
        for name in HOSTS:
            cluster.wait_until("Alive", "oarnodes", "-s", name)
        yield cluster


def _write(cluster: Oar) -> None:
    """Settings and state of each host: its keys, and the addresses and keys of the others."""
    home = cluster.home
    values = {
        "login": cluster.login,
        "password": secrets.token_hex(16),
        "reading": secrets.token_hex(16),
    }
    settings = _changed(
        (PACKAGED / "oar-common" / "oar.conf").read_text(),
        {key: value.format(**values) for key, value in CHANGED.items()},
    )
    keys = home / "keys"
    keys.mkdir(mode=0o700)
    for name in ("user", "host"):
        _run("ssh-keygen", "-q", "-t", "rsa", "-N", "", "-C", name, "-f", str(keys / name))
    known = (keys / "host.pub").read_text().split()[:2]
    hosts = "\n".join(
        f"[{name}]:6667,[{address}]:6667 {' '.join(known)}" for name, address in cluster.addresses.items()
    )
    for name, address in cluster.addresses.items():
        folder, state = home / f"settings-{name}", home / f"state-{name}"
        shutil.copytree(SETTINGS, folder)
        _owned(folder / "oar.conf", settings)
        (folder / "sshd_config").write_text(DAEMON.format(address=address))
        shutil.copy(keys / "host", folder / "oar_ssh_host_rsa_key")
        shutil.copy(keys / "host.pub", folder / "oar_ssh_host_rsa_key.pub")
        (state / ".ssh").mkdir(parents=True)
        _owned(state / ".ssh" / "id_rsa", (keys / "user").read_text())
        _owned(
            state / ".ssh" / "authorized_keys", f'environment="OAR_KEY=1" {(keys / "user.pub").read_text()}'
        )
        _owned(state / ".ssh" / "known_hosts", f"{hosts}\n")
        _owned(home / f"oar-{name}.log", "")
        for path in (state / ".ssh", state):
            shutil.chown(path, "oar", "oar")
    database = home / "database"
    database.mkdir(mode=0o700)
    shutil.chown(database, "postgres", "postgres")


def _owned(path: Path, text: str) -> None:
    """A file of OAR's own user, which nobody else reads."""
    path.touch(mode=0o600)
    path.write_text(text)
    shutil.chown(path, "oar", "oar")


def _changed(text: str, values: dict[str, str]) -> str:
    """Lines `KEY="value"` with other values; those of LEFT_OUT are left out."""
    lines = (line for line in text.splitlines() if line and line[0] != "#")
    kept = [line for line in lines if line.partition("=")[0] not in values and not line.startswith(LEFT_OUT)]
    return "\n".join([*kept, *(f'{key}="{value}"' for key, value in values.items()), ""])


def _database(cluster: Oar) -> None:
    """A PostgreSQL on the server, with OAR's empty tables."""
    (programs,) = Path("/usr/lib/postgresql").glob("*/bin")
    data = str(DATABASE / "data")
    cluster(*_AS_POSTGRES, str(programs / "initdb"), "--no-sync", "-A", "scram-sha-256", "--auth-local=peer", "-D", data,
            "--no-instructions", "-E", "SQL_ASCII", "--locale=C")  # fmt: skip
    rules = f"host oar all {cluster.net}.0.0/16 scram-sha-256\n"
    with (cluster.home / "database" / "data" / "pg_hba.conf").open("a") as file:
        file.write(rules)
    options = {
        "listen_addresses": cluster.login,
        "unix_socket_directories": "/run/postgresql",
        "fsync": "off",
    }
    words = [word for key, value in options.items() for word in ("-c", f"{key}={value}")]
    cluster.start(SERVER, *_AS_POSTGRES, str(programs / "postgres"), "-D", data, *words)
    cluster.wait_until("accepting", str(programs / "pg_isready"), "-h", "/run/postgresql")
    cluster("oar-database", "--create", "--db-is-local", "--force-yes", f"--conf={SETTINGS}/oar.conf")


def _configured(cluster: Oar) -> None:
    """Root may submit, as it is the user of these tests, and two hosts have cores."""
    cluster.sql("DELETE FROM admission_rules WHERE rule LIKE '%root and oar users are not allowed%'")
    cluster("oarproperty", "-a", "core")
    for number, name in enumerate(HOSTS):
        for core in range(CORES):
            cluster("oarnodesetting", "-a", "-h", name, "-p", f"core={number * CORES + core + 1}")


def _run(*words: str) -> None:
    subprocess.run(words, check=True)


def main(words: Sequence[str]) -> None:
    """By hand: a shell on the login node, or a command. `python -m tests.hosts.oard DIR [COMMAND...]`."""
    with oar(Path(words[0])) as cluster:
        subprocess.run([*cluster.on(), *(words[1:] or ["bash"])], env=cluster.environment, check=False)


if __name__ == "__main__":
    main(sys.argv[1:])
