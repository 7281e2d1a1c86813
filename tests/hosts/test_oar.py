"""A real OAR: weft submits itself, runs within a job, and leaves nothing when the job is deleted or reaches its limit."""

import json
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil
import pytest

from tests.hosts.lanweft import LanWeft
from tests.hosts.oard import Oar, oar
from tests.local.conftest import in_phase
from tests.needs import OAR, require

NODES = "oar:2,memory=4G,time=10:00"
SORT = ("terasort", "--size", "10MB", "--nodes", NODES)
LONG = ("file-open", "--set", "reads=1000000", "--set", "rounds=1000", "--nodes")
"""A workload without an engine, for longer than any test waits."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Oar]:
    require(*OAR)
    with oar(tmp_path_factory.mktemp("oar", numbered=True)) as live:
        yield live


@pytest.fixture
def weft(tmp_path: Path, cluster: Oar) -> Iterator[LanWeft]:
    command = LanWeft(tmp_path, cluster)
    yield command
    command.end()
    cluster.wait_until_idle()
    command.require_nothing_left()


def test_a_run_from_a_login_node_is_a_job_and_its_record_comes_back(weft: LanWeft) -> None:
    planned = weft("run", "--dry-run", *SORT)
    assert "#OAR -l /nodes=2,walltime=0:10:00" in planned.stdout, planned.stderr
    assert weft.cluster.jobs() == []
    result = weft.result("run", *SORT)
    assert result["verdict"] == "VALID", result
    facts = weft.head()["batch"]
    assert (facts["system"], facts["nodes"]) == ("oar", ["oar1", "oar2"])
    assert facts["assigned_hostnames"] == "oar1+oar2"
    assert f"OAR {facts['job']} on oar1, oar2" in weft("show", "last").stdout.replace("\n", " ")
    assert (weft.record() / "job" / "job.sh").stat().st_mode & 0o777 == 0o700


def in_job(weft: LanWeft, *commands: Sequence[str]) -> tuple[str, str]:
    """Output and errors of weft's commands in a script of a user's own, which has two hosts."""
    script, out, err, ended = (weft.home / name for name in ("job.sh", "out", "err", "ended"))
    script.write_text(weft.script([*commands]))
    script.chmod(0o700)
    words = ("-l", "/nodes=2,walltime=0:10:0", "-O", str(out), "-E", str(err), f"{script}; touch {ended}")
    subprocess.run(
        [*weft.cluster.on(), "oarsub", *words], env=weft.environment, cwd=weft.home, capture_output=True, check=True,
        timeout=60,
    )  # fmt: skip
    end = time.monotonic() + 300
    while not ended.exists():
        assert time.monotonic() < end, weft.cluster.logs()
        time.sleep(0.2)
    return out.read_text(), err.read_text()


@pytest.mark.long
def test_a_run_within_a_job_uses_its_hosts(weft: LanWeft) -> None:
    out, err = in_job(weft, ("run", *SORT, "--json"))
    assert json.loads(out)["verdict"] == "VALID", err
    assert weft.head()["batch"]["nodes"] == ["oar1", "oar2"]


@pytest.mark.long
def test_a_persistent_cluster_needs_a_job_around_it(weft: LanWeft) -> None:
    up = ("up", "--engine", "null", "--nodes", NODES, "--name", "mine")
    refused = weft(*up)
    assert refused.returncode == 1
    assert "this is not an OAR job" in refused.stderr
    out, err = in_job(weft, up, ("exec", "mine", "--", "sh", "-c", "echo on $WEFT_NODE"), ("down", "mine"))
    assert "on oar1" in out, err


@pytest.mark.long
def test_the_doctor_checks_the_hosts_of_a_job(weft: LanWeft) -> None:
    out, err = in_job(weft, ("doctor", "--nodes", NODES))
    assert "oar2" in out, err


@pytest.mark.long
@pytest.mark.parametrize("phase", ["start", "run"])
def test_a_deleted_job_leaves_a_record_that_says_so_and_nothing_else(weft: LanWeft, phase: str) -> None:
    engine = ("--engine", "null", "--set", "engine.workers=10m") if phase == "start" else ()
    process = weft.start("run", *LONG, NODES, *engine)
    weft.wait_for(process, lambda: in_phase(weft, phase))
    number = weft.job()
    weft.cluster("oardel", number)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1, err
    assert f"OAR job {number} was deleted" in err
    kept = weft.head()
    assert (kept["verdict"], kept["phase"]) == ("INVALID", phase)
    assert f"OAR job {number} was deleted" in kept["reason"]


@pytest.mark.long
def test_a_time_limit_is_reported_as_such(weft: LanWeft) -> None:
    done = weft("run", *LONG, "oar:2,memory=4G,time=1:30")
    assert done.returncode == 1, done.stderr
    assert "is about to reach its time limit of 0:1:30" in done.stderr
    assert "its time limit" in weft.head()["reason"]


@pytest.mark.long
def test_ctrl_c_ends_the_job(weft: LanWeft) -> None:
    process = weft.start("run", *LONG, NODES)
    weft.wait_for(process, lambda: in_phase(weft, "run"))
    process.send_signal(2)
    process.communicate(timeout=180)
    assert process.returncode == 130
    assert weft.head()["verdict"] == "INVALID"


@pytest.mark.long
def test_killing_weft_in_the_job_ends_everything_on_both_hosts(weft: LanWeft) -> None:
    process = weft.start("run", *LONG, NODES)
    weft.wait_for(process, lambda: in_phase(weft, "run"))
    psutil.Process(weft.head()["pid"]).kill()
    _, err = process.communicate(timeout=120)
    assert process.returncode == 137, err
    assert weft.head()["verdict"] == "INVALID"
    weft.cluster.wait_until_idle()
    end = time.monotonic() + 60
    while weft.leftovers() and time.monotonic() < end:
        time.sleep(0.2)


@pytest.mark.long
@pytest.mark.parametrize(
    ("nodes", "reason", "fix"),
    [
        ("oar:2,queue=absent", "The queue absent does not exist", "queue=NAME"),
        ("oar:5", "not enough resources", "request fewer nodes"),
    ],
)
def test_what_is_refused_is_reported_with_a_fix(weft: LanWeft, nodes: str, reason: str, fix: str) -> None:
    done = weft("run", "file-open", "--set", "files=20", "--set", "rounds=1", "--nodes", nodes)
    assert done.returncode == 1, done.stderr
    assert "OAR rejected the job: " in done.stderr
    assert reason in done.stderr.splitlines()[0]
    assert fix in done.stderr
    assert weft.cluster.jobs() == []
