"""A real Slurm: weft submits itself from a login node, runs inside an allocation, and leaves nothing when it is ended."""

import json
import signal
import subprocess
from pathlib import Path

import psutil
import pytest

from tests.hosts.conftest import SiteWeft
from tests.local.conftest import in_phase

LIGHT = ("file-open", "--set", "files=20", "--set", "rounds=1")
"""A workload without an engine: what is tested is the way to it."""
LONG = ("file-open", "--set", "reads=1000000", "--set", "rounds=1000")
"""The same, for longer than any test waits."""


SORT = ("terasort", "--size", "20MB", "--nodes", "slurm:3,cores=1")
"""One on Hadoop and one on Flink; the guide's are on Spark."""


def test_a_run_from_a_login_node_is_a_job_and_its_record_comes_back(weft: SiteWeft) -> None:
    result = weft.result("run", *SORT, "--engine", "hadoop")
    assert result["verdict"] == "VALID", result
    record = Path(result["record"])
    facts = weft.head()["slurm"]
    assert facts["nodes"] == ["n1", "n2", "n3"]
    assert (facts["JobState"], facts["NodeList"], facts["Partition"]) == ("COMPLETED", "n[1-3]", "main")
    assert f"Slurm {facts['job']} on n1, n2, n3, after" in weft("show", "last").stdout.replace("\n", " ")
    script = record / "job" / "job.sh"
    assert script.stat().st_mode & 0o777 == 0o600
    assert "--mem" not in script.read_text()


def test_options_of_a_users_own_steps_and_queries_are_not_those_of_weft(weft: SiteWeft) -> None:
    steps = {
        "LABELIO": "1",
        "STDOUTMODE": "/dev/full",
        "STDINMODE": "/dev/null",
        "DEBUG": "1",
        "EXCLUSIVE": "1",
    }
    queries = {"SQUEUE_PARTITION": "none", "SINFO_PARTITION": "none", "SCANCEL_INTERACTIVE": "1"}
    jobs = {"SBATCH_WAIT": "1", "SBATCH_EXPORT": "NONE"}
    own = {**{f"SLURM_{name}": value for name, value in steps.items()}, **queries, **jobs}
    done = weft("run", *LIGHT, "--nodes", "slurm:2,cores=1", **own)
    assert done.returncode == 0, done.stderr
    assert weft.head()["slurm"]["nodes"] == ["n1", "n2"]


