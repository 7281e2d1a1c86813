"""Slurm's commands about the machine, and the ones that take a job and end it."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from weft.errors import MissingError, NodeError, WeftError
from weft.host import shell
from weft.host.slurm.text import fields, parts_of

_PACKAGE = "slurm-client"


@dataclass(frozen=True)
class Partition:
    """A queue of jobs and its nodes. `cores` and `memory` (bytes) are of its smallest node."""

    name: str
    default: bool
    up: bool
    time: str
    """Longest wall time, as Slurm writes it."""
    nodes: int
    cores: int
    memory: int


def installed() -> bool:
    """Whether this machine has Slurm's commands."""
    return all(shutil.which(name) for name in ("sbatch", "scontrol", "sinfo", "srun"))


def ask(name: str, *arguments: str, check: bool = True) -> shell.Completed:
    """Run one of Slurm's commands to its end."""
    return shell.run([shell.tool(name, _PACKAGE), *arguments], check=check)


def hostnames(nodelist: str) -> list[str]:
    """The names in a node list: n[1-3] is n1, n2, n3."""
    return ask("scontrol", "show", "hostnames", nodelist).out.split()


def partitions() -> list[Partition]:
    """Every partition that this user is shown."""
    found: dict[str, Partition] = {}
    for line in ask("sinfo", "--noheader", "--format=%P|%a|%l|%D|%c|%m").out.splitlines():
        name, available, time, nodes, cores, memory = line.split("|")
        this = Partition(name.rstrip("*"), name.endswith("*"), available == "up", time, int(nodes),
                         int(cores.rstrip("+")), int(memory.rstrip("+")) << 20)  # fmt: skip
        # unlike nodes have a line of their own
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
    """What the controller says of nodes, by name."""
    lines = ask("scontrol", "show", "--oneliner", "node", ",".join(names)).out.splitlines()
    return {found["NodeName"]: found for line in lines if (found := fields(line)).get("NodeName")}


def burst_buffer() -> str:
    """The kind of burst buffer that Slurm manages here; empty without one."""
    lines = ask("scontrol", "show", "config").out.splitlines()
    pairs = {key.strip(): value.strip() for key, _, value in (line.partition("=") for line in lines)}
    return pairs.get("BurstBufferType", "(null)").replace("(null)", "").removeprefix("burst_buffer/")


def submit(script: Path) -> int:
    """Submit a script; the job's number. Raises NodeError with Slurm's refusal."""
    done = ask("sbatch", "--parsable", str(script), check=False)
    if done.code != 0:
        raise refused(done.err)
    return int(done.out.strip().split(";")[0])


def allocate(arguments: Sequence[str], name: str, patience: float) -> int:
    """A job of that name without a script, once it has its nodes; its number.

    Raises NodeError with Slurm's refusal, or when it does not start within `patience` seconds.
    """
    argv = [shell.tool("salloc", _PACKAGE), "--no-shell", "--quiet", f"--job-name={name}", *arguments]
    try:
        done = shell.run(argv, timeout=patience, check=False)
    except MissingError:
        raise
    except WeftError as error:
        reasons = ask("squeue", "--noheader", f"--name={name}", "--format=%r", check=False).out.splitlines()
        raise NodeError(
            f"the Slurm job {name} did not start within {patience:.0f} s: {''.join(reasons[:1])}",
            hint="allow more with --nodes slurm:N,wait=1h",
        ) from error
    if done.code != 0:
        raise refused(done.err)
    return named(name)[0]


def named(name: str) -> list[int]:
    """Numbers of the jobs of a name that wait or run; those that are ending are none of them."""
    states = "--states=PENDING,CONFIGURING,RUNNING,SUSPENDED"
    done = ask("squeue", "--noheader", f"--name={name}", states, "--format=%A", check=False)
    return [int(word) for word in done.out.split()]


def variables(number: int) -> dict[str, str]:
    """What a process in a job finds in its environment about the job's nodes."""
    line = ask("scontrol", "show", "--details", "--oneliner", "job", str(number)).out
    names = fields(line)["NodeList"]
    parts = {name: (cores, memory) for nodes, cores, memory in parts_of(line) for name in hostnames(nodes)}
    given = [parts[name] for name in hostnames(names)]
    return {
        "SLURM_JOB_ID": str(number),
        "SLURM_JOB_NODELIST": names,
        "SLURM_JOB_CPUS_PER_NODE": ",".join(str(cores) for cores, _ in given),
        "SLURM_MEM_PER_NODE": str(min(memory for _, memory in given)),
    }


def cancel(number: int) -> None:
    """End a job, which need not be there any more."""
    ask("scancel", str(number), check=False)


def cancel_named(name: str) -> None:
    """End this user's jobs of a name."""
    for number in named(name):
        cancel(number)


def refused(said: str) -> NodeError:
    """Slurm's own words about a job that it does not take."""
    lines = [
        line.removeprefix("sbatch: ").removeprefix("salloc: ").removeprefix("error: ")
        for line in said.splitlines()
        if line
    ]
    failure = next((line for line in reversed(lines) if "failed: " in line), lines[-1] if lines else "")
    reason = failure.rpartition("failed: ")[2] or "it gives no reason"
    tail = [line for line in lines if line != failure]
    return NodeError(f"Slurm does not take the job: {reason}", tail=tail, hint=_fix(reason.lower()))


def _fix(reason: str) -> str:
    where = "with --nodes slurm:N,KEY=VALUE, or in the site profile"
    for word, fix in (
        ("account", f"account=NAME names another account, {where}"),
        ("qos", f"qos=NAME names another quality of service, {where}"),
        ("partition", f"partition=NAME names another partition, {where}; `sinfo` lists them"),
        ("time", f"time=10:00 asks for less time, {where}"),
        ("feature", f"constraint=NAME asks for other features, {where}; `sinfo -o '%N %f'` lists them"),
        ("node", "ask for fewer or other nodes; `sinfo` lists what there is"),
    ):
        if word in reason:
            return fix
    return "`weft plan` prints the script that is submitted"
