"""A real Grid Engine of this machine's own packages: a master, where users log in, and hosts, each in namespaces of its own.

Grid Engine knows a host by the name of its address, and gives all of them one port: so each has its own network and name.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.needs import SEARCHED

INSTALLED = Path("/var/lib/gridengine")
PROGRAMS = Path("/usr/lib/gridengine")
RESOURCES = Path("/usr/share/gridengine")
MASTER = "gehead"
HOSTS = ("ge1", "ge2")
LOGIN = "10.72.0.1"

BOOTSTRAP = """\
admin_user              none
default_domain          none
ignore_fqdn             true
spooling_method         berkeleydb
spooling_lib            libspoolb
spooling_params         {home}/spool/db
binary_path             /usr/sbin
qmaster_spool_dir       {home}/spool/master
security_mode           none
listener_threads        2
worker_threads          2
scheduler_threads       1
"""

CHANGED = {
    "execd_spool_dir": "{home}/spool/execd",
    "min_uid": "0",
    "min_gid": "0",
    "load_report_time": "00:00:03",
    "loglevel": "log_info",
    "reporting_params": "accounting=true reporting=false flush_time=00:00:00 joblog=false sharelog=00:00:00",
}
"""Keys of Debian's configuration that are others here: its directory, jobs of root, and shorter times."""

PARALLEL = """\
pe_name            {name}
slots              999
user_lists         NONE
xuser_lists        NONE
start_proc_args    NONE
stop_proc_args     NONE
allocation_rule    {rule}
control_slaves     {controlled}
job_is_first_task  FALSE
urgency_slots      min
accounting_summary FALSE
qsort_args         NONE
"""

CHANGED_QUEUE = {"hostlist": " ".join(HOSTS), "slots": "2", "pe_list": "whole pair loose", "notify": "00:00:08",
                 "load_thresholds": "NONE", "shell": "/bin/sh"}  # fmt: skip


