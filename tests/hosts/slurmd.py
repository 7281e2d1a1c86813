"""A real Slurm of this machine's own packages: a controller and three nodes on loopback addresses, without services."""

import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

import psutil

from tests.hosts.apart import apart

PATH = f"{os.environ['PATH']}:/usr/sbin:/sbin"
NODES = ("n1", "n2", "n3")

CONF = """\
ClusterName=weft
SlurmctldHost={host}({subnet}.100)
SlurmctldPort={port}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={home}/munge/socket
CredType=cred/munge
StateSaveLocation={home}/state
SlurmdSpoolDir={home}/spool-%n
SlurmctldPidFile={home}/slurmctld.pid
SlurmdPidFile={home}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
MpiDefault=none
ReturnToService=2
KillWait=30
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
{nodes}
NodeName=gone NodeAddr={subnet}.99 CPUs=2 RealMemory=2000 State=DOWN Reason="disk is broken"
PartitionName=main Nodes=n[1-3] Default=YES MaxTime=60 State=UP
PartitionName=short Nodes=n[1-3] MaxTime=1 State=UP
PartitionName=broken Nodes=gone MaxTime=60 State=UP
"""


@dataclass
class Slurm:
    """A live Slurm; `environment` makes its clients those of this cluster."""

    home: Path
    number: int
    """Distinguishes the clusters of one machine: in addresses and ports."""
    daemons: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    @property
    def subnet(self) -> str:
        return f"127.89.{self.number}"

    @property
    def port(self) -> int:
        """The controller's; the nodes have the next ones, because each slurmd listens on all addresses."""
        return 20000 + 8 * self.number

    @property
    def environment(self) -> dict[str, str]:
        outside = {key: value for key, value in os.environ.items() if not key.startswith(("SLURM", "SBATCH"))}
        return {**outside, "PATH": PATH, "SLURM_CONF": str(self.home / "slurm.conf")}

    @property
    def local(self) -> Path:
        """A directory that each node has for itself, and the login node too."""
        return self.home / "local"

    def own(self, name: str) -> Path:
        """The same of a node, as it is seen from outside."""
        return self.home / f"local-{name}"

    def __call__(self, *words: str, check: bool = True) -> str:
        """What a command of Slurm prints."""
        done = subprocess.run(
            words, env=self.environment, capture_output=True, text=True, check=False, timeout=60
        )
        assert not check or done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def jobs(self) -> list[str]:
        """Numbers of the jobs that are queued or running."""
        return self("squeue", "--noheader", "--format=%A").split()

    @contextmanager
    def allocated(self, nodes: int) -> Iterator[int]:
        """A job around this process, as in the shell of `salloc`."""
        self("salloc", f"--nodes={nodes}", "--exclusive", "--no-shell", "--quiet")
        (number,) = self.jobs()
        variables = {
            **self.environment,
            "SLURM_JOB_ID": number,
            "SLURM_JOB_NODELIST": self("squeue", "--noheader", "--format=%N").strip(),
            "SLURM_JOB_CPUS_PER_NODE": f"2(x{nodes})",
        }
        try:
            with patch.dict(os.environ, variables):
                yield int(number)
        finally:
            self("scancel", number)

    def start(self, name: str, *words: str) -> None:
        with (self.home / f"{name}.log").open("ab") as log:
            self.daemons[name] = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", "--", *words],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self.environment,
            )

    def stop(self) -> None:
        for process in reversed(self.daemons.values()):
            process.terminate()
        for process in reversed(self.daemons.values()):
            try:
                process.wait(3)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        # a step that has just ended asks its controller for hours; its title lies over its first variables
        own = f"SLURM_CONF={self.environment['SLURM_CONF']}\0".encode()
        for step in psutil.process_iter():
            with suppress(psutil.Error, OSError):
                if step.name() == "slurmstepd" and own in Path(f"/proc/{step.pid}/environ").read_bytes():
                    step.kill()

    def wait_until_idle(self, seconds: float = 60) -> None:
        """Until no job is left and each node is idle."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            states = self("sinfo", "--noheader", "--format=%T", "--nodes=n[1-3]", "--Node", check=False)
            if set(states.split()) == {"idle"} and not self.jobs():
                return
            time.sleep(0.1)
        raise AssertionError(f"Slurm is not idle: {self('sinfo', '-Nl')}\n{self('squeue')}\n{self.logs()}")

    def logs(self) -> str:
        return "\n".join(f"{path.name}\n{path.read_text()[-2000:]}" for path in self.home.glob("*.log"))


@contextmanager
def slurm(home: Path) -> Iterator[Slurm]:
    """A Slurm in a directory of its own for the length of a `with`."""
    with ExitStack() as live:
        cluster = Slurm(home, live.enter_context(_number()))
        live.callback(cluster.stop)
        _write(cluster)
        munge = home / "munge"
        cluster.start("munged", "munged", "--foreground", "--force", f"--socket={munge}/socket",
                      f"--key-file={munge}/key", f"--pid-file={munge}/pid", f"--log-file={munge}/log",
                      f"--seed-file={munge}/seed")  # fmt: skip
        _wait_for(munge / "socket")
        conf = str(home / "slurm.conf")
        cluster.start("slurmctld", "slurmctld", "-D", "-f", conf)
        for name in NODES:
            daemon = ["slurmd", "-D", "-N", name, "-f", conf]
            cluster.start(name, *apart(cluster.local, cluster.own(name), daemon))
        cluster.wait_until_idle()
        yield cluster


def _write(cluster: Slurm) -> None:
    for folder in ("munge", "state", *(f"spool-{name}" for name in NODES)):
        (cluster.home / folder).mkdir(parents=True)
    (cluster.home / "munge").chmod(0o711)
    key = cluster.home / "munge" / "key"
    key.write_bytes(secrets.token_bytes(1024))
    key.chmod(0o400)
    host = socket.gethostname()
    lines = [
        f"NodeName={name} NodeHostname={host} NodeAddr={cluster.subnet}.{index} "
        f"Port={cluster.port + index} CPUs=2 RealMemory=5000 State=UNKNOWN"
        for index, name in enumerate(NODES, start=1)
    ]
    text = CONF.format(
        host=host, subnet=cluster.subnet, port=cluster.port, home=cluster.home, nodes="\n".join(lines)
    )
    (cluster.home / "slurm.conf").write_text(text)


def _wait_for(path: Path) -> None:
    end = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < end, f"{path} did not appear"
        time.sleep(0.05)


@contextmanager
def _number() -> Iterator[int]:
    """A number that no other test session of this machine has."""
    for number in range(1, 255):
        with socket.socket(socket.AF_UNIX) as lock:
            try:
                lock.bind(f"\0weft-test-127.89.{number}")
            except OSError:
                continue
            yield number
            return
    raise AssertionError("254 of them run already")


def main(words: Sequence[str]) -> None:
    """By hand: a shell inside a Slurm, or a command. `python -m tests.hosts.slurmd DIR [COMMAND...]`."""
    with slurm(Path(words[0])) as cluster:
        subprocess.run(list(words[1:]) or ["bash"], env=cluster.environment, check=False)


if __name__ == "__main__":
    main(sys.argv[1:])
