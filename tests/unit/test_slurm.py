"""What Slurm's commands say, as data; what is asked of Slurm; how waits and ends are explained."""

import os
from pathlib import Path

import pytest

from tests.fakes import fake_program
from tests.unit.test_signals import outcome
from weft.adapters.nodes.slurm import SlurmNodes, _options, step
from weft.errors import NodeError, UsageError
from weft.host import lease, leftovers
from weft.host.schedulers import known
from weft.host.schedulers.slurm import commands, jobs
from weft.host.schedulers.slurm.allocation import AllocatedNode, Allocation, allocation
from weft.host.schedulers.slurm.commands import refused
from weft.host.schedulers.slurm.jobs import SlurmJob
from weft.host.schedulers.slurm.scheduler import Slurm
from weft.host.schedulers.slurm.text import fields, parts_of, per_node, seconds
from weft.host.site.profile import Directives, Profile
from weft.record import record as records
from weft.run.progress import Progress
from weft.run.submission.followed import Followed
from weft.run.submission.script import script

LINE = (
    "JobId=7 JobName=weft-terasort UserId=me(1000) JobState=RUNNING Reason=None RunTime=00:00:12 "
    "TimeLimit=1-00:00:00 TRES=cpu=6,node=3 Comment=a b=c d NodeList=n[1-3] ReqB:S:C:T=0:0:*:* StdIn=/dev/null Power="
)


def test_fields_of_a_line() -> None:
    found = fields(LINE)
    assert found["JobState"] == "RUNNING"
    assert found["TRES"] == "cpu=6,node=3"
    assert found["Comment"] == "a b=c d"
    assert found["NodeList"] == "n[1-3]"
    assert found["StdIn"] == "/dev/null"
    assert {"Reason", "Power"} & set(found) == set()


def test_the_parts_of_a_job() -> None:
    line = "JobId=7 NodeList=n[1-3] JOB_GRES=(null) Nodes=n[1-2] CPU_IDs=0-3,8 Mem=0 GRES= Nodes=n3 CPU_IDs=1 Mem=200 GRES= X=1"
    assert parts_of(line) == [("n[1-2]", 5, 0), ("n3", 1, 200)]


@pytest.mark.parametrize(
    ("text", "numbers"), [("2", [2]), ("2(x3)", [2, 2, 2]), ("64(x2),8", [64, 64, 8]), ("", [])]
)
def test_numbers_per_node(text: str, numbers: list[int]) -> None:
    assert per_node(text) == numbers


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("01:00", 60),
        ("1:00:00", 3600),
        ("2-00:00:01", 172801),
        ("1-12", 129600),
        ("1-12:30", 131400),
        ("UNLIMITED", float("inf")),
        ("", float("inf")),
    ],
)
def test_durations(text: str, found: float) -> None:
    assert seconds(text) == found


def test_nothing_is_asked_for_that_nobody_named() -> None:
    """But that the job begins when all of its nodes have booted: sbatch begins it with the first of them."""
    asked = ["--nodes=4", "--wait-all-nodes=1"]
    assert SlurmNodes(count=4).directives(Directives(exclusive=False)) == asked
    assert SlurmNodes(count=4).directives(Directives()) == [*asked, "--exclusive"]


def test_what_is_named_on_the_command_line_goes_before_the_profile() -> None:
    site = Directives(partition="main", account="us", qos="low", time="1:00:00", exclusive=False)
    asked = SlurmNodes(count=2, partition="debug", cores=8, memory=1 << 30).directives(site)
    assert asked == ["--nodes=2", "--wait-all-nodes=1", "--cpus-per-task=8", "--ntasks-per-node=1", "--mem=1024M",
                     "--partition=debug", "--account=us", "--qos=low", "--time=1:00:00"]  # fmt: skip


def test_the_script_of_a_job(snapshot: object) -> None:
    profile = Profile(
        slurm=Directives(
            partition="main", extra=("--licenses=scratch", "#DW jobdw capacity=10GiB type=scratch")
        ),
        modules=("java/17",),
    )
    words = ["python", "-m", "weft", "run", "terasort", "--set", "nodes.constraint=a&b"]
    assert (
        script(SlurmNodes(count=3), profile, words, {"WEFT_RUNS": "/my runs"}, Path("/jobs"), "terasort")
        == snapshot
    )


def test_a_line_that_the_script_could_not_hold_is_refused() -> None:
    with pytest.raises(ValueError, match="pattern"):
        Directives(extra=("--licenses=a\nrm x",))
    with pytest.raises(ValueError, match="pattern"):
        SlurmNodes(partition="a\nb")


