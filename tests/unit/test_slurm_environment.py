"""What of its user's environment reaches Slurm's commands, and what must not; several clusters; commands that fail."""

import os
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.fakes import fake_program
from weft.adapters.nodes.slurm import step
from weft.errors import NodeError, UsageError, WeftError
from weft.host import shell
from weft.host.schedulers import known, oar, plain
from weft.host.schedulers.slurm import commands
from weft.host.schedulers.slurm.allocation import AllocatedNode, allocation
from weft.host.schedulers.slurm.scheduler import Slurm
from weft.run.progress import Progress
from weft.run.submission import enter


def test_a_step_has_no_options_from_its_users_environment_that_would_change_what_it_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`SLURM_LABELIO=1` prefixed each line that weft reads, and `SLURM_STDOUTMODE` took them away."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    fake_program(tmp_path, "srun", "env | grep -o '^SLURM_[A-Z_]*' | sort")
    harmful = ("SLURM_LABELIO", "SLURM_STDOUTMODE", "SLURM_STDINMODE", "SLURM_DEBUG", "SLURM_CPU_BIND")
    of_gpus = ("SLURM_GPUS", "SLURM_GPUS_PER_NODE", "SLURM_MEM_PER_GPU", "SLURM_TRES_PER_TASK")
    for name in (*harmful, *of_gpus, "SLURM_BCAST", "SLURM_EXCLUSIVE", "SLURM_TIMELIMIT", "SLURM_HINT"):
        monkeypatch.setenv(name, "1")
    seen = shell.run(step(7, AllocatedNode("n2", 4, 1 << 30, "n2", None))).out.split()
    assert [name for name in seen if not name.startswith("SLURM_JOB")] == ["SLURM_HINT"]


def test_the_options_of_a_users_own_queries_do_not_reach_those_of_weft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`SCANCEL_INTERACTIVE` asked before it cancelled, and `SQUEUE_PARTITION` hid jobs that were to be cancelled."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    names = ("SQUEUE_PARTITION", "SCANCEL_INTERACTIVE", "SBATCH_WAIT", "SBATCH_QOS", "SLURM_CLUSTERS")
    for name in names:
        monkeypatch.setenv(name, "1")
    for program in ("squeue", "scancel", "sbatch"):
        fake_program(tmp_path, program, "env | grep -o '^S[A-Z]*_[A-Z]*' | sort")

    def seen(program: str) -> set[str]:
        return set(commands.ask(program).out.split()) & set(names)

    assert seen("squeue") == {"SCANCEL_INTERACTIVE", "SBATCH_WAIT", "SBATCH_QOS"}
    assert seen("scancel") == {"SQUEUE_PARTITION", "SBATCH_WAIT", "SBATCH_QOS"}
    assert seen("sbatch") == {"SQUEUE_PARTITION", "SCANCEL_INTERACTIVE", "SBATCH_QOS", "SLURM_CLUSTERS"}


def test_a_job_of_another_cluster_is_cancelled_and_refused_because_nobody_could_follow_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    fake_program(tmp_path, "sbatch", "echo '12;large'")
    fake_program(tmp_path, "scontrol", "echo 'ClusterName             = cluster1'")
    fake_program(tmp_path, "scancel", f'echo "$@" > {tmp_path}/cancelled')
    with pytest.raises(UsageError, match="the job would run on large, another cluster"):
        commands.submit(tmp_path / "job.sh")
    assert (tmp_path / "cancelled").read_text() == "--clusters=large 12\n"
    monkeypatch.setenv("SLURM_CLUSTERS", "large")
    fake_program(tmp_path, "salloc", "exit 3")
    with pytest.raises(UsageError, match="the job would run on large, another cluster"):
        commands.allocate([], "weft-x", 1.0)
    monkeypatch.setenv("SLURM_CLUSTERS", "cluster1")
    with pytest.raises(NodeError, match="Slurm rejected the job"):
        commands.allocate([], "weft-x", 1.0)


