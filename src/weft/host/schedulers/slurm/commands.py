"""Slurm's commands about the machine, and those that submit and cancel jobs."""

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from weft.errors import MissingError, NodeError, UsageError, WeftError
from weft.host import settings, shell
from weft.host.schedulers.base import SUBMISSION
from weft.host.schedulers.slurm.text import fields, parts_of

_PACKAGE = "slurm-client"
_NUMBER = re.compile(r"^(\d+)(?:;(\S+))?\s*$", re.MULTILINE)
"""What sbatch --parsable prints: the job's ID, and the cluster's name if there are several."""
_GRANTED = re.compile(r"Granted job allocation (\d+)")
"""What salloc prints about the job that it has allocated."""
_OVER = ("Invalid job id", "already completing or completed")
"""What scancel prints about a job that has ended."""

_NEVER = {"sbatch": ("SBATCH_ARRAY_INX", "SBATCH_WAIT")}
"""Variables that a command does not get, where it gets some: those that choose a job's resources are the user's to set. The
others set the form and the extent of what a command prints, and whether it asks before it cancels."""


@dataclass(frozen=True)
class Partition:
    """A partition and its nodes. `cores` and `memory` (bytes) are those of its smallest node."""

    name: str
    default: bool
    up: bool
    time: str
    """Maximum wall time, in Slurm's format."""
    nodes: int
    cores: int
    memory: int


def installed() -> bool:
    """Whether this machine has Slurm's commands."""
    return all(shutil.which(name) for name in ("sbatch", "scontrol", "sinfo", "srun"))


def ask(name: str, *arguments: str, check: bool = True, timeout: float = 60) -> shell.Completed:
    """Run one of Slurm's commands until it exits. Raises WeftError if it does not, or if `check` is set and it fails."""
    # a user may have another form of times, which says no day
    plain = {"SLURM_TIME_FORMAT": "standard"}
    own = _NEVER.get(name) or ("SLURM_CLUSTERS", *settings.variables_of(name))
    unset = [f"--unset={variable}" for variable in own]
    argv = ["env", *unset, shell.tool(name, _PACKAGE), *arguments]
    try:
        done = shell.run(argv, timeout=timeout, check=False, env=plain)
    except WeftError as error:
        error.message = error.message.replace("`env`", f"`{name}`")
        raise
    if check and done.code != 0:
        lines = [line for line in (done.err + done.out).splitlines() if line.strip()]
        what = " ".join([name, *arguments])
        raise WeftError(f"`{what}` failed with exit code {done.code}", tail=lines[-5:])
    return done


def hostnames(nodelist: str) -> list[str]:
    """The names in a node list: n[1-3] is n1, n2, n3."""
    return ask("scontrol", "show", "hostnames", nodelist).out.split()


def partitions() -> list[Partition]:
    """Every partition that is visible to this user."""
    found: dict[str, Partition] = {}
    for line in ask("sinfo", "--noheader", "--format=%P|%a|%l|%D|%c|%m").out.splitlines():
        name, available, time, nodes, cores, memory = line.split("|")
        this = Partition(name.rstrip("*"), name.endswith("*"), available == "up", time, int(nodes),
                         int(cores.rstrip("+")), int(memory.rstrip("+")) << 20)  # fmt: skip
        # nodes that differ have separate lines
        if (other := found.get(this.name)) is not None:
            this = replace(
                this,
                nodes=this.nodes + other.nodes,
                cores=min(this.cores, other.cores),
                memory=min(this.memory, other.memory),
            )
        found[this.name] = this
    return list(found.values())


def node_fields(names: Sequence[str]) -> dict[str, Mapping[str, str]]:
    """The controller's data about nodes, by name."""
    lines = ask("scontrol", "show", "--oneliner", "node", ",".join(names)).out.splitlines()
    return {found["NodeName"]: found for line in lines if (found := fields(line)).get("NodeName")}


def burst_buffer() -> str:
    """The kind of burst buffer that Slurm manages here; empty without one."""
    return _config("BurstBufferType").removeprefix("burst_buffer/")


def _config(key: str) -> str:
    """A value of the controller's configuration; empty if it is not set."""
    lines = ask("scontrol", "show", "config").out.splitlines()
    pairs = {name.strip(): value.strip() for name, _, value in (line.partition("=") for line in lines)}
    return pairs.get(key, "").replace("(null)", "")


def submit(script: Path, arguments: Sequence[str] = ()) -> int:
    """Submit a script and return the job's ID. Raises NodeError with Slurm's error message."""
    try:
        done = ask("sbatch", "--parsable", *arguments, str(script), check=False, timeout=SUBMISSION)
    except MissingError:
        raise
    except WeftError as error:
        error.hint = "Slurm may have accepted the job: `squeue --me` shows it, and `scancel` ends it"
        raise
    # a site's own sbatch may greet its users first
    numbers = _NUMBER.findall(done.out)
    if done.code != 0 or not numbers:
        raise refused(done.err or done.out)
    number, cluster = numbers[-1]
    if cluster and cluster != _config("ClusterName"):
        ask("scancel", f"--clusters={cluster}", number, check=False)
        raise _elsewhere(cluster)
    return int(number)


