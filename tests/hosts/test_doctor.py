"""`weft doctor` on other hosts, with faults made on one of them: it has mounts, a name and limits of its own."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.conftest import SiteWeft
from tests.hosts.networks import routed
from tests.hosts.sshd import running
from tests.local.conftest import Weft
from tests.needs import DELAYED, NAMESPACES, ROOT, SSH, VIRTUAL, needs
from weft.host import settings
from weft.host.provision import jdk, native

FAULTS = """
set -e
mount --make-rprivate /
hostname weft-elsewhere
mount --bind "$1/hosts" /etc/hosts
mount --bind "$1/java" "$2"
mount -t tmpfs -o size=8m none "$3"
mount --bind "$4" "$4"
mount -o remount,bind,noexec "$4"
for device in /dev/fuse /dev/loop-control; do
    [ ! -e "$device" ] || { mount --bind "$device" "$device"; mount -o remount,bind,nodev "$device"; }
done
clock="$1/clock.so"
shift 4
ulimit -n 512
ulimit -p 900
exec "$@" -o "SetEnv=SHLVL=9 LD_PRELOAD=$clock"
"""
"""Of the last host: its name, its Java, its directories, its devices, its limits, its clock."""

LOCKS = """
set -e
mount --make-rprivate /
mount -t tmpfs none "$4"
setpriv --pdeathsig KILL "$1" --source "$2" --profile zero --mountpoint "all=$2" --stats-dir "$3" >&2 &
until grep -q " $2 fuse" /proc/self/mounts; do sleep 0.02; done
shift 4
exec "$@"
"""
"""The last host sees the shared directory through a mount that keeps locks to itself, and has its own in memory."""

READ_ONLY = """
set -e
mount --make-rprivate /
mount --bind "$1" "$1"
mount -o remount,bind,ro "$1"
shift
exec "$@"
"""


def findings(text: str) -> dict[str, dict[str, Any]]:
    return {found["name"]: found for found in json.loads(text)}


def compiled(name: str, folder: Path) -> Path:
    """A library of this folder's to preload."""
    library = folder / f"{name}.so"
    source = Path(__file__).with_name(f"{name}.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"], check=True)
    return library


def require(found: dict[str, dict[str, Any]], expected: dict[str, tuple[str, str]]) -> None:
    """Each fault by its check: how bad it is, and words about the host that has it."""
    for name, (status, words) in expected.items():
        assert found[name]["status"] == status, found[name]
        assert words in found[name]["found"]
        assert found[name]["costs"]
        assert found[name]["fix"]


@needs(ROOT, *SSH, "cc", "unshare", NAMESPACES)
def test_each_fault_of_a_host_is_named_with_its_fix(tmp_path: Path) -> None:
    weft, made = Weft(tmp_path), tmp_path / "made"
    made.mkdir()
    (made / "hosts").write_text("127.0.0.1 localhost\n192.0.2.9 weft-elsewhere\n")
    (made / "java").write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
    (made / "java").chmod(0o755)
    compiled("clock", made)
    runs = Path(weft.environment["WEFT_RUNS"])
    runs.mkdir(parents=True, exist_ok=True)
    paths = [made, jdk.java(), runs, settings.cache()]
    script = ["unshare", "--mount", "--uts", "sh", "-c", FAULTS, "sh", *map(str, paths)]
    with running(tmp_path / "hosts", 2, script) as hosts, socket.socket() as other:
        other.bind((hosts.addresses[1], 8081))
        other.listen()
        done = weft("doctor", "--json", "--nodes", hosts.nodes(memory="500M"))
        assert hosts.left() == []
    assert done.returncode == 1, done.stdout + done.stderr
    found = findings(done.stdout)
    require(found, {
        "host name": ("limits", "host2: its own name weft-elsewhere resolves to 192.0.2.9"),
        "engine ports": ("limits", f"host2: 8081 of spark's worker is in use by process {os.getpid()}"),
        "java": ("missing", "host2: Java 11, which is too old"),
        "clocks": ("limits", "host2: -35"),
        "fuse": ("limits", "host2: /dev/fuse: "),
        "loop mounts": ("limits", "host2: /dev/loop-control: "),
        "shared directory": ("missing", "host1: sees no files of host2; host2: sees no files of host1"),
        "local directory": ("limits", "host1: sees files of host2; host2: sees files of host1"),
        "room": ("limits", "host2: 8.39 MB free in the shared directory"),
        "programs": ("missing", f"host2: {settings.cache()} is mounted noexec"),
        "ulimit -n": ("limits", "host2: 512, can be raised to 512"),
        "ulimit -u": ("limits", "host2: 900"),
        "memory": ("missing", "host1: 524 MB for an engine; host2: 524 MB for an engine"),
    })  # fmt: skip
    assert {found[name]["status"] for name in ("nodes", "networks", "outgoing ports", "writing")} == {"ok"}
    assert list(runs.iterdir()) == []
    assert weft.leftovers() == []