def test_a_run_inside_an_allocation_uses_it(weft: SiteWeft) -> None:
    done = subprocess.run(
        ["salloc", "--nodes=3", "--exclusive", "--quiet", *weft.words("run", *SORT, "--engine", "flink", "--json")],
        env=weft.environment, cwd=weft.home, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert json.loads(done.stdout)["verdict"] == "VALID", done.stderr
    assert weft.head()["slurm"]["nodes"] == ["n1", "n2", "n3"]
    account = json.loads((weft.record() / "engine" / "flink.json").read_text())
    assert account["jobs"], account


@pytest.mark.long
def test_cells_of_a_study_share_a_cluster_in_their_job(weft: SiteWeft) -> None:
    table = (
        'nodes = "slurm:2,cores=1"\nprobes = "+fileops"\nworkload = "terasort:10MB"\n'
        '[matrix]\n"workload.partitions" = [2, 4]\n'
    )
    (weft.home / "shared.toml").write_text(table)
    one, other = weft.result("run", "shared.toml")
    assert [one["verdict"], other["verdict"]] == ["VALID", "VALID"]
    assert one["cluster"] == other["cluster"] != ""
    assert weft.head()["slurm"]["nodes"] == ["n1", "n2"]
    for result in (one, other):
        of = {
            path.stem: json.loads(path.read_text()) for path in Path(result["record"]).glob("fileops/*.json")
        }
        executors = {
            node: [one for one in found["processes"] if "output" in one["classes"]]
            for node, found in of.items()
        }
        assert len(executors) == 2
        assert all(executors.values()), executors


@pytest.mark.long
@pytest.mark.parametrize(
    "workload", ["terasort:20MB", "teracount:20MB", "wordcount:10MB", "groupby", "pagerank:10000,rounds=3"]
)
def test_timely_computes_every_workload_it_has(weft: SiteWeft, workload: str) -> None:
    words = ("run", workload, "--engine", "timely", "--nodes", "slurm:3,cores=1")
    refused = weft(*words)
    assert refused.returncode == 2
    assert "timely" in refused.stderr
    # it knows no authentication, and nobody else reaches these hosts
    result = weft.result(*words, "--set", "security=none", "--set", "nodes.trusted=true")
    assert result["verdict"] == "VALID", result


@pytest.mark.long
@pytest.mark.parametrize("workload", ["terasort:20MB", "wordcount:5MB", "groupby:500", "sql-join:20000"])
@pytest.mark.parametrize("engine", ["dask", "ray"])
@pytest.mark.parametrize("scratch", ["disk", "pool"])
def test_engines_of_python_compute_every_workload_they_have_on_each_storage(
    weft: SiteWeft, scratch: str, engine: str, workload: str
) -> None:
    words = ("run", workload, "--engine", engine, "--nodes", "slurm:3,cores=1", "--scratch", scratch)
    result = weft.result(*words)
    assert result["verdict"] == "VALID", result
    assert weft.head()["slurm"]["nodes"] == ["n1", "n2", "n3"]


@pytest.mark.long
def test_the_output_and_the_exit_code_of_a_job_of_ones_own_are_passed_through(weft: SiteWeft) -> None:
    text = (
        "import sys\nfrom pyspark.sql import SparkSession\n"
        "spark = SparkSession.builder.getOrCreate()\nprint('rows', spark.range(10).repartition(3).count())\n"
        "spark.stop()\nsys.exit(7)\n"
    )
    (weft.home / "seven.py").write_text(text)
    done = weft("submit", "--nodes", "slurm:2,cores=1", "--", "seven.py")
    assert done.returncode == 7, done.stderr
    assert "rows 10" in done.stdout.splitlines()
    assert weft.head()["slurm"]["JobState"] == "FAILED"
    assert "exit code 7" in weft.head()["reason"]
    assert (weft.record() / "report.html").stat().st_size > 10_000


@pytest.mark.long
def test_a_burst_buffer_is_named_by_its_variable(weft: SiteWeft) -> None:
    buffer = weft.home / "buffer"
    buffer.mkdir()
    words = ("run", *LIGHT, "--nodes", "slurm:2", "--scratch", "mount:$DW_JOB_STRIPED", "--json")
    done = weft(*words, DW_JOB_STRIPED=str(buffer))
    assert json.loads(done.stdout)["verdict"] == "VALID", done.stderr
    places = json.loads((weft.record() / "resolved.json").read_text())["places"]
    assert all(Path(path).is_relative_to(buffer) for path in places["scratch"]["paths"].values())
    assert list(buffer.iterdir()) == []
    lacking = weft(*words)
    assert lacking.returncode == 1
    assert "slurm.extra" in lacking.stderr


def test_more_nodes_than_the_allocation_has_are_refused(weft: SiteWeft) -> None:
    words = weft.words("run", *LIGHT, "--nodes", "slurm:4")
    done = subprocess.run(["salloc", "--nodes=1", "--quiet", *words], env=weft.environment, cwd=weft.home,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 2
    assert "has 1 node(s), but 4 were requested" in done.stderr


def null_engine(work: tuple[str, ...], delay: str) -> tuple[str, ...]:
    """The work on stand-ins for workers, each ready after so long."""
    return (*work, "--engine", "null", "--set", f"engine.workers={delay}")


NEVER = null_engine(LONG, "10m")
HELD = {"check": ("check", "TeraValidate"), "stop": ("run", "worker-n3")}
"""Phases that would be over before they are cancelled: when to suspend which process, so that they wait for it."""
CANCELLED = [
    pytest.param("acquire", NEVER, marks=pytest.mark.long),
    pytest.param("storage", NEVER, marks=pytest.mark.long),
    ("start", NEVER),
    pytest.param("prepare", ("terasort", "--size", "2GB", "--engine", "hadoop"), marks=pytest.mark.long),
    ("run", ("terasort", "--size", "300MB")),
    pytest.param("check", ("terasort", "--size", "20MB"), marks=pytest.mark.long),
    pytest.param("stop", null_engine(("file-open",), "0s"), marks=pytest.mark.long),
]


@pytest.mark.parametrize(("phase", "work"), CANCELLED)
def test_scancel_leaves_a_record_that_says_so_and_nothing_else(
    weft: SiteWeft, phase: str, work: tuple[str, ...]
) -> None:
    process = weft.start("run", *work, "--nodes", "slurm:3")
    if phase in HELD:
        before, word = HELD[phase]
        weft.wait_for(process, lambda: in_phase(weft, before) and suspended(weft, word))
    weft.wait_for(process, lambda: in_phase(weft, phase))
    number = weft.job()
    weft.slurm("scancel", str(number))
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert f"Slurm job {number} was cancelled" in err
    kept = weft.head()
    assert kept["verdict"] == "INVALID"
    assert kept["phase"] in ({"acquire", "storage", "start"} if phase in {"acquire", "storage"} else {phase})
    assert f"Slurm job {number} was cancelled" in kept["reason"]
    assert kept["slurm"]["JobState"] == "CANCELLED"


def suspended(weft: SiteWeft, word: str) -> list[psutil.Process]:
    """Processes of the newest run that go on when something kills them, and not before."""
    found = weft.processes(word)
    for process in found:
        process.suspend()
    return found


def test_scancel_of_the_allocation_around_weft_leaves_nothing_else(weft: SiteWeft) -> None:
    work = null_engine(LONG, "0s")
    process = subprocess.Popen(
        ["salloc", "--nodes=3", "--exclusive", "--quiet", *weft.words("run", *work, "--nodes", "slurm:3")],
        env=weft.environment, cwd=weft.home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    weft.wait_for(process, lambda: in_phase(weft, "run"))
    number = weft.job()
    weft.slurm("scancel", str(number))
    _, err = process.communicate(timeout=120)
    assert process.returncode != 0
    kept = weft.head()
    assert (kept["verdict"], kept["phase"]) == ("INVALID", "run"), err
    assert f"Slurm job {number} was cancelled" in kept["reason"], err


def test_ctrl_c_cancels_the_job(weft: SiteWeft) -> None:
    process = weft.start("run", *LONG, "--nodes", "slurm:2")
    weft.wait_for(process, lambda: in_phase(weft, "run"))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=120)
    assert process.returncode == 130
    assert weft.slurm.jobs() == []
    assert weft.head()["slurm"]["JobState"] == "CANCELLED"
    assert weft.head()["verdict"] == "INVALID"


def test_killing_weft_in_the_job_ends_the_job_and_every_step(weft: SiteWeft) -> None:
    process = weft.start("run", *LONG, "--nodes", "slurm:2")
    weft.wait_for(process, lambda: in_phase(weft, "run"))
    psutil.Process(weft.head()["pid"]).kill()
    _, err = process.communicate(timeout=120)
    assert process.returncode == 137, err
    weft.slurm.wait_until_idle()
    assert weft.head()["verdict"] == "INVALID"
    assert weft("gc").returncode == 0


@pytest.mark.long
def test_what_a_killed_job_leaves_in_shared_directories_is_removed_by_who_submitted_it(
    weft: SiteWeft,
) -> None:
    shared = weft.home / "shared"
    shared.mkdir()
    words = ("terasort", "--size", "200MB", "--nodes", "slurm:2,cores=1")
    process = weft.start("run", *words, WEFT_SHARED=str(shared))
    weft.wait_for(process, lambda: in_phase(weft, "run"))
    assert list(shared.iterdir()) != []
    # as Slurm does KillWait after its first signal: weft, its steps and the cleanup watchdogs at once
    weft.slurm("scancel", "--signal=KILL", "--full", str(weft.job()))
    _, err = process.communicate(timeout=120)
    assert process.returncode != 0, err
    assert list((weft.home / "state" / "leases").iterdir()) == []
    assert list(shared.iterdir()) == []
    weft.slurm.wait_until_idle()
    weft("gc")  # what is on the nodes' own disks, which only a process there can remove


def test_a_job_that_can_never_start_is_refused_with_the_reason(weft: SiteWeft) -> None:
    done = weft("run", *LIGHT, "--nodes", "slurm:4")
    assert done.returncode == 1
    assert "cannot start" in done.stderr
    assert "PartitionNodeLimit: it requests more nodes" in done.stderr
    assert weft.slurm.jobs() == []


def test_a_wait_is_explained_and_can_be_bounded(weft: SiteWeft) -> None:
    done = weft("run", *LIGHT, "--nodes", "slurm:1,partition=broken,wait=5s")
    assert done.returncode == 1
    assert "did not start within 5 s" in done.stderr
    assert "nodes that it needs are down" in done.stderr
    assert weft.slurm.jobs() == []


@pytest.mark.parametrize(
    ("key", "word"), [("partition=none", "partition=NAME"), ("constraint=x", "constraint=NAME")]
)
def test_what_slurm_refuses_is_reported_with_a_fix(weft: SiteWeft, key: str, word: str) -> None:
    done = weft("run", *LIGHT, "--nodes", f"slurm:1,{key}")
    assert done.returncode == 1
    assert "Slurm rejected the job: Invalid" in done.stderr
    assert word in done.stderr


def test_a_job_that_is_put_back_into_the_queue_is_an_error(weft: SiteWeft) -> None:
    (weft.home / "site.toml").write_text("[slurm]\nextra = ['--requeue']\n")
    process = weft.start("run", *LONG, "--nodes", "slurm:2")
    weft.wait_for(process, lambda: in_phase(weft, "run"))
    weft.slurm("scontrol", "requeue", str(weft.job()))
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "was requeued" in err
    assert weft.slurm.jobs() == []


def test_a_persistent_cluster_has_a_job_of_its_own(weft: SiteWeft) -> None:
    up = weft("up", "--engine", "null", "--nodes", "slurm:2", "--name", "mine")
    assert up.returncode == 0, up.stderr
    assert len(weft.slurm.jobs()) == 1
    assert weft("exec", "mine", "--", "sh", "-c", "echo $WEFT_NODE").stdout == "n1\n"
    assert weft("down", "mine").returncode == 0
    assert weft.slurm.jobs() == []


def test_the_job_of_a_killed_cluster_is_ended_by_gc(weft: SiteWeft) -> None:
    assert weft("up", "--engine", "null", "--nodes", "slurm:2").returncode == 0
    weft.kill(weft.head()["pid"])
    collected = weft("gc")
    assert "job weft-" in collected.stdout, collected.stderr
    weft.slurm.wait_until_idle()


def test_a_plan_shows_the_script_and_submits_nothing(weft: SiteWeft) -> None:
    done = weft("plan", "terasort", "--nodes", "slurm:3,time=10:00", "--size", "50MB")
    assert "#SBATCH --nodes=3" in done.stdout
    assert "#SBATCH --time=10:00" in done.stdout
    assert "spark.driver" in done.stdout
    assert weft.slurm.jobs() == []


def test_a_site_profile_is_written_from_what_slurm_says(weft: SiteWeft) -> None:
    assert weft("site", "init").returncode == 0
    written = (weft.home / "site.toml").read_text()
    assert "main (default): 3 nodes of 2 cores" in written
    assert "broken" in written
    assert json.loads(weft("site", "show", "--json").stdout)["slurm"]["partition"] == "main"
