"""`weft calibrate` on other hosts: over ssh, and as a job of a real Slurm."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hosts.conftest import SiteWeft
from tests.hosts.sshd import running
from tests.local.conftest import Weft
from tests.needs import NATIVE, SSH, needs

SHORT = ("--each", "20ms")
pytestmark = [needs(*NATIVE), pytest.mark.long]


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Weft]:
    command = Weft(tmp_path)
    yield command
    command.end()
    assert command.leftovers() == []


def calibrations(weft: Weft) -> list[Path]:
    return sorted((weft.home / "state" / "calibrations").glob("*/*.json"))


@needs(*SSH)
def test_hosts_are_measured_over_ssh(here: Weft, tmp_path: Path) -> None:
    with running(tmp_path / "hosts", 2) as hosts:
        nodes = hosts.nodes(cores="1", memory="2700M")
        found = here.result("calibrate", "--nodes", nodes, "--scratch", f"disk:{tmp_path}", *SHORT)
        assert hosts.left() == []
    assert [host["name"] for host in found["hosts"]] == ["host1", "host2"]
    assert [node["host"] for node in found["nodes"]] == ["host1", "host2"]
    assert found["links"][0]["bandwidth"]["value"] > 0
    assert found["storages"][0]["hosts"] == 2
    (kept,) = calibrations(here)
    assert json.loads(kept.read_text()) == found


def test_a_calibration_from_a_login_node_is_a_job(weft: SiteWeft) -> None:
    done = weft("calibrate", "--nodes", "slurm:2,cores=1", "--scratch", "disk", *SHORT)
    assert done.returncode == 0, done.stderr
    (kept,) = calibrations(weft)
    assert [host["name"] for host in json.loads(kept.read_text())["hosts"]] == ["n1", "n2"]


def test_ctrl_c_leaves_nothing(here: Weft, tmp_path: Path) -> None:
    process = here.start("calibrate", "--nodes", "local:2", "--scratch", f"disk:{tmp_path}", "--each", "30s")
    leases = here.home / "state" / "leases"
    here.wait_for(process, lambda: list(tmp_path.glob("weft-calibrate-*/*/caller*")))
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert list(leases.iterdir()) == []
    assert list((here.home / "work").iterdir()) == []
    assert list(tmp_path.glob("weft-calibrate-*")) == []
    assert calibrations(here) == []
