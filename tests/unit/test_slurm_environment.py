"""What of its user's environment reaches Slurm's commands, and what must not; and several clusters."""

import os
from pathlib import Path

import pytest

from tests.fakes import fake_program
from weft.adapters.nodes.slurm import step
from weft.errors import NodeError, UsageError
from weft.host import shell
from weft.host.schedulers.slurm import commands
from weft.host.schedulers.slurm.allocation import AllocatedNode
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
    for name in (*harmful, "SLURM_BCAST", "SLURM_EXCLUSIVE", "SLURM_TIMELIMIT", "SLURM_HINT"):
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