def _elsewhere(cluster: str) -> UsageError:
    return UsageError(
        f"the job would run on {cluster}, another cluster than this machine's, and could not be followed from here",
        hint="call weft on a login node of that cluster, or unset --clusters in the site profile and the variables that end in _CLUSTERS",
    )


def allocate(arguments: Sequence[str], name: str, patience: float) -> int:
    """Allocate a job of that name without a script, and return its ID when it has its nodes.

    Raises NodeError with Slurm's error message, or if it does not start within `patience` seconds.
    """
    # what salloc prints does not say of which cluster the job is
    cluster = settings.chosen_cluster()
    if cluster and cluster != _config("ClusterName"):
        raise _elsewhere(cluster)
    argv = [shell.tool("salloc", _PACKAGE), "--no-shell", f"--job-name={name}", *arguments]
    try:
        done = shell.run(argv, timeout=patience, check=False)
    except MissingError:
        raise
    except WeftError as error:
        reasons: list[str] = []
        with suppress(WeftError):
            reasons = _of_this_user(name, "--format=%r")
        raise NodeError(
            f"Slurm job {name} did not start within {patience:.0f} s: {''.join(reasons[:1])}",
            hint="wait longer with --nodes slurm:N,wait=1h",
        ) from error
    granted = _GRANTED.search(done.err)
    if done.code != 0 or granted is None:
        raise refused(done.err)
    return int(granted[1])


def named(name: str) -> list[int]:
    """IDs of this user's pending or running jobs of a name, without those that are completing. Raises WeftError."""
    states = "--states=PENDING,CONFIGURING,RUNNING,SUSPENDED"
    return [int(line) for line in _of_this_user(name, states, "--format=%A")]


def _of_this_user(name: str, *arguments: str) -> list[str]:
    """A line about each of this user's jobs of a name: others can give theirs the same one."""
    own = f"--user={os.getuid()}"
    return ask("squeue", "--noheader", own, f"--name={name}", *arguments).out.splitlines()


def variables(number: int) -> dict[str, str]:
    """The variables of a process in a job that describe the job's nodes."""
    line = ask("scontrol", "show", "--details", "--oneliner", "job", str(number)).out
    names = fields(line).get("NodeList", "")
    parts = {name: (cores, memory) for nodes, cores, memory in parts_of(line) for name in hostnames(nodes)}
    chosen = hostnames(names) if names else []
    if not chosen or not parts.keys() >= set(chosen):
        raise NodeError(
            f"Slurm does not report the nodes of its job {number}",
            hint="the job may have ended: `sacct` may show how",
        )
    given = [parts[name] for name in chosen]
    return {
        "SLURM_JOB_ID": str(number),
        "SLURM_JOB_NODELIST": names,
        "SLURM_JOB_CPUS_PER_NODE": ",".join(str(cores) for cores, _ in given),
        "SLURM_MEM_PER_NODE": str(min(memory for _, memory in given)),
    }


def cancel(number: int) -> None:
    """Cancel a job, which may have ended already. Raises WeftError if Slurm does not cancel it."""
    done = ask("scancel", str(number), check=False)
    if done.code != 0 and not any(text in done.err for text in _OVER):
        raise WeftError(
            f"Slurm does not cancel job {number}",
            tail=done.err.splitlines()[-3:],
            hint=f"`scancel {number}` ends it when Slurm answers again",
        )


def cancel_named(name: str) -> None:
    """Cancel this user's jobs of a name. Raises WeftError if one may go on."""
    for number in named(name):
        cancel(number)


def refused(output: str) -> NodeError:
    """Slurm's error message about a job that it rejected."""
    lines = [
        line.removeprefix("sbatch: ").removeprefix("salloc: ").removeprefix("error: ")
        for line in output.splitlines()
        if line
    ]
    failure = next((line for line in reversed(lines) if "failed: " in line), lines[-1] if lines else "")
    reason = failure.rpartition("failed: ")[2] or "no reason given"
    tail = [line for line in lines if line != failure]
    return NodeError(f"Slurm rejected the job: {reason}", tail=tail, hint=_fix(reason.lower()))


def _fix(reason: str) -> str:
    where = "with --nodes slurm:N,KEY=VALUE, or in the site profile"
    for word, fix in (
        ("timed out", "the controller is busy; try again, unless `squeue --me` shows the job"),
        ("violates", f"request less, or qos=NAME, {where}; `sacctmgr show qos` lists limits"),
        ("account", f"account=NAME selects another account, {where}"),
        ("qos", f"qos=NAME selects another quality of service, {where}"),
        ("partition", f"partition=NAME selects another partition, {where}; `sinfo` lists them"),
        ("time", f"time=10:00 requests less time, {where}"),
        ("feature", f"constraint=NAME requests other features, {where}; `sinfo -o '%N %f'` lists them"),
        ("node", "request fewer or other nodes; `sinfo` lists them"),
    ):
        if word in reason:
            return fix
    return "`weft plan` prints the script that is submitted"
