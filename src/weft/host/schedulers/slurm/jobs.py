"""The state of a job in Slurm's controller: whether and why it is pending, whether and how it ended."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field

from weft.errors import FailureEvidence, NodeError, WeftError
from weft.host.schedulers.slurm.commands import ask
from weft.host.schedulers.slurm.text import fields, seconds

WAITING = {
    "PENDING",
    "CONFIGURING",
    "REQUEUED",
    "REQUEUE_FED",
    "REQUEUE_HOLD",
    "SPECIAL_EXIT",
    "RESV_DEL_HOLD",
}
RUNNING = {"RUNNING", "SUSPENDED", "STOPPED", "SIGNALING", "RESIZING"}
"""States of a job that has its nodes and has not ended (squeue(1)): a suspended one continues."""
ENDED = {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "DEADLINE",
         "OUT_OF_MEMORY", "REVOKED"}  # fmt: skip

_REASONS = {
    "Priority": "jobs of higher priority are ahead of it",
    "Resources": "its nodes are in use",
    "BeginTime": "its begin time is in the future",
    "Dependency": "it waits for another job",
    "JobHeldUser": "its user holds it; `scontrol release` releases it",
    "JobHeldAdmin": "an administrator holds it",
    "ReqNodeNotAvail": "nodes that it needs are down, drained or reserved",
    "Nodes required for job are DOWN": "nodes that it needs are down, drained or reserved",
    "PartitionDown": "its partition accepts jobs but starts none",
    "PartitionInactive": "its partition starts no jobs",
    "Licenses": "a license that it requests is in use",
    "BurstBufferResources": "the burst buffer has no free space for it yet",
    "BurstBufferStageIn": "its files are being copied to the burst buffer",
    "QOSMaxJobsPerUserLimit": "this user has reached the job limit of the quality of service",
    "AssocMaxJobsLimit": "the account has reached its job limit",
    "QOSMaxSubmitJobPerUserLimit": "this user has reached the limit of submitted jobs",
}
_NEVER = {
    "PartitionNodeLimit": "it requests more nodes than its partition has or allows for one job",
    "PartitionTimeLimit": "it requests more time than its partition allows, or the default time exceeds that limit",
    "PartitionConfig": "it requests more nodes or time than its partition allows",
    "BadConstraints": "no node meets its constraints",
    "InvalidAccount": "the account is unknown",
    "InvalidQOS": "its quality of service is unknown",
    "AccountNotAllowed": "the account may not use this partition",
    "QOSNotAllowed": "its quality of service may not be used in this partition",
    "QOSMaxNodePerJobLimit": "it requests more nodes than its quality of service allows for one job",
    "QOSMaxWallDurationPerJobLimit": "it requests more time than its quality of service allows",
    "AssocMaxNodePerJobLimit": "it requests more nodes than the account allows for one job",
    "AssocMaxWallDurationPerJobLimit": "it requests more time than the account allows",
    "DependencyNeverSatisfied": "a job on which it depends has failed",
}

_ENDS = {
    "CANCELLED": ("was cancelled", ""),
    "TIMEOUT": ("reached its time limit", "request more: --nodes slurm:N,time=2:00:00"),
    "DEADLINE": ("did not finish before its deadline", ""),
    "NODE_FAIL": ("lost a node", "run it again; `sinfo -R` shows what is wrong with nodes"),
    "BOOT_FAIL": ("was allocated a node that did not boot", "run it again"),
    "PREEMPTED": (
        "was preempted by a job of higher priority",
        "run it again, or with another qos or partition",
    ),
    "OUT_OF_MEMORY": (
        "exceeded its memory allocation",
        "request more with --nodes slurm:N,memory=64G, or for whole nodes in the site profile",
    ),
    "REVOKED": ("was revoked by Slurm", ""),
}


@dataclass(frozen=True)
class SlurmJob:
    """The current state of a job."""

    number: int
    state: str
    reason: str
    nodes: str
    """Node list in Slurm's short form; empty before the job has nodes."""
    exit_code: int
    """Exit code of its script; 128 + N after signal N."""
    fields: Mapping[str, str] = field(repr=False, default_factory=dict)
    """All fields that the controller reports."""

    @property
    def waiting(self) -> bool:
        """Whether it has not started."""
        return self.state in WAITING

    @property
    def ending(self) -> bool:
        """Whether its script has ended; the last nodes of a completing job may be nodes that do not respond."""
        return self.state == "COMPLETING"

    @property
    def ended(self) -> bool:
        """Whether it has ended."""
        return self.state in ENDED

    @property
    def own_end(self) -> bool:
        """Whether it ended, or ends, because its script did."""
        return self.state in {"COMPLETED", "FAILED", "COMPLETING"}

    @property
    def requeued(self) -> bool:
        """Whether it waits for a second start."""
        return self.waiting and self.fields.get("Restarts", "0") != "0"

    @property
    def hopeless(self) -> bool:
        """Whether it waits for something that will never happen."""
        return self.state in WAITING and self.reason in _NEVER

    def waits_for(self) -> str:
        """Why it has not started, as text."""
        known = {**_NEVER, **_REASONS}  # Dependency begins DependencyNeverSatisfied too
        text = next((text for key, text in known.items() if self.reason.startswith(key)), "")
        return f"{self.reason}: {text}" if text else self.reason or "Slurm has not considered it yet"

    def end(self) -> NodeError:
        """How it ended, if Slurm ended it or is about to."""
        state = self.state
        if state not in ENDED:  # not there yet
            late = seconds(self.fields.get("RunTime", "")) >= seconds(self.fields.get("TimeLimit", ""))
            state = "TIMEOUT" if late else "CANCELLED"
        text, hint = _ENDS.get(state, (f"ended with exit code {self.exit_code} ({state})", ""))
        after = f" after {self.fields['RunTime']}" if "RunTime" in self.fields else ""
        limit = f" of {self.fields['TimeLimit']}" if state == "TIMEOUT" and "TimeLimit" in self.fields else ""
        error = NodeError(f"Slurm job {self.number} {text}{limit}{after if not limit else ''}", hint=hint)
        error.evidence = self._evidence(state)
        return error

    def _evidence(self, state: str) -> FailureEvidence:
        known = {key: self.fields[key] for key in ("RunTime", "TimeLimit", "ExitCode") if key in self.fields}
        excerpt = " ".join(f"{key}={value}" for key, value in {"JobState": self.state, **known}.items())
        name, time = f"slurm-{state.lower()}", self.fields.get("EndTime", "")
        return FailureEvidence(f"scontrol show job {self.number}", 0, excerpt, name, self.nodes, time)


