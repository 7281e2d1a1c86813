"""Slurm as one of the batch systems."""

import os
import shlex
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import ClassVar

from weft.host.schedulers.base import Known, Scheduler, Script, prepared
from weft.host.schedulers.slurm import commands, jobs
from weft.host.schedulers.slurm.allocation import wrapper
from weft.host.schedulers.slurm.jobs import SlurmJob


class Slurm(Scheduler):
    """sbatch, scontrol, scancel, sacct."""

    kind: ClassVar[str] = "slurm"
    title: ClassVar[str] = "Slurm"
    prefix: ClassVar[str] = "#SBATCH"
    cancels: ClassVar[Sequence[str]] = ("scancel",)
    queue_hint: ClassVar[str] = "`sinfo` lists partitions and nodes"
    start_hint: ClassVar[str] = "`squeue --start` may show the start time"
    lingering: ClassVar[float] = 45.0  # it waits 30 s (KillWait) before it kills
    lost_hint: ClassVar[str] = "`sacct` may show how it ended"
    reported: ClassVar[Sequence[str]] = (
        "JobState", "Partition", "Account", "QOS", "NodeList", "SubmitTime", "StartTime", "EndTime", "RunTime",
        "TimeLimit", "TRES", "ExitCode", "Restarts",
    )  # fmt: skip

    def current(self) -> str:
        return str(wrapper() or "")

    def submit(self, script: Path) -> str:
        # a user's SBATCH_ACCOUNT and the like override directives of a script, but not arguments (sbatch(1))
        return str(commands.submit(script, [*_options(os.fsdecode(script.read_bytes()))]))

    def job(self, number: str, followed: Known | None = None) -> SlurmJob | None:  # noqa: ARG002 - it knows all
        return jobs.job(int(number))

    def cancel(self, number: str) -> None:
        commands.cancel(int(number))

    def accounted(self, number: str) -> dict[str, str]:
        return jobs.accounted(int(number))

    def gone(self, number: str) -> bool:
        now = self.job(number)
        return now is None or now.state not in jobs.RUNNING

    def script(self, parts: Script) -> str:
        """The command replaces the script, so that it receives Slurm's signals and its exit code is the job's."""
        directives = [
            *parts.directives,
            f"--job-name={parts.name}",
            f"--output={parts.folder}/%j.out",
            f"--error={parts.folder}/%j.err",
            "--no-requeue",
        ]
        lines = [
            # a login shell defines the command `module`
            "#!/bin/bash -l" if parts.modules else "#!/bin/sh",
            *(f"{self.prefix} {shlex.quote(word)}" for word in directives),
            *map(self.marked, parts.extra),
            "umask 077",
            *prepared(parts),
            f"exec {shlex.join(parts.command)}",
        ]
        return "\n".join(lines) + "\n"


def _options(script: str) -> Iterator[str]:
    """The directives of a script that are one option each, as weft's own are."""
    for line in takewhile(lambda line: line.startswith("#"), script.splitlines()):
        try:
            words = shlex.split(line.removeprefix(Slurm.prefix))
        except ValueError:  # of the site profile, without a closing quotation
            continue
        if line.startswith(f"{Slurm.prefix} ") and len(words) == 1 and words[0].startswith("--"):
            yield words[0]