def test_a_step_is_one_task_on_one_node_that_others_share() -> None:
    words = step(7, AllocatedNode("n2", 4, 1 << 30, "n2", None))
    assert words[words.index("srun") - 1].startswith("--unset="), "env(1) runs it"
    assert {"--jobid=7", "--overlap", "--nodes=1", "--ntasks=1", "--nodelist=n2", "--cpus-per-task=4"} <= set(
        words
    )
    assert not any(word.startswith(("--mem", "--het-group")) for word in words)
    assert "--het-group=1" in step(7, AllocatedNode("n2", 4, 1 << 30, "n2", 1))


def test_a_line_of_the_profile_is_several_arguments_of_salloc_as_it_is_of_sbatch() -> None:
    lines = ("#SBATCH --reservation maint", "-C haswell", '--comment="a b"', "#DW jobdw capacity=1TiB")
    assert _options(lines) == [
        "--reservation", "maint", "-C", "haswell", "--comment=a b", "--bb=#DW jobdw capacity=1TiB",
    ]  # fmt: skip
    with pytest.raises(UsageError, match="no closing quotation"):
        _options(['--comment="a'])


def given(monkeypatch: pytest.MonkeyPatch, **variables: str) -> Allocation:
    """An allocation with these variables, on nodes of 2000 MiB."""
    for name, value in variables.items():
        monkeypatch.setenv(f"SLURM_{name}", value)
    monkeypatch.setattr("weft.host.schedulers.slurm.allocation.hostnames", lambda text: text.split(","))
    monkeypatch.setattr(
        "weft.host.schedulers.slurm.allocation.node_fields",
        lambda names: {name: {"RealMemory": "2000"} for name in names},
    )
    return allocation()


