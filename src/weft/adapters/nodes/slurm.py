"""Nodes of a Slurm job: of the job in which this process runs, or of one that weft submits itself to."""

import shlex
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from weft.adapters.nodes.fabric import on_fabric
from weft.adapters.nodes.jobnodes import (
    JobNodes,
    explained_by,
    require_room,
    shared_default,
    watched_nodes,
    watching,
)
from weft.adapters.nodes.remote import connected, prepared
from weft.errors import MissingError, NodeError, UsageError, WeftError
from weft.host import machine, settings
from weft.host.remote.reach import Reach, message, of_text
from weft.host.schedulers.slurm import commands, jobs
from weft.host.schedulers.slurm.allocation import AllocatedNode, Allocation, allocation, inside, wrapper
from weft.host.shell import Process
from weft.host.site.profile import Directives, Profile, TimeLimit, Word, load
from weft.host.work import Work, WorkDirectory
from weft.layout.node import Node

_PATIENCE = 14 * 86400.0
"""Seconds to wait in the queue if `wait` is not set."""
_REPORTED = ("Partition", "Account", "QOS", "SubmitTime", "StartTime", "TimeLimit")
"""What a record contains about a job from its beginning."""
_KEYS = ("partition", "account", "qos", "time", "constraint")
_OF_OTHER_STEPS = (
    "SLURM_BCAST",
    "SLURM_CPUS_PER_GPU",
    "SLURM_CPU_BIND",
    "SLURM_DEBUG",
    "SLURM_EXCLUSIVE",
    "SLURM_GPUS",
    "SLURM_GPUS_PER_NODE",
    "SLURM_GPUS_PER_SOCKET",
    "SLURM_GPUS_PER_TASK",
    "SLURM_GPU_BIND",
    "SLURM_LABELIO",
    "SLURM_MEM_PER_GPU",
    "SLURM_NTASKS_PER_GPU",
    "SLURM_STDERRMODE",
    "SLURM_STDINMODE",
    "SLURM_STDOUTMODE",
    "SLURM_TIMELIMIT",
    "SLURM_TRES_PER_TASK",
)
"""Options of srun in its user's environment (srun(1)) that no argument takes back: they change what a step prints and reads,
how long it may run, and on which of its cores and GPUs: a step that asks for no GPU has those of the job, and overlaps with
others. Also a step in which weft itself was started has left them, and a job that was submitted with GPUs."""


