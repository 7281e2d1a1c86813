"""A job as Slurm's controller knows it: whether it waits, and for what; whether it has ended, and how."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field

from weft.errors import NodeError, WeftError
from weft.host.slurm.commands import ask
from weft.host.slurm.text import fields, seconds

WAITING = {
    "PENDING",
    "CONFIGURING",
    "REQUEUED",
    "REQUEUE_FED",
    "REQUEUE_HOLD",
    "SPECIAL_EXIT",
    "RESV_DEL_HOLD",
}
ENDED = {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "DEADLINE",
         "OUT_OF_MEMORY", "REVOKED"}  # fmt: skip

_REASONS = {
    "Priority": "jobs of higher priority are before it",
    "Resources": "its nodes are in use",
    "BeginTime": "it is not to start before a time",
    "Dependency": "it waits for another job",
    "JobHeldUser": "its user holds it; `scontrol release` lets it go",
    "JobHeldAdmin": "an administrator holds it",
    "ReqNodeNotAvail": "nodes that it needs are down, drained or reserved",
    "Nodes required for job are DOWN": "nodes that it needs are down, drained or reserved",
    "PartitionDown": "its partition takes jobs and starts none",
    "PartitionInactive": "its partition starts no jobs",
    "Licenses": "a license that it asks for is in use",
    "BurstBufferResources": "the burst buffer has no room for it yet",
    "BurstBufferStageIn": "the burst buffer copies its files in",
    "QOSMaxJobsPerUserLimit": "this user has as many jobs as the quality of service allows",
    "AssocMaxJobsLimit": "the account has as many jobs as it may",
    "QOSMaxSubmitJobPerUserLimit": "this user has submitted as many jobs as are allowed",
}
_NEVER = {
    "PartitionNodeLimit": "it asks for more nodes than its partition has or gives to one job",
    "PartitionTimeLimit": "it asks for more time than its partition gives, or the default time is longer than that",
    "PartitionConfig": "it asks for more nodes or time than its partition gives",
    "BadConstraints": "no node has what it asks for",
    "InvalidAccount": "its account is not known",
    "InvalidQOS": "its quality of service is not known",
    "AccountNotAllowed": "its account may not use this partition",
    "QOSNotAllowed": "its quality of service may not be used in this partition",
    "QOSMaxNodePerJobLimit": "it asks for more nodes than its quality of service gives to one job",
    "QOSMaxWallDurationPerJobLimit": "it asks for more time than its quality of service gives",
    "AssocMaxNodePerJobLimit": "it asks for more nodes than its account gives to one job",
    "AssocMaxWallDurationPerJobLimit": "it asks for more time than its account gives",
    "DependencyNeverSatisfied": "the job that it waits for has failed",
}

_ENDS = {
    "CANCELLED": ("was cancelled", ""),
    "TIMEOUT": ("ran into its time limit", "ask for more: --nodes slurm:N,time=2:00:00"),
    "DEADLINE": ("did not reach its end before its deadline", ""),
    "NODE_FAIL": ("lost a node", "run it again; `sinfo -R` says what is wrong with nodes"),
    "BOOT_FAIL": ("was given a node that did not start", "run it again"),
    "PREEMPTED": ("gave way to a job of higher priority", "run it again, or with another qos or partition"),
    "OUT_OF_MEMORY": (
        "used more memory than it was given",
        "ask for more with --nodes slurm:N,memory=64G, or for whole nodes in the site profile",
    ),
    "REVOKED": ("was taken back by Slurm", ""),
}


@dataclass(frozen=True)
class Job:
    """A job, now."""

    number: int
    state: str
    reason: str
    nodes: str
    """Node list in Slurm's short form; empty before it has any."""
    exit_code: int
    """Of its script; 128 + N after signal N."""
    fields: Mapping[str, str] = field(repr=False, default_factory=dict)
    """All that the controller says."""

    @property
    def hopeless(self) -> bool:
        """Whether it waits for what will not come."""
        return self.state in WAITING and self.reason in _NEVER

    def waits_for(self) -> str:
        """Why it has not started, in words."""
        known = {**_REASONS, **_NEVER}
        text = next((text for key, text in known.items() if self.reason.startswith(key)), "")
        return f"{self.reason}: {text}" if text else self.reason or "Slurm has not looked at it yet"

    def end(self) -> NodeError:
        """How it ended, for a job that Slurm ended or is about to end."""
        state = self.state
        if state not in ENDED:  # on its way there
            late = seconds(self.fields.get("RunTime", "")) >= seconds(self.fields.get("TimeLimit", ""))
            state = "TIMEOUT" if late else "CANCELLED"
        text, hint = _ENDS.get(state, (f"ended with exit code {self.exit_code} ({state})", ""))
        after = f" after {self.fields['RunTime']}" if "RunTime" in self.fields else ""
        limit = f" of {self.fields['TimeLimit']}" if state == "TIMEOUT" and "TimeLimit" in self.fields else ""
        return NodeError(f"the Slurm job {self.number} {text}{limit}{after if not limit else ''}", hint=hint)


def job(number: int) -> Job | None:
    """A job, or None when the controller does not know it any more. Raises WeftError when it does not answer."""
    done = ask("scontrol", "show", "--oneliner", "job", str(number), check=False)
    if done.code != 0 and "Invalid job id" not in done.err:
        raise WeftError("Slurm's controller does not answer", tail=done.err.splitlines()[-3:])
    found = fields(done.out.partition("\n")[0]) if done.code == 0 else {}
    if "JobState" not in found:
        return None
    code, _, signal = found.get("ExitCode", "0:0").partition(":")
    ended = int(code) or (128 + int(signal) if int(signal or 0) else 0)
    return Job(
        number,
        found["JobState"],
        found.get("Reason", "").replace("_", " "),
        found.get("NodeList", ""),
        ended,
        found,
    )


def accounted(number: int) -> dict[str, str]:
    """What Slurm's accounting keeps of a job; empty where a site has none."""
    keys = ("Elapsed", "TotalCPU", "CPUTimeRAW", "MaxRSS", "ConsumedEnergy", "AllocTRES")
    if shutil.which("sacct") is None:
        return {}
    done = ask(
        "sacct", "--parsable2", "--noheader", f"--jobs={number}", f"--format={','.join(keys)}", check=False
    )
    lines = done.out.splitlines() if done.code == 0 else []
    return (
        {key: value for key, value in zip(keys, lines[0].split("|"), strict=True) if value} if lines else {}
    )
