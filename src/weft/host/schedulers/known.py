"""The batch systems that weft knows, and the jobs that a lease names."""

from collections.abc import Mapping

from weft.errors import WeftError
from weft.host.schedulers.base import BatchJob, Scheduler
from weft.host.schedulers.flux import Flux
from weft.host.schedulers.gridengine import GridEngine
from weft.host.schedulers.lsf import Lsf
from weft.host.schedulers.oar import Oar
from weft.host.schedulers.pbs import Pbs
from weft.host.schedulers.slurm.scheduler import Slurm

KINDS: Mapping[str, Scheduler] = {
    one.kind: one for one in (Slurm(), Pbs(), Lsf(), Flux(), GridEngine(), Oar())
}


def named(kind: str, number: str) -> str:
    """A job as a lease has it: NUMBER of Slurm, KIND:NUMBER of others."""
    return number if kind == "slurm" else f"{kind}:{number}"


def current() -> str:
    """The job around this process, as a lease has it; empty outside of jobs."""
    found = ((kind, scheduler.current()) for kind, scheduler in KINDS.items())
    return next((named(kind, number) for kind, number in found if number), "")


def of(job: str) -> tuple[Scheduler, str]:
    """The batch system of a job that a lease names, and the job's ID there."""
    kind, colon, number = job.partition(":")
    return (KINDS[kind], number) if colon else (KINDS["slurm"], job)


def gone(job: str) -> bool:
    """Whether a job is known not to run; False if its batch system does not answer."""
    scheduler, number = of(job)
    try:
        return scheduler.gone(number)
    except WeftError:
        return False


def state(job: str) -> BatchJob | None:
    """The current state of a job; None if it is not known, or if its batch system does not answer."""
    scheduler, number = of(job)
    try:
        return scheduler.job(number)
    except WeftError:
        return None
