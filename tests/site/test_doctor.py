"""`weft doctor` on other hosts, with faults made on one of them: it has mounts, a name and limits of its own."""

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.local.conftest import Weft
from tests.site.conftest import SiteWeft
from tests.site.sshd import needs_sshd, running
from weft.provision import jdk

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a server mounts of its own")

FAULTS = """
set -e
mount --make-rprivate /
hostname weft-elsewhere
mount --bind "$1/hosts" /etc/hosts
mount --bind "$1/java" "$2"
mount -t tmpfs none "$3"
shift 3
ulimit -n 512
exec "$@"
"""


def findings(text: str) -> dict[str, dict[str, Any]]:
    return {found["name"]: found for found in json.loads(text)}


@needs_sshd
@needs_root
def test_each_fault_of_a_host_is_named_with_its_fix(tmp_path: Path) -> None:
    weft, made = Weft(tmp_path), tmp_path / "made"
    made.mkdir()
    (made / "hosts").write_text("127.0.0.1 localhost\n192.0.2.9 weft-elsewhere\n")
    (made / "java").write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
    (made / "java").chmod(0o755)
    runs = Path(weft.environment["WEFT_RUNS"])
    runs.mkdir(parents=True, exist_ok=True)
    script = ["unshare", "--mount", "--uts", "sh", "-c", FAULTS, "sh", str(made), str(jdk.java()), str(runs)]
    with running(tmp_path / "hosts", 2, script) as hosts:
        done = weft("doctor", "--json", "--nodes", hosts.nodes(memory="500M"))
        assert hosts.processes() == []
    assert done.returncode == 1, done.stdout + done.stderr
    found = findings(done.stdout)
    told = {
        "host names": ("limits", "host2: its own name weft-elsewhere leads to 192.0.2.9"),
        "java": ("missing", "host2: Java 11, which is too old"),
        "shared directory": ("missing", "host1: sees nothing of host2; host2: sees nothing of host1"),
        "local directory": ("limits", "host1: sees files of host2; host2: sees files of host1"),
        "ulimit": ("limits", "host2: 512 open files"),
        "memory": ("missing", "host1: 524 MB; host2: 524 MB"),
    }
    for name, (status, words) in told.items():
        assert found[name]["status"] == status, found[name]
        assert words in found[name]["found"]
        assert found[name]["costs"]
        assert found[name]["fix"]
    assert {found[name]["status"] for name in ("nodes", "networks", "clocks", "writing")} == {"ok"}
    assert list(runs.iterdir()) == []
    assert weft.leftovers() == []


@needs_sshd
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
        assert hosts.processes() == []
    assert weft.leftovers() == []


def test_a_job_with_little_time_is_told(weft: SiteWeft) -> None:
    done = weft("doctor", "--json", "--nodes", "slurm:2,time=5")
    assert done.returncode == 0, done.stdout + done.stderr
    found = findings(done.stdout)
    assert found["wall time"]["status"] == "limits"
    assert "min left of the job" in found["wall time"]["found"]
    assert found["shared directory"]["status"] == "ok"
