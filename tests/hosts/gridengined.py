"""A real Grid Engine of this machine's own packages: a master, where users log in, and hosts, each in namespaces of its own.

Grid Engine knows a host by the name of its address, and gives all of them one port: so each has its own network and name.
"""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import ClassVar

from tests.hosts.lan import Lan

INSTALLED = Path("/var/lib/gridengine")
PROGRAMS = Path("/usr/lib/gridengine")
RESOURCES = Path("/usr/share/gridengine")
MASTER = "gehead"
HOSTS = ("ge1", "ge2")

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


class GridEngine(Lan):
    """A live Grid Engine; `on` starts commands on its hosts, such as the one where users log in."""

    net: ClassVar[str] = "10.72"
    head: ClassVar[str] = MASTER
    hosts: ClassVar[Sequence[str]] = HOSTS

    @property
    def environment(self) -> dict[str, str]:
        return {
            **super().environment,
            "SGE_ROOT": str(self.home / "sge"),
            "SGE_CELL": "default",
            "SGE_QMASTER_PORT": "6444",
            "SGE_EXECD_PORT": "6445",
        }

    def jobs(self) -> list[str]:
        return [line.split()[0] for line in self("qstat", "-u", "*").splitlines()[2:]]

    def logged(self) -> list[Path]:
        spool = self.home / "spool"
        return [*super().logged(), *spool.glob("*/messages"), *spool.glob("*/*/messages")]


@contextmanager
def grid_engine(home: Path) -> Iterator[GridEngine]:
    """A Grid Engine in a directory of its own for the length of a `with`."""
    cluster = GridEngine(home)
    with ExitStack() as live:
        live.callback(cluster.stop)
        _write(cluster)
        cluster.begin()
        for program, *words in _spooled(home):
            cluster(str(PROGRAMS / program), *words)
        cluster.start(MASTER, "sge_qmaster", SGE_ND="true")
        cluster.wait_until("global", "qconf", "-sconf")
        for name in (MASTER, *HOSTS):
            cluster("qconf", "-ah", name, check=False)
            cluster("qconf", "-as", name, check=False)
        for name in HOSTS:
            cluster.start(name, "sge_execd", SGE_ND="true")
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
    (home / "configuration").write_text(
        _changed((RESOURCES / "default-configuration").read_text(),
                 {key: value.format(home=home) for key, value in CHANGED.items()})
    )  # fmt: skip


def _changed(text: str, values: dict[str, str]) -> str:
    """Lines of a key and its value, with other values."""
    lines = [line.split(None, 1) for line in text.replace("\\\n", "").splitlines() if line and line[0] != "#"]
    return "".join(f"{key} {values.get(key, ' '.join(rest))}\n" for key, *rest in lines)


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


def main(words: Sequence[str]) -> None:
    """By hand: a shell on the login node, or a command. `python -m tests.hosts.gridengined DIR [COMMAND...]`."""
    with grid_engine(Path(words[0])) as cluster:
        subprocess.run([*cluster.on(), *(words[1:] or ["bash"])], env=cluster.environment, check=False)


if __name__ == "__main__":
    main(sys.argv[1:])