@pytest.mark.long
@needs(ROOT, *SSH, *DELAYED, "unshare", NAMESPACES)
def test_locks_that_stay_in_a_host_are_reported_and_so_are_files_in_memory(tmp_path: Path) -> None:
    weft = Weft(tmp_path)
    runs, local, stats = (tmp_path / name for name in ("runs", "work", "stats"))
    for folder in (runs, local):
        folder.mkdir(mode=0o700)
    latencyfs = native.build(print) / "latencyfs"
    script = ["unshare", "--mount", "sh", "-c", LOCKS, "sh", *map(str, (latencyfs, runs, stats, local))]
    with running(tmp_path / "hosts", 2, script) as hosts:
        done = weft("doctor", "--json", "--nodes", hosts.nodes())
    found = findings(done.stdout)
    require(found, {
        "file locks": ("limits", "host2: obtained a lock that another host holds"),
        "files in memory": ("limits", "host2: on tmpfs"),
    })  # fmt: skip
    assert {found[name]["status"] for name in ("shared directory", "local directory")} == {"ok"}
    assert list(runs.iterdir()) == []
    assert weft.leftovers() == []


@needs(*SSH, "cc")
def test_a_host_without_locks_is_reported(tmp_path: Path) -> None:
    weft = Weft(tmp_path)
    options = f"SetEnv=SHLVL=9 LD_PRELOAD={compiled('locks', tmp_path)}"
    with running(tmp_path / "hosts", 2, ["sh", "-c", 'exec "$@" -o "$0"', options]) as hosts:
        done = weft("doctor", "--json", "--nodes", hosts.nodes())
    require(findings(done.stdout), {"file locks": ("limits", "host2: Function not implemented")})
    assert weft.leftovers() == []


@needs(ROOT, *SSH, "unshare", NAMESPACES)
@pytest.mark.parametrize(
    ("folder", "check", "fix"), [("runs", "writing", "WEFT_SHARED"), ("work", "nodes", "WEFT_WORK")]
)
def test_a_directory_that_cannot_be_written_is_reported(
    folder: str, check: str, fix: str, tmp_path: Path
) -> None:
    weft = Weft(tmp_path)
    (tmp_path / folder).mkdir(mode=0o700)
    script = ["unshare", "--mount", "sh", "-c", READ_ONLY, "sh", str(tmp_path / folder)]
    with running(tmp_path / "hosts", 2, script) as hosts:
        done = weft("doctor", "--json", "--nodes", hosts.nodes())
    found = findings(done.stdout)
    require(found, {check: ("missing", "Read-only file system")})
    assert found[check]["found"].startswith("host2: ")
    assert fix in found[check]["fix"]
    assert weft.leftovers() == []


