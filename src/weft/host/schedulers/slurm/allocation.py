"""The job in which this process runs: its nodes, and the resources on each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from weft.errors import NodeError
from weft.host import settings
from weft.host.schedulers.slurm.commands import hostnames, node_fields
from weft.host.schedulers.slurm.text import per_node


@dataclass(frozen=True)
class AllocatedNode:
    """A node of the job: cores and bytes of memory that the job has on it, 0 if only the node knows, and its address in Slurm's
    configuration."""

    name: str
    cores: int
    memory: int
    address: str
    group: int | None
    """The component of a heterogeneous job; None in an ordinary job."""


@dataclass(frozen=True)
class Allocation:
    """A job's nodes, in Slurm's order."""

    job: int
    parts: Sequence[AllocatedNode]


def inside() -> bool:
    """Whether this process runs in a job, or in the shell of `salloc`."""
    return wrapper() is not None


def wrapper() -> int | None:
    """The ID of the job in which this process runs, if any; read from the environment."""
    return int(settings.slurm().get("SLURM_JOB_ID", "0")) or None


def allocation(variables: Mapping[str, str] | None = None) -> Allocation:
    """The job of this process, or the one with these variables. Raises NodeError outside of a job."""
    variables = settings.slurm() if variables is None else variables
    if "SLURM_JOB_ID" not in variables:
        raise NodeError("this is not a Slurm job", hint="submit with sbatch, or start one with salloc")
    size = int(variables.get("SLURM_HET_SIZE", "0"))
    groups = list(range(size)) if size else [None]
    parts = [part for group in groups for part in _parts(variables, group)]
    return Allocation(int(variables["SLURM_JOB_ID"]), parts)


def _parts(variables: Mapping[str, str], group: int | None) -> list[AllocatedNode]:
    end = "" if group is None else f"_HET_GROUP_{group}"
    for name in (f"SLURM_JOB_NODELIST{end}", f"SLURM_JOB_CPUS_PER_NODE{end}"):
        if name not in variables:
            raise NodeError(
                f"SLURM_JOB_ID is set, and {name} is not: this shell has only a part of the job's variables",
                hint="start weft in the batch script or in the shell of salloc; outside of a job, unset SLURM_JOB_ID",
            )
    names = hostnames(variables[f"SLURM_JOB_NODELIST{end}"])
    cores = per_node(variables[f"SLURM_JOB_CPUS_PER_NODE{end}"])
    known = node_fields(names)
    each = variables.get(f"SLURM_MEM_PER_NODE{end}")
    per_core = variables.get(f"SLURM_MEM_PER_CPU{end}")
    parts = []
    for name, count in zip(names, cores, strict=True):
        about = known.get(name, {})
        whole = int(about.get("RealMemory", 0))
        # 0 means all of the node's
        given = int(each or 0) or (int(per_core) * count if per_core else 0) or whole
        memory = min(given, whole or given) << 20
        parts.append(AllocatedNode(name, count, memory, about.get("NodeAddr", name), group))
    return parts
