"""A network of hosts on this machine: a login node and compute nodes, each in namespaces of its own."""

import os
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from tests.needs import SEARCHED


@dataclass
class Lan(ABC):
    """Hosts at NET.N.2, and the login node at NET.0.1, which routes between them. `on` starts commands on one."""

    home: Path
    holders: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)
    daemons: list["subprocess.Popen[bytes]"] = field(default_factory=list)
    net: ClassVar[str]
    """The first two bytes of each address."""
    head: ClassVar[str]
    hosts: ClassVar[Sequence[str]]

    @property
    def environment(self) -> dict[str, str]:
        """Of commands there."""
        return {**os.environ, "PATH": SEARCHED}

    @property
    def login(self) -> str:
        """The login node's address."""
        return f"{self.net}.0.1"

    @property
    def addresses(self) -> dict[str, str]:
        """By host."""
        rows = {name: f"{self.net}.{number}.2" for number, name in enumerate(self.hosts, start=1)}
        return {self.head: self.login, **rows}

    @property
    def local(self) -> Path:
        """A directory that each host has for itself, the login node too."""
        return self.home / "local"

    def own(self, name: str) -> Path:
        """The same of a host, as it is seen from outside."""
        return self.home / f"local-{name}"

    def on(self, name: str = "") -> list[str]:
        """Arguments before a command that make it run on a host; without a name on the login node."""
        return [
            "nsenter",
            "--target",
            str(self.holders[name or self.head].pid),
            "--net",
            "--mount",
            "--uts",
            "--wd=.",
            "--",
        ]

    def __call__(self, *words: str, check: bool = True, entered: str = "") -> str:
        """What a command prints on the login node."""
        done = subprocess.run(
            [*self.on(), *words], env=self.environment, input=entered, capture_output=True, text=True, check=False,
            timeout=60,
        )  # fmt: skip
        assert not check or done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}\n{self.logs()}"
        return done.stdout

    @abstractmethod
    def jobs(self) -> list[str]:
        """Numbers of the jobs that are queued or running."""

    def mounts(self, name: str) -> Iterable[str]:
        """Commands that mount what a host has for itself, besides its own directory and /etc/hosts."""
        return ()

    def begin(self) -> None:
        """All hosts, and links between them."""
        rows = [f"{address} {name}" for name, address in self.addresses.items()]
        (self.home / "hosts").write_text("\n".join(["127.0.0.1 localhost", *rows, ""]))
        for name in self.addresses:
            self._hold(name)
        self._connect()

    def _hold(self, name: str) -> None:
        """The namespaces of a host, for as long as this process lives."""
        own = self.own(name)
        for path in (own, self.local):
            path.mkdir(mode=0o700, exist_ok=True)
        lines = [
            f"hostname {name}",
            f"mount --bind {self.home}/hosts /etc/hosts",
            f"mount --bind {own} {self.local}",
            *self.mounts(name),
            "ip link set lo up",
            "echo there",
            "exec sleep infinity",
        ]
        holder = subprocess.Popen(
            ["unshare", "--mount", "--net", "--uts", "--propagation", "private", "--",
             "setpriv", "--pdeathsig", "KILL", "sh", "-ec", "; ".join(lines)],
            stdout=subprocess.PIPE,
        )  # fmt: skip
        self.holders[name] = holder
        assert holder.stdout is not None
        with holder.stdout as printed:
            assert printed.readline() == b"there\n"

    def _connect(self) -> None:
        """A link from the login node to each host, by which the hosts reach each other too."""
        head = self.on()
        _shell(head, f"echo 1 > /proc/sys/net/ipv4/ip_forward; ip addr add {self.login}/32 dev lo")
        for number, name in enumerate(self.hosts, start=1):
            link, there = f"up{number}", f"{self.net}.{number}"
            _shell(
                head,
                f"ip link add {link} type veth peer name eth0 netns {self.holders[name].pid};"
                f"ip addr add {there}.1/24 dev {link}; ip link set {link} up",
            )
            _shell(
                self.on(name),
                f"ip addr add {there}.2/24 dev eth0; ip link set eth0 up; ip route add default via {there}.1",
            )
            _shell(head, f"ip route replace {there}.0/24 dev {link} src {self.login}")

    def start(self, name: str, *program: str, **environment: str) -> None:
        """A daemon on a host, which stays in the foreground."""
        with (self.home / f"{name}.log").open("ab") as log:
            self.daemons.append(
                subprocess.Popen(
                    [*self.on(name), "setpriv", "--pdeathsig", "TERM", *program],
                    env={**self.environment, **environment},
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                )
            )

    def stop(self) -> None:
        for process in [*reversed(self.daemons), *self.holders.values()]:
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def wait_until(self, text: str, *words: str, seconds: float = 60) -> None:
        """Until a command on the login node prints a text."""
        end = time.monotonic() + seconds
        while text not in (printed := self(*words, check=False)):
            assert time.monotonic() < end, f"{words} printed {printed}\n{self.logs()}"
            time.sleep(0.2)

    def wait_until_idle(self, seconds: float = 90) -> None:
        """Until no job is left."""
        end = time.monotonic() + seconds
        while found := self.jobs():
            assert time.monotonic() < end, f"{found}\n{self.logs()}"
            time.sleep(0.2)

    def logs(self) -> str:
        """The ends of the daemons' logs."""
        return "\n".join(f"{path}\n{path.read_text()[-2000:]}" for path in self.logged())

    def logged(self) -> list[Path]:
        """The daemons' logs."""
        return [*self.home.glob("*.log")]


def _shell(before: Sequence[str], text: str) -> None:
    subprocess.run([*before, "sh", "-ec", text], check=True)