class SlurmNodes(JobNodes):
    """Nodes allocated by Slurm; each command on one is a step of the job, so that the end of the job ends all."""

    scheduler: ClassVar[str] = "slurm"

    kind: Literal["slurm"] = "slurm"
    partition: Word | None = Field(
        default=None, description="partition of the job; default: the site profile's"
    )
    account: Word | None = Field(default=None, description="account of the job; default: the site profile's")
    qos: Word | None = Field(
        default=None, description="quality of service of the job; default: the site profile's"
    )
    time: TimeLimit | None = Field(
        default=None, description="time limit of the job, such as 8h or 1:00:00; default: the site profile's"
    )
    constraint: Word | None = Field(
        default=None, description="features that the nodes must have; default: the site profile's"
    )
    fabric: Word | None = Field(
        default=None, description="interface that engines bind; default: the site profile's"
    )

    def directives(self, site: Directives) -> list[str]:
        """Arguments after #SBATCH: those of these nodes, then those of the site profile. Nothing else is requested."""
        chosen = {key: getattr(self, key) or getattr(site, key) for key in _KEYS}
        # a node that was powered down runs no step until it has booted
        arguments = [f"--nodes={self.count}", "--wait-all-nodes=1"]
        arguments += ["--exclusive"] if site.exclusive else []
        arguments += [f"--cpus-per-task={self.cores}", "--ntasks-per-node=1"] if self.cores else []
        arguments += [f"--mem={-(-self.memory >> 20)}M"] if self.memory else []
        return [*arguments, *(f"--{key}={value}" for key, value in chosen.items() if value)]

    def directives_of(self, profile: Profile) -> tuple[Sequence[str], Sequence[str]]:
        return self.directives(profile.slurm), profile.slurm.extra

    def sketch(self, site: WorkDirectory) -> list[Node]:
        settings.share(shared_default())
        if inside():
            given = allocation()
            return [self._node(part, given, site) for part in self._chosen(given)]
        cores, memory = self._promised()
        return [
            Node(f"node{i}", f"node{i}", cores, memory, site.directory / f"node{i}")
            for i in range(1, self.count + 1)
        ]

    def _promised(self) -> tuple[int, int]:
        """Cores and bytes of memory of a node in the partition to which the job would be submitted."""
        if not commands.installed():
            raise MissingError(
                "Slurm's commands (sbatch, srun) are not installed on this machine",
                hint="use a login node or a Slurm job; here, --nodes local:2",
            )
        name = self.partition or load().slurm.partition
        for one in commands.partitions():
            if one.name == name if name else one.default:
                return self.cores or one.cores, self.memory or max(0, one.memory - machine.RESERVE)
        raise UsageError(
            f"no partition is named {name!r}" if name else "this Slurm has no default partition",
            hint="`sinfo` lists them; choose one with --nodes slurm:N,partition=NAME",
        )

    def _chosen(self, given: Allocation) -> Sequence[AllocatedNode]:
        if len(given.parts) < self.count:
            raise UsageError(
                f"Slurm job {given.job} has {len(given.parts)} node(s), but {self.count} were requested",
                hint=f"use --nodes slurm:{len(given.parts)}, or run it outside this job",
            )
        chosen = given.parts[: self.count]
        for part in chosen:
            memory = (self.memory, part.memory)
            require_room(f"Slurm job {given.job}", part.name, (self.cores, part.cores), memory)
        return chosen

    def _node(self, part: AllocatedNode, given: Allocation, site: WorkDirectory) -> Node:
        return Node(
            part.name,
            _resolved(part),
            self.cores or part.cores,
            self.memory or max(0, part.memory - machine.RESERVE),
            site.directory / part.name,
            host=part.name,
            way=Reach(
                part.name, tuple(step(given.job, part)), login_shell=False, job=str(given.job), steps=True
            ).text(),
        )

    @contextmanager
    def acquire(self, work: Work, visible: Sequence[Path]) -> Iterator[list[Node]]:
        own = wrapper()  # a job can be cancelled before Slurm has reported its nodes
        with (
            _report_ended_by_slurm(own),
            self._given(work) as given,
            _report_ended_by_slurm(None if own else given.job),
        ):
            settings.share(shared_default())
            shared_default().mkdir(parents=True, exist_ok=True, mode=0o700)
            nodes = [self._node(part, given, work) for part in self._chosen(given)]
            with (
                connected([of_text(node.way) for node in nodes], work),
                watched_nodes([_watchdog(node, nodes, work) for node in nodes], work),
                prepared(nodes, work, visible, self.memory) as inspected,
            ):
                yield [*on_fabric(inspected, self.fabric or load().fabric)]

    @contextmanager
    def _given(self, work: Work) -> Iterator[Allocation]:
        """The job of this process; outside of one, a job of its own, which ends with this `with` block."""
        if inside():
            yield allocation()
            return
        site, name = load().slurm, f"weft-{work.name}"
        work.lease.note("job", path=name)
        try:
            number = commands.allocate(
                [*self.directives(site), *_options(site.extra)], name, self.wait or _PATIENCE
            )
            yield allocation(commands.variables(number))
        finally:
            with suppress(WeftError):  # the lease has the job, and says so if it cannot be cancelled
                commands.cancel_named(name)

    def explained(self) -> AbstractContextManager[None]:
        return _report_ended_by_slurm(wrapper() or (allocation().job if inside() else None))

    def limits(self) -> list[str]:
        return (
            []
            if inside()
            else ["names, addresses, cores and memory are those of the job, when it has started"]
        )

    def about(self) -> dict[str, Any]:
        if not inside():
            return {}
        given = allocation()
        now = jobs.job(given.job)
        known = {key: now.fields[key] for key in _REPORTED if key in now.fields} if now else {}
        return {"slurm": {"job": given.job, "nodes": [part.name for part in given.parts], **known}}


def _report_ended_by_slurm(number: int | None) -> AbstractContextManager[None]:
    """Errors that Slurm caused by ending the job are reported as such."""
    return explained_by(lambda: _ended(number) if number else None)


def _options(extra: Sequence[str]) -> list[str]:
    """The site's own script lines as arguments for salloc, which sbatch would divide into words."""
    plain = [line.removeprefix("#SBATCH ").strip() for line in extra]
    words = [[f"--bb={line}"] if line.startswith("#") else _divided(line) for line in plain]
    return [word for line in words for word in line]


def _divided(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise UsageError(
            f"slurm.extra of the site profile: {line!r} has no closing quotation", hint="close it"
        ) from error


def _watchdog(node: Node, nodes: Sequence[Node], work: Work) -> Callable[[Path], Process]:
    """Starts one as a step, before the run's directory is created."""
    request = message("watchdog", watching(node, nodes, work))
    # when an srun is killed, Slurm kills its step; this one ends after the step
    return lambda log: of_text(node.way).send("watchdog", request, log=log, bound=False)


def step(job: int, part: AllocatedNode) -> list[str]:
    """The client of a node: one task that overlaps with all others of the job, with all of the job's resources there."""
    group = [f"--het-group={part.group}"] if part.group is not None else []
    return [
        "env",
        *(f"--unset={name}" for name in _OF_OTHER_STEPS),
        "srun",
        f"--jobid={job}",
        *group,
        "--overlap",
        "--nodes=1",
        "--ntasks=1",
        f"--nodelist={part.name}",
        f"--cpus-per-task={part.cores}",
        "--export=ALL",  # a job may have been submitted with --export=NONE, which its steps would inherit
        "--mpi=none",
        "--unbuffered",
        "--quiet",
    ]


def _resolved(part: AllocatedNode) -> str:
    try:
        return socket.gethostbyname(part.address)
    except OSError:
        return part.address  # the check of the fabric shows whether that works


def _ended(number: int) -> NodeError | None:
    """How Slurm ended the job, if it did."""
    try:
        now = jobs.job(number)
    except WeftError:
        return None
    return now.end() if now is not None and now.state not in jobs.RUNNING | jobs.WAITING else None