def test_a_job_script_has_the_bytes_of_a_files_name_even_if_they_are_no_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    fake_program(tmp_path, "sbatch", f'for script; do :; done; cp "$script" {tmp_path}/copy; exit 1')
    text = f"#!/bin/sh\nexec weft submit {os.fsdecode(b'gr' + bytes([0xF6]))}.py\n"
    with pytest.raises(NodeError), enter._submitted(Slurm(), text, "01ab", Progress()):
        pass
    assert (tmp_path / "copy").read_bytes() == b"#!/bin/sh\nexec weft submit gr\xf6.py\n"


def test_a_command_that_fails_is_named_without_what_starts_it(programs: Path) -> None:
    fake_program(programs, "squeue", "echo 'Unable to contact slurm controller' >&2; exit 1")
    with pytest.raises(WeftError, match=r"^`squeue --noheader .*` failed with exit code 1") as caught:
        commands.named("weft-run")
    assert list(caught.value.tail) == ["Unable to contact slurm controller"]
    fake_program(programs, "scontrol", "exec sleep 60")
    with pytest.raises(WeftError, match=r"^`scontrol` did not end within"):
        commands.ask("scontrol", "ping", timeout=0.1)


def test_a_submission_that_takes_too_long_may_have_been_accepted(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "SUBMISSION", 0.1)
    monkeypatch.setattr(plain, "SUBMISSION", 0.1)
    for name in ("sbatch", "qsub", "bsub"):
        fake_program(programs, name, "exec sleep 60")
    with pytest.raises(WeftError, match=r"^`sbatch` did not end within") as caught:
        commands.submit(programs / "job.sh")
    assert "`squeue --me` shows it" in caught.value.hint
    (programs / "job.sh").touch()
    for kind, title in (("pbs", "PBS"), ("lsf", "LSF")):
        with pytest.raises(WeftError, match=f"^{title} did not answer within") as caught:
            known.KINDS[kind].submit(programs / "job.sh")
        assert f"{title} may have accepted the job" in caught.value.hint


def test_a_job_of_oar_is_deleted_also_if_nobody_knows_whether_it_has_ended(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oar, "_CLEANING", 0.2)
    monkeypatch.setattr(oar, "_POLL", 0.1)
    fake_program(programs, "oarstat", "echo 'cannot connect to database' >&2; exit 1")
    fake_program(programs, "oardel", f'echo "$@" >>{programs}/asked')
    known.KINDS["oar"].cancel("7")
    assert (programs / "asked").read_text() == "-s 12 7\n7\n"


@pytest.mark.parametrize(
    ("answer", "over"),
    [
        ("Kill job error on job id 12: Invalid job id specified", True),
        ("Kill job error on job id 12: Job/step already completing or completed", True),
        ("Kill job error on job id 12: Unable to contact slurm controller", False),
    ],
)
def test_a_job_that_has_ended_needs_no_cancelling_and_a_silent_controller_is_an_error(
    answer: str, over: bool, programs: Path
) -> None:
    fake_program(programs, "scancel", f"echo 'scancel: error: {answer}' >&2; exit 1")
    with nullcontext() if over else pytest.raises(WeftError, match="does not cancel job 12"):
        commands.cancel(12)


def test_a_job_without_nodes_is_an_error_and_no_traceback(programs: Path) -> None:
    fake_program(programs, "scontrol", "echo 'JobId=7 JobState=PENDING'")
    with pytest.raises(NodeError, match="does not report the nodes of its job 7"):
        commands.variables(7)


def test_a_node_that_the_controller_does_not_know_has_what_its_host_reports(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    room = "weft.host.schedulers.slurm.allocation"
    monkeypatch.setattr(f"{room}.hostnames", lambda text: text.split(","))
    monkeypatch.setattr(f"{room}.node_fields", lambda _: {"a": {"RealMemory": "2000", "NodeAddr": "a-ib"}})
    shared = {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "a,b", "SLURM_JOB_CPUS_PER_NODE": "2(x2)"}
    found = [(part.name, part.memory >> 20, part.address) for part in allocation(shared).parts]
    assert found == [("a", 2000, "a-ib"), ("b", 0, "b")]
    limited = allocation({**shared, "SLURM_MEM_PER_NODE": "500"}).parts
    assert [part.memory >> 20 for part in limited] == [500, 500]