@needs(*SSH, *VIRTUAL)
def test_networks_that_are_apart_are_reported(tmp_path: Path) -> None:
    weft = Weft(tmp_path)
    with routed(tmp_path / "hosts", 2) as networks:

        def doctor() -> dict[str, dict[str, Any]]:
            words = [sys.executable, "-m", "weft", "doctor", "--json", "--nodes", networks.hosts.nodes()]
            where: dict[str, Any] = {"env": weft.environment, "cwd": tmp_path}
            done = subprocess.run(
                [*networks.on_router(), *words], **where, stdout=subprocess.PIPE, check=False
            )
            return findings(done.stdout.decode())

        few = "echo 60000 60999 > /proc/sys/net/ipv4/ip_local_port_range"
        subprocess.run([*networks.on_host(2), "sh", "-c", few], check=True)
        require(doctor(), {
            "networks": ("limits", "host1 in 10.71.1.0/24, host2 in 10.71.2.0/24"),
            "outgoing ports": ("limits", "host2: 60000 to 60999"),
        })  # fmt: skip
        subprocess.run(
            [*networks.on_host(1), "ip", "route", "add", "unreachable", "10.71.2.0/24"], check=True
        )
        require(doctor(), {"nodes": ("missing", "host1 cannot reach host2 at 10.71.2.2 (fabric auto)")})
        assert networks.hosts.left() == []
    assert weft.leftovers() == []


@needs(*SSH)
def test_names_that_lead_to_another_host_are_reported(tmp_path: Path) -> None:
    weft = Weft(tmp_path)
    with running(tmp_path / "hosts", 2) as hosts:
        second = hosts.config.read_text().partition("Host host2\n")[2]
        port = second.split("Port ")[1].split()[0]
        forward = f"exec 3<>/dev/tcp/{hosts.addresses[1]}/{port}; cat <&3 & cat >&3"
        with hosts.config.open("a") as config:
            config.write(f"Host twin\n{second}Host astray\n HostName 192.0.2.7\n HostKeyAlias astray\n")
            config.write(f" StrictHostKeyChecking no\n ProxyCommand bash -c '{forward}'\n{second}")
        for name, message in {
            "twin": f"host2 and twin are the same machine: both are at {hosts.addresses[1]}",
            "astray": "astray does not listen at 192.0.2.7",
        }.items():
            done = weft("doctor", "--json", "--nodes", hosts.nodes(f"host1,host2,{name}"))
            require(findings(done.stdout), {"nodes": ("missing", message)})
        assert hosts.left() == []
    assert weft.leftovers() == []


@needs(*SSH)
def test_sound_hosts_are_fit_and_nothing_stays(tmp_path: Path) -> None:
    weft = Weft(tmp_path)
    with running(tmp_path / "hosts", 2) as hosts:
        done = weft("doctor", "--json", "--nodes", hosts.nodes())
        assert done.returncode == 0, done.stdout + done.stderr
        found = findings(done.stdout)
        sound = ("nodes", "networks", "java", "shared directory", "file locks", "clocks", "memory")
        assert {name: found[name]["status"] for name in sound} == dict.fromkeys(sound, "ok")
        with socket.create_server(("127.0.0.1", 0)) as silent:
            with hosts.config.open("a") as config:
                config.write(f"Host host9\n HostName 127.0.0.1\n Port {silent.getsockname()[1]}\n")
            done = weft("doctor", "--nodes", hosts.nodes("host1,host9", deadline="2s"))
        assert done.returncode == 1
        assert "missing  nodes  host9 did not answer within 2 s" in done.stdout
        assert hosts.left() == []
    assert weft.leftovers() == []


def test_what_slurm_refuses_is_reported(weft: SiteWeft) -> None:
    done = weft("doctor", "--json", "--nodes", "slurm:2,partition=none")
    assert done.returncode == 1
    require(findings(done.stdout), {"nodes": ("missing", "Slurm rejected the job: Invalid")})
    assert "partition=NAME" in findings(done.stdout)["nodes"]["fix"]


def test_a_job_with_little_time_is_reported(weft: SiteWeft) -> None:
    done = weft("doctor", "--json", "--nodes", "slurm:2,time=5")
    assert done.returncode == 0, done.stdout + done.stderr
    found = findings(done.stdout)
    assert found["wall time"]["status"] == "limits"
    assert "min left of the job" in found["wall time"]["found"]
    assert found["shared directory"]["status"] == "ok"
