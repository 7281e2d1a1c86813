"""A real Grid Engine: weft submits itself, runs within a job, and leaves nothing when the job is deleted."""

import json
import re
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil
import pytest

from tests.hosts.gridengined import GridEngine, grid_engine
from tests.hosts.lanweft import LanWeft
from tests.local.conftest import in_phase
from tests.needs import GRID_ENGINE, require

NODES = "gridengine:2,pe=whole,memory=4G"
SORT = ("terasort", "--size", "10MB", "--nodes", NODES)
LONG = ("file-open", "--set", "reads=1000000", "--set", "rounds=1000", "--nodes", NODES)
"""A workload without an engine, for longer than any test waits."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GridEngine]:
    require(*GRID_ENGINE)
    with grid_engine(tmp_path_factory.mktemp("gridengine", numbered=True)) as live:
        yield live


@pytest.fixture
def weft(tmp_path: Path, cluster: GridEngine) -> Iterator[LanWeft]:
    command = LanWeft(tmp_path, cluster)
    yield command
    command.end()
    cluster.wait_until_idle()
    command.require_nothing_left()


def test_a_run_from_a_login_node_is_a_job_and_its_record_comes_back(weft: LanWeft) -> None:
    result = weft.result("run", *SORT)
    assert result["verdict"] == "VALID", result
    facts = weft.head()["batch"]
    assert (facts["system"], facts["nodes"]) == ("gridengine", ["ge1", "ge2"])
    assert f"Grid Engine {facts['job']} on ge1, ge2" in weft("show", "last").stdout.replace("\n", " ")
    assert (weft.record() / "job" / "job.sh").stat().st_mode & 0o777 == 0o600


def in_job(weft: LanWeft, *commands: Sequence[str]) -> tuple[str, str]:
    """Output and errors of weft's commands in a script of a user's own, which has two hosts."""
    script, out, err = (weft.home / name for name in ("job.sh", "out", "err"))
    script.write_text(weft.script(commands))
    words = ("-pe", "whole", "2", "-S", "/bin/sh", "-sync", "y", "-o", str(out), "-e", str(err), str(script))
    subprocess.run(
        [*weft.cluster.on(), "qsub", *words], env=weft.environment, cwd=weft.home, capture_output=True, check=False,
        timeout=400,
    )  # fmt: skip
    return out.read_text(), err.read_text()


def test_a_run_within_a_job_uses_its_hosts(weft: LanWeft) -> None:
    out, err = in_job(weft, ("run", *SORT, "--json"))
    assert json.loads(out)["verdict"] == "VALID", err
    assert sorted(weft.head()["batch"]["nodes"]) == ["ge1", "ge2"]


def test_a_persistent_cluster_needs_a_job_around_it(weft: LanWeft) -> None:
    up = ("up", "--engine", "null", "--nodes", NODES, "--name", "mine")
    refused = weft(*up)
    assert refused.returncode == 1
    assert "this is not a Grid Engine job" in refused.stderr
    out, err = in_job(weft, up, ("exec", "mine", "--", "sh", "-c", "echo on $WEFT_NODE"), ("down", "mine"))
    # the batch system chooses on which of them the script runs
    assert {"on ge1", "on ge2"} & set(out.splitlines()), (out, err)


def test_the_doctor_checks_the_hosts_of_a_job(weft: LanWeft) -> None:
    out, err = in_job(weft, ("doctor", "--nodes", NODES))
    assert "ge2" in out, err


@pytest.mark.parametrize("phase", ["start", "run"])
def test_a_deleted_job_leaves_a_record_that_says_so_and_nothing_else(weft: LanWeft, phase: str) -> None:
    engine = ("--engine", "null", "--set", "engine.workers=10m") if phase == "start" else ()
    process = weft.start("run", *LONG, *engine)
    weft.wait_for(process, lambda: in_phase(weft, phase))
    number = weft.job()
    weft.cluster("qdel", number)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1, err
    assert f"Grid Engine job {number} was deleted" in err
    kept = weft.head()
    assert (kept["verdict"], kept["phase"]) == ("INVALID", phase)
    assert f"Grid Engine job {number} was deleted" in kept["reason"]


def test_a_time_limit_is_reported_as_such(weft: LanWeft) -> None:
    (weft.home / "site.toml").write_text("[gridengine]\nextra = ['-l h_rt=0:0:25']\n")
    done = weft("run", *LONG)
    assert done.returncode == 1, done.stderr
    assert "reached its time limit of 0:00:25" in done.stderr
    assert weft.head()["verdict"] == "INVALID"


def test_ctrl_c_deletes_the_job(weft: LanWeft) -> None:
    process = weft.start("run", *LONG)
    weft.wait_for(process, lambda: in_phase(weft, "run"))
    process.send_signal(2)
    process.communicate(timeout=120)
    assert process.returncode == 130
    assert weft.head()["verdict"] == "INVALID"


def test_killing_weft_in_the_job_ends_everything_on_both_hosts(weft: LanWeft) -> None:
    process = weft.start("run", *LONG)
    weft.wait_for(process, lambda: in_phase(weft, "run"))
    psutil.Process(weft.head()["pid"]).kill()
    _, err = process.communicate(timeout=120)
    assert process.returncode == 137, err
    assert weft.head()["verdict"] == "INVALID"
    weft.cluster.wait_until_idle()
    end = time.monotonic() + 60
    while weft.leftovers() and time.monotonic() < end:
        time.sleep(0.2)


@pytest.mark.parametrize(
    ("nodes", "words", "code"),
    [
        ("gridengine:2", "parallel environment", 2),
        ("gridengine:2,pe=absent", "qconf -spl", 1),
        ("gridengine:2,pe=whole,queue=absent.q", "qconf -sql", 1),
        ("gridengine:2,pe=whole,account=absent", "qconf -sprjl", 1),
        ("gridengine:5,pe=whole", "request fewer nodes", 1),
        ("gridengine:2,pe=whole,cores=2", "gives 1 slot(s) on each host", 2),
    ],
)
def test_what_is_refused_is_reported_with_a_fix(weft: LanWeft, nodes: str, words: str, code: int) -> None:
    done = weft("run", "file-open", "--set", "files=20", "--set", "rounds=1", "--nodes", nodes)
    assert done.returncode == code, done.stderr
    assert words in done.stderr
    assert weft.cluster.jobs() == []


def test_memory_is_requested_with_the_resource_that_the_site_names(weft: LanWeft) -> None:
    (weft.home / "site.toml").write_text("[gridengine]\nmemory_resource = 'mem_free'\n")
    result = weft.result("run", *SORT)
    assert result["verdict"] == "VALID", result
    assert "#$ -l mem_free=4096M" in (weft.record() / "job" / "job.sh").read_text()


def test_a_host_with_less_memory_than_requested_is_refused_by_name(weft: LanWeft) -> None:
    done = weft("run", *SORT[:-1], NODES.replace("4G", "4T"))
    assert done.returncode == 1, done.stderr
    # Grid Engine chooses which of the two is first
    assert re.search(r"ge[12] was to have 4\.4 TB of memory, but", done.stderr), done.stderr


def test_a_plan_shows_the_script_and_submits_nothing(weft: LanWeft) -> None:
    done = weft("plan", *SORT, "--set", "nodes.time=10:00")
    assert "#$ -pe whole 2" in done.stdout, done.stderr
    assert "#$ -l h_rt=0:10:00" in done.stdout
    assert "the job asks for no memory: gridengine.memory_resource" in done.stdout
    assert weft.cluster.jobs() == []