@pytest.mark.parametrize("lacking", ["SLURM_JOB_NODELIST", "SLURM_JOB_CPUS_PER_NODE"])
def test_a_shell_with_a_part_of_the_jobs_variables_is_refused(lacking: str) -> None:
    variables = {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n1", "SLURM_JOB_CPUS_PER_NODE": "2"}
    variables.pop(lacking)
    with pytest.raises(NodeError, match=f"{lacking} is not") as caught:
        allocation(variables)
    assert "salloc" in caught.value.hint


def test_an_empty_variable_is_no_job(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in SLURM_JOB_ID= weft run ..., outside of the job."""
    monkeypatch.setenv("SLURM_JOB_ID", "")
    assert Slurm().current() == ""
    with pytest.raises(NodeError, match="not a Slurm job"):
        allocation()


def test_an_allocation_says_what_the_job_has_of_each_node(monkeypatch: pytest.MonkeyPatch) -> None:
    found = given(monkeypatch, JOB_ID="7", JOB_NODELIST="a,b", JOB_CPUS_PER_NODE="2,4", MEM_PER_CPU="100")
    assert found.job == 7
    assert [(part.name, part.cores, part.memory >> 20) for part in found.parts] == [
        ("a", 2, 200),
        ("b", 4, 400),
    ]


def test_memory_that_nobody_asked_for_is_the_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    found = given(monkeypatch, JOB_ID="7", JOB_NODELIST="a", JOB_CPUS_PER_NODE="2", MEM_PER_NODE="0")
    assert found.parts[0].memory >> 20 == 2000


def test_a_heterogeneous_job_has_the_nodes_of_all_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    found = given(monkeypatch, JOB_ID="7", HET_SIZE="2", JOB_NODELIST_HET_GROUP_0="a", JOB_NODELIST_HET_GROUP_1="b,c",
                  JOB_CPUS_PER_NODE_HET_GROUP_0="2", JOB_CPUS_PER_NODE_HET_GROUP_1="4(x2)")  # fmt: skip
    assert [(part.name, part.cores, part.group) for part in found.parts] == [
        ("a", 2, 0),
        ("b", 4, 1),
        ("c", 4, 1),
    ]


def test_more_nodes_than_the_job_has_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    found = given(monkeypatch, JOB_ID="7", JOB_NODELIST="a", JOB_CPUS_PER_NODE="2")
    with pytest.raises(UsageError, match=r"has 1 node\(s\), but 2 were requested"):
        SlurmNodes(count=2)._chosen(found)


def test_more_of_a_node_than_the_job_has_is_refused_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    found = given(monkeypatch, JOB_ID="7", JOB_NODELIST="a,b", JOB_CPUS_PER_NODE="4,2", MEM_PER_CPU="100")
    assert len(SlurmNodes(count=2, cores=2, memory=200 << 20)._chosen(found)) == 2
    with pytest.raises(UsageError, match=r"Slurm job 7 has cores=2 on b, but cores=4 was requested"):
        SlurmNodes(count=2, cores=4)._chosen(found)
    with pytest.raises(UsageError, match=r"Slurm job 7 has memory=400M on a, but memory=1G was requested"):
        SlurmNodes(count=2, memory=1 << 30)._chosen(found)


@pytest.mark.parametrize(
    "printed", ["12", "12;cluster1", "Welcome to the machine\n--> Verifying valid host...OK\n12"]
)
def test_a_job_is_submitted_by_a_sites_own_sbatch_too(
    printed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    fake_program(tmp_path, "sbatch", f"printf '{printed}\\n'")
    fake_program(tmp_path, "scontrol", "echo 'ClusterName             = cluster1'")
    assert commands.submit(tmp_path / "job.sh") == 12
    fake_program(tmp_path, "sbatch", "echo 'Your project has no hours left'")
    with pytest.raises(NodeError, match="rejected the job: Your project has no hours left"):
        commands.submit(tmp_path / "job.sh")


@pytest.mark.parametrize(
    ("output", "message", "hint"),
    [
        ("sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified",
         "Invalid account", "account=NAME"),
        (("sbatch: error: invalid partition specified: x\nsbatch: error: Batch job submission failed: "
         "Invalid partition name specified"), "Invalid partition", "partition=NAME"),
        ("sbatch: error: Batch job submission failed: Requested node configuration is not available",
         "Requested node", "sinfo"),
        ("sbatch: error: Batch job submission failed: Requested time limit is invalid (missing or exceeds some limit)",
         "time limit", "time=10:00"),
        ("sbatch: error: Batch job submission failed: Invalid feature specification", "feature", "constraint=NAME"),
        ("sbatch: error: Batch job submission failed: Socket timed out on send/recv operation", "Socket", "squeue --me"),
        (("sbatch: error: QOSMaxSubmitJobPerUserLimit\nsbatch: error: Batch job submission failed: Job violates accounting/QOS "
         "policy (job submit limit, user's size and/or time limits)"), "Job violates", "sacctmgr show qos"),
        ("", "no reason", "weft plan"),
    ],
)  # fmt: skip
def test_a_refusal_is_reported_with_a_fix(output: str, message: str, hint: str) -> None:
    error = refused(output)
    assert message in error.message
    assert hint in error.hint


@pytest.mark.parametrize(
    ("reason", "hopeless", "words"),
    [
        ("Resources", False, "nodes are in use"),
        (
            "ReqNodeNotAvail, UnavailableNodes:gone",
            False,
            "UnavailableNodes:gone: nodes that it needs are down",
        ),
        ("PartitionNodeLimit", True, "more nodes than"),
        ("DependencyNeverSatisfied", True, "a job on which it depends has failed"),
        ("SomethingNew", False, "SomethingNew"),
        ("", False, "not considered it"),
    ],
)
def test_a_wait_is_explained(reason: str, hopeless: bool, words: str) -> None:
    job = SlurmJob(7, "PENDING", reason, "", 0)
    assert job.hopeless is hopeless
    assert words in job.waits_for()


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("CANCELLED", "was cancelled after 00:01:00"),
        ("TIMEOUT", "reached its time limit of 00:01:00"),
        ("COMPLETING", "reached its time limit of 00:01:00"),
        ("NODE_FAIL", "lost a node"),
        ("OUT_OF_MEMORY", "exceeded its memory"),
        ("STRANGE", "was cancelled"),
    ],
)
def test_an_end_is_explained(state: str, words: str) -> None:
    known = {"RunTime": "00:01:00", "TimeLimit": "00:01:00" if state != "STRANGE" else "01:00:00"}
    end = SlurmJob(7, state, "", "n1", 0, known).end()
    assert words in end.message
    assert end.evidence is not None
    assert end.evidence.excerpt.startswith(f"JobState={state} RunTime=00:01:00")


@pytest.mark.parametrize(
    ("state", "gone"), [("RUNNING", False), ("SUSPENDED", False), ("COMPLETING", True), ("CANCELLED", True)]
)
def test_a_suspended_job_is_not_gone(
    state: str, gone: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    fake_program(tmp_path, "scontrol", f"echo 'JobId=7 JobState={state} NodeList=n1'")
    assert known.gone("7") is gone


def test_a_run_that_slurm_ended_has_the_reason_and_its_evidence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_RUNS", str(tmp_path / "runs"))
    monkeypatch.setattr(jobs, "accounted", lambda _: {})
    made = records.create(tmp_path / "runs", "one", "", {"slurm": {"job": 7}})
    ended = SlurmJob(7, "OUT_OF_MEMORY", "", "n[1-2]", 0, {"EndTime": "2026-11-24T10:00:00"})
    Followed(Slurm(), "7", tmp_path, "7", Progress(), last=ended).keep()
    head = records.read(made.directory).head
    assert (head.verdict, head.reason) == (
        "INVALID",
        "Slurm job 7 exceeded its memory allocation in phase acquire, on n[1-2]",
    )
    assert "memory=64G" in head.hint
    assert head.evidence is not None
    assert (head.evidence.rule, head.evidence.time) == ("slurm-out_of_memory", "2026-11-24T10:00:00")


@pytest.mark.parametrize(("verdict", "logs"), [("VALID", "hidden-word"), ("RUNNING", "@SECRET:key@")])
def test_what_a_job_printed_has_no_secret_in_its_record(
    verdict: str, logs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its output comes to the record after the run, which has covered its own; a killed run has not."""
    monkeypatch.setenv("WEFT_RUNS", str(tmp_path / "runs"))
    monkeypatch.setattr(jobs, "accounted", lambda _: {})
    made = records.create(tmp_path / "runs", "one", "", {"slurm": {"job": 7}})
    made.update(verdict=verdict)
    (made.directory / "logs" / "driver.log").write_text("hidden-word\n")
    files = tmp_path / "files"
    files.mkdir()
    (files / "7.out").write_text("the key is hidden-word\n")
    job = Followed(Slurm(), "7", files, "7", Progress(), last=SlurmJob(7, "TIMEOUT", "", "n1", 0))
    job.secrets = [{}, {"@SECRET:key@": "hidden-word"}]
    job.keep()
    assert (made.directory / "job" / "job.out").read_text() == "the key is @SECRET:key@\n"
    assert (made.directory / "logs" / "driver.log").read_text() == f"{logs}\n"


@pytest.fixture
def crowded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Slurm in which another user has given two jobs the name of this user's; what is cancelled is in a file."""
    cancelled = tmp_path / "cancelled"
    cancelled.touch()
    mine = f'case "$*" in *--user={os.getuid()}*) echo 12;; *) printf "11\\n12\\n13\\n";; esac'
    fake_program(tmp_path, "squeue", mine)
    fake_program(tmp_path, "scancel", f'echo "$@" >>{cancelled}')
    fake_program(
        tmp_path, "salloc", "echo 'salloc: Pending job allocation 12\nsalloc: Granted job allocation 12' >&2"
    )
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return cancelled


def test_the_job_that_was_allocated_is_the_one_that_salloc_names(crowded: Path) -> None:
    assert commands.allocate([], "weft-run", 10) == 12


def test_a_job_of_another_user_is_never_cancelled_because_of_its_name(crowded: Path) -> None:
    assert commands.named("weft-run") == [12]
    with lease.hold("run", "a test") as held:
        held.note("job", path="weft-run")
    commands.cancel_named("weft-run")
    assert set(crowded.read_text().split()) == {"12"}


def test_a_lease_with_a_job_is_listed_on_a_machine_without_slurm(
    crowded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have the same home directory."""
    with lease.hold("run", "a test") as held:
        held.note("job", path="weft-run")
        with monkeypatch.context() as elsewhere:
            elsewhere.setenv("PATH", "/nonexistent")
            assert [one.name for one in leftovers.holdings()] == ["run"]


def test_an_allocation_that_names_no_job_is_refused(crowded: Path) -> None:
    fake_program(crowded.parent, "salloc", "exit 0")
    with pytest.raises(NodeError, match="rejected"):
        commands.allocate([], "weft-run", 10)


def test_unlike_nodes_of_a_partition_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "main*|up|1:00:00|3|64|256000+\nmain*|up|1:00:00|2|32|128000\nold|down|infinite|1|8|1000\n"
    monkeypatch.setattr(commands, "ask", lambda *_, **__: commands.shell.Completed(0, lines, ""))
    main, old = commands.partitions()
    assert (main.name, main.default, main.nodes, main.cores, main.memory >> 20) == (
        "main",
        True,
        5,
        32,
        128000,
    )
    assert (old.up, old.time) == (False, "infinite")


def test_a_signal_while_sbatch_runs_cancels_the_job_that_it_submits(tmp_path: Path) -> None:
    fake_program(tmp_path, "sbatch", "kill -INT $PPID; sleep 0.3; echo 12")
    fake_program(tmp_path, "scancel", f'echo "$@" >{tmp_path}/cancelled')
    fake_program(tmp_path, "scontrol", "echo 'JobId=12 JobState=CANCELLED'")
    fake_program(tmp_path, "sacct", "exit 1")
    done = outcome(
        f"""
        from weft.host.schedulers.slurm.scheduler import Slurm
        from weft.run.progress import Progress
        from weft.run.submission import enter
        os.environ["PATH"] = "{tmp_path}:" + os.environ["PATH"]
        def action():
            with enter._submitted(Slurm(), "text", "01ab", Progress()) as job:
                job.follow(None)
        run_guarded(action)
        """,
        tmp_path,
    )
    assert done.returncode == 130, done.stderr
    assert (tmp_path / "cancelled").read_text() == "12\n"
