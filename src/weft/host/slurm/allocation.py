"""The job that this process runs in: its nodes, and what it was given of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from weft.errors import NodeError
from weft.host import settings
from weft.host.slurm.commands import hostnames, node_fields
from weft.host.slurm.text import per_node


@dataclass(frozen=True)
class Part:
    """A node of the job: cores and bytes of memory that the job has of it, its address as Slurm names it."""

    name: str
    cores: int
    memory: int
    address: str
    group: int | None
    """Which part of a heterogeneous job it belongs to; None in a plain one."""


@dataclass(frozen=True)
class Allocation:
    """A job's nodes, in Slurm's order."""

    job: int
    parts: Sequence[Part]


def inside() -> bool:
    """Whether this process runs in a job, or in the shell of `salloc`."""
    return wrapper() is not None


def wrapper() -> int | None:
    """The number of the job around this process, if there is one; Slurm is not asked."""
    return int(settings.slurm().get("SLURM_JOB_ID", "0")) or None


def allocation(told: Mapping[str, str] | None = None) -> Allocation:
    """The job around this process, or around the one that has these variables. Raises NodeError outside of one."""
    told = settings.slurm() if told is None else told
    if "SLURM_JOB_ID" not in told:
        raise NodeError("this is not a Slurm job", hint="submit with sbatch, or start one with salloc")
    size = int(told.get("SLURM_HET_SIZE", "0"))
    groups = list(range(size)) if size else [None]
    parts = [part for group in groups for part in _parts(told, group)]
    return Allocation(int(told["SLURM_JOB_ID"]), parts)


def _parts(told: Mapping[str, str], group: int | None) -> list[Part]:
    end = "" if group is None else f"_HET_GROUP_{group}"
    names = hostnames(told[f"SLURM_JOB_NODELIST{end}"])
    cores = per_node(told[f"SLURM_JOB_CPUS_PER_NODE{end}"])
    known = node_fields(names)
    each = told.get(f"SLURM_MEM_PER_NODE{end}")
    per_core = told.get(f"SLURM_MEM_PER_CPU{end}")
    parts = []
    for name, count in zip(names, cores, strict=True):
        whole = int(known[name]["RealMemory"])
        # 0 stands for all of the node's
        given = int(each or 0) or (int(per_core) * count if per_core else 0) or whole
        parts.append(Part(name, count, min(given, whole) << 20, known[name].get("NodeAddr", name), group))
    return parts