@dataclass
class GridEngine:
    """A live Grid Engine; `on` starts commands on its hosts, such as the one where users log in."""

    home: Path
    holders: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)
    daemons: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "PATH": SEARCHED,
            "SGE_ROOT": str(self.home / "sge"),
            "SGE_CELL": "default",
            "SGE_QMASTER_PORT": "6444",
            "SGE_EXECD_PORT": "6445",
        }

    @property
    def local(self) -> Path:
        """A directory that each host has for itself, the login node too."""
        return self.home / "local"

    def own(self, name: str) -> Path:
        """The same of a host, as it is seen from outside."""
        return self.home / f"local-{name}"

    def on(self, name: str = MASTER) -> list[str]:
        """Arguments before a command that make it run on a host."""
        return [
            "nsenter",
            "--target",
            str(self.holders[name].pid),
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

    def jobs(self) -> list[str]:
        """Numbers of the jobs that are queued or running."""
        return [line.split()[0] for line in self("qstat", "-u", "*").splitlines()[2:]]

    def hold(self, name: str) -> None:
        """The namespaces of a host, for as long as this process lives."""
        own = self.own(name)
        for path in (own, self.local):
            path.mkdir(mode=0o700, exist_ok=True)
        text = (
            f"hostname {name}; mount --bind {self.home}/hosts /etc/hosts; mount --bind {own} {self.local};"
            "ip link set lo up; echo there; exec sleep infinity"
        )
        holder = subprocess.Popen(
            ["unshare", "--mount", "--net", "--uts", "--propagation", "private", "--",
             "setpriv", "--pdeathsig", "KILL", "sh", "-ec", text],
            stdout=subprocess.PIPE,
        )  # fmt: skip
        self.holders[name] = holder
        assert holder.stdout is not None
        with holder.stdout as printed:
            assert printed.readline() == b"there\n"

    def start(self, name: str, program: str) -> None:
        """A daemon on a host, which stays in the foreground."""
        with (self.home / f"{name}.log").open("ab") as log:
            self.daemons.append(
                subprocess.Popen(
                    [*self.on(name), "setpriv", "--pdeathsig", "TERM", program],
                    env={**self.environment, "SGE_ND": "true"},
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
        while self.jobs():
            assert time.monotonic() < end, f"{self('qstat', '-f')}\n{self.logs()}"
            time.sleep(0.2)

    def logs(self) -> str:
        found = [
            *self.home.glob("*.log"),
            *self.home.glob("spool/*/messages"),
            *self.home.glob("spool/*/*/messages"),
        ]
        return "\n".join(f"{path}\n{path.read_text()[-2000:]}" for path in found)


@contextmanager
def grid_engine(home: Path) -> Iterator[GridEngine]:
    """A Grid Engine in a directory of its own for the length of a `with`."""
    cluster = GridEngine(home)
    with ExitStack() as live:
        live.callback(cluster.stop)
        _write(cluster)
        for name in (MASTER, *HOSTS):
            cluster.hold(name)
        _connect(cluster)
        for program, *words in _spooled(home):
            cluster(str(PROGRAMS / program), *words)
        cluster.start(MASTER, "sge_qmaster")
        cluster.wait_until("global", "qconf", "-sconf")
        for name in (MASTER, *HOSTS):
            cluster("qconf", "-ah", name, check=False)
            cluster("qconf", "-as", name, check=False)
        for name in HOSTS:
            cluster.start(name, "sge_execd")
        for name in HOSTS:
            cluster.wait_until(name, "qconf", "-sel")
        _configured(cluster)
        for name in HOSTS:
            cluster.wait_until(f"main.q@{name}", "qstat", "-f")
        yield cluster


def _write(cluster: GridEngine) -> None:
    home = cluster.home
    common = home / "sge" / "default" / "common"
    for folder in (common, home / "spool" / "db", home / "spool" / "master", home / "spool" / "execd"):
        folder.mkdir(parents=True, exist_ok=True)
    for name in ("bin", "lib", "util", "utilbin"):
        (home / "sge" / name).symlink_to(INSTALLED / name)
    (common / "act_qmaster").write_text(f"{MASTER}\n")
    (common / "bootstrap").write_text(BOOTSTRAP.format(home=home))
    rows = [f"10.72.{number}.2 {name}" for number, name in enumerate(HOSTS, start=1)]
    (home / "hosts").write_text("\n".join(["127.0.0.1 localhost", f"{LOGIN} {MASTER}", *rows, ""]))
    (home / "configuration").write_text(
        _changed((RESOURCES / "default-configuration").read_text(),
                 {key: value.format(home=home) for key, value in CHANGED.items()})
    )  # fmt: skip


def _changed(text: str, values: dict[str, str]) -> str:
    """Lines of a key and its value, with other values."""
    lines = [line.split(None, 1) for line in text.replace("\\\n", "").splitlines() if line and line[0] != "#"]
    return "".join(f"{key} {values.get(key, ' '.join(rest))}\n" for key, *rest in lines)


def _connect(cluster: GridEngine) -> None:
    """A link from the login node to each host, by which the hosts reach each other too."""
    head = cluster.on()
    _shell(head, f"echo 1 > /proc/sys/net/ipv4/ip_forward; ip addr add {LOGIN}/32 dev lo")
    for number, name in enumerate(HOSTS, start=1):
        link, there = f"up{number}", f"10.72.{number}"
        _shell(
            head,
            f"ip link add {link} type veth peer name eth0 netns {cluster.holders[name].pid};"
            f"ip addr add {there}.1/24 dev {link}; ip link set {link} up",
        )
        _shell(
            cluster.on(name),
            f"ip addr add {there}.2/24 dev eth0; ip link set eth0 up; ip route add default via {there}.1",
        )
        _shell(head, f"ip route replace {there}.0/24 dev {link} src {LOGIN}")


def _spooled(home: Path) -> Iterator[Sequence[str]]:
    """Programs that make an empty cell."""
    yield "spoolinit", "berkeleydb", "libspoolb", str(home / "spool" / "db"), "init"
    yield "spooldefaults", "configuration", str(home / "configuration")
    for what, folder in (("complexes", "centry"), ("usersets", "usersets")):
        yield "spooldefaults", what, str(RESOURCES / "util" / "resources" / folder)
    yield "spooldefaults", "managers", "root"


def _configured(cluster: GridEngine) -> None:
    """A queue on both hosts, and three parallel environments: by host, by pairs of slots, without qrsh -inherit."""
    for name, rule, controlled in (("whole", "1", "TRUE"), ("pair", "2", "TRUE"), ("loose", "1", "FALSE")):
        path = cluster.home / f"pe-{name}"
        path.write_text(PARALLEL.format(name=name, rule=rule, controlled=controlled))
        cluster("qconf", "-Ap", str(path))
    sample = cluster("qconf", "-sq")
    queue = cluster.home / "queue"
    own = {"qname": "main.q", "tmpdir": str(cluster.local)}
    queue.write_text(_changed(sample, {**own, **CHANGED_QUEUE}))
    cluster("qconf", "-Aq", str(queue))
    scheduler = cluster.home / "scheduler"
    scheduler.write_text(
        _changed(cluster("qconf", "-ssconf"),
                 {"schedule_interval": "0:0:1", "flush_submit_sec": "1", "flush_finish_sec": "1"})
    )  # fmt: skip
    cluster("qconf", "-Msconf", str(scheduler))


def _shell(before: Sequence[str], text: str) -> None:
    subprocess.run([*before, "sh", "-ec", text], check=True)


def main(words: Sequence[str]) -> None:
    """By hand: a shell on the login node, or a command. `python -m tests.hosts.gridengined DIR [COMMAND...]`."""
    with grid_engine(Path(words[0])) as cluster:
        subprocess.run([*cluster.on(), *(words[1:] or ["bash"])], env=cluster.environment, check=False)


if __name__ == "__main__":
    main(sys.argv[1:])