def job(number: int) -> SlurmJob | None:
    """A job, or None if the controller no longer knows it. Raises WeftError if the controller does not answer."""
    done = ask("scontrol", "show", "--oneliner", "job", str(number), check=False)
    if done.code != 0 and "Invalid job id" not in done.err:
        raise WeftError("Slurm's controller does not answer", tail=done.err.splitlines()[-3:])
    found = fields(done.out.partition("\n")[0]) if done.code == 0 else {}
    if "JobState" not in found:
        return None
    code, _, signal = found.get("ExitCode", "0:0").partition(":")
    ended = int(code) or (128 + int(signal) if int(signal or 0) else 0)
    return SlurmJob(
        number,
        found["JobState"],
        found.get("Reason", "").replace("_", " "),
        found.get("NodeList", ""),
        ended,
        found,
    )


def accounted(number: int) -> dict[str, str]:
    """Slurm's accounting data about a job; empty if a site has no accounting, or if its database does not answer."""
    keys = ("Elapsed", "TotalCPU", "CPUTimeRAW", "MaxRSS", "ConsumedEnergy", "AllocTRES")
    if shutil.which("sacct") is None:
        return {}
    columns = f"--format={','.join(keys)}"
    try:
        done = ask("sacct", "--parsable2", "--noheader", f"--jobs={number}", columns, check=False)
    except WeftError:  # the end of the job does not depend on it
        return {}
    if done.code != 0 or not done.out:
        return {}
    return {key: value for key, value in zip(keys, done.out.splitlines()[0].split("|"), strict=True) if value}
