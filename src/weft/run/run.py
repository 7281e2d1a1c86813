"""A whole run: spec, nodes, storage, layout, engine, cluster, workload, record."""

import errno
import random
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from weft.adapters.nodes.access import access, require_shared
from weft.adapters.nodes.base import everywhere, one_a_host
from weft.adapters.probes.base import Read
from weft.adapters.storage.base import label
from weft.adapters.workloads.base import Judgement, Outcome, Prepared, Results
from weft.errors import Stopped, StorageError, UsageError, WeftError, WorkloadError
from weft.facts.roles import ROLES
from weft.host import checkout, lease, settings, signals, unforeseen
from weft.host.contained import contained
from weft.host.own import shared_records
from weft.host.watchdog import watched
from weft.host.work import Work, open_work
from weft.layout.job import Job
from weft.layout.plan import SECRET, Command, Layout, Plan
from weft.record import record as records
from weft.record.covering import covered
from weft.record.record import Record, Stored
from weft.run import clocks, cluster, preload
from weft.run.activity import activity
from weft.run.ceilings import used as calibrated
from weft.run.cluster import Cluster
from weft.run.commands import run_all
from weft.run.described import described, started
from weft.run.observing import observed
from weft.run.preview import layout_of, sketch
from weft.run.progress import Progress
from weft.run.provisioning import Provisioned, provision
from weft.run.topology import Topology, topology
from weft.spec.model import Spec

_DRAWS = 10
"""Attempts to find a name that no record has."""


@dataclass(frozen=True)
class Run:
    """A run with a record, before its cluster is ready."""

    spec: Spec
    topology: Topology
    provisioned: Provisioned
    work: Work
    record: Record
    progress: Progress


Generate = Callable[[Sequence[Command]], Sequence[Outcome]]
"""Runs the programs that make an input, and gives what each reports."""


@dataclass(frozen=True)
class Live:
    """A run with a ready cluster: its spec, its layout, and its record."""

    spec: Spec
    layout: Layout
    cluster: Cluster
    record: Record
    progress: Progress
    readings: Sequence[Read] = ()
    """What each probe reads at the end of a phase."""
    conf: Mapping[str, str] = field(default_factory=dict)
    """Settings of the engine for the run's job only."""
    prepare: Callable[[Sequence[Command], Generate], Sequence[Outcome]] = lambda commands, generate: generate(
        commands
    )
    """Makes the input by its programs, unless it is there."""
    taken: Callable[[Job], Command | None] = lambda _: None
    """The command of a job for an application that was there before; None for one that is started for it."""
    ran: Callable[[Outcome], None] = lambda _: None
    """Is called with the result of the job."""

    def command(self, job: Job) -> Command:
        """What runs a job of the workload, and ends with it."""
        own = self.own(job)
        return self.taken(own) or self.spec.engine.submit(own, self.layout)

    def own(self, job: Job) -> Job:
        """The job with these settings, where it has none of its own."""
        conf = {**self.conf, **job.dependencies.conf}
        return replace(job, dependencies=replace(job.dependencies, conf=conf))

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        with phase(name, self.record, self.progress):
            yield
        for read in self.readings:
            read()


Use = Callable[[Live], Judgement]
"""The use of a ready cluster before it is stopped."""


def measure(live: Live) -> Judgement:
    """Prepare, run and check the workload."""
    workload, layout = live.spec.workload.measured, live.layout
    assert workload is not None

    def do(commands: Sequence[Command]) -> list[Outcome]:
        return run_all(commands, layout, live.cluster, live.progress, live.spec.time_limit)

    with live.phase("prepare"):
        prepared = live.prepare(workload.prepare(layout.of("generator")), do)
    with live.phase("run"):
        job = workload.job(Prepared(layout, prepared))
        ran, *companions = do([live.command(job), *job.companions])
        live.ran(ran)
    with live.phase("check"):
        checks = workload.check(Prepared(layout.of("validator"), prepared))
        checked = [outcome for check in checks for outcome in do([check])]
    return workload.judge(
        Results(prepared, {**ran, "companions": companions} if companions else ran, checked)
    )


class ClusterSource(ABC):
    """Where the cluster of a run comes from."""

    @abstractmethod
    def require(self, spec: Spec, made_of: Topology) -> None:
        """Raises UsageError if the run cannot succeed there, before anything is downloaded or built."""

    def provision(self, spec: Spec, say: Callable[[str], None]) -> Provisioned:
        """Downloads and builds what is missing."""
        return provision(spec, say)

    def about(self, spec: Spec) -> dict[str, Any]:
        """What its record says of it from the start."""
        return _about(spec)

    def key(self, spec: Spec) -> str:
        """What is equal for runs that repeat each other."""
        return spec.key()

    def group(self, spec: Spec) -> str:
        """What is equal for runs that are to come one after the other; empty for one that can come anywhere."""
        del spec
        return ""

    @abstractmethod
    def live(self, run: Run) -> AbstractContextManager[Live]:
        """A ready cluster with the run's probes, for the length of a `with` block."""


class OwnCluster(ClusterSource):
    """A cluster that is started for the run, and stopped after it."""

    def require(self, spec: Spec, made_of: Topology) -> None:
        made_of.require_possible(spec)
        made_of.plan(spec, sketch(spec, made_of))

    @contextmanager
    def live(self, run: Run) -> Iterator[Live]:
        spec, made_of, work, record, progress = run.spec, run.topology, run.work, run.record, run.progress
        with ExitStack() as held:
            with phase("acquire", record, progress):
                nodes = held.enter_context(made_of.nodes(spec.nodes).acquire(work, work.visible))
                members = made_of.members(nodes, spec.nodes.count)
                hint = "set WEFT_RUNS to a directory on one"
                require_shared(nodes, record.directory, "the record", hint, here=True)
            with phase("storage", record, progress):
                places = held.enter_context(made_of.place(members, work))
            computing = made_of.computing(members)
            layout = layout_of(
                spec, run.provisioned, work, record.directory, computing, members.servers, places.roles
            )
            calibrated.note(spec, layout, record)
            layout, observers = observed(spec, made_of.laid(layout, members, places.backings), record)
            preload.require_loadable(layout)
            work.claim(layout.staging)
            plan = made_of.plan(spec, layout)
            write_plan(plan, layout, spec, record, work)
            with phase("start", record, progress):
                alive = held.enter_context(
                    cluster.start(
                        plan,
                        layout,
                        deadline=spec.start_deadline,
                        note=noted(record, progress),
                        secret=work.secret,
                        user_secrets=spec.secrets,
                    )
                )
            held.enter_context(clocks.noted(layout, record))
            readings = [held.enter_context(probe.watch(layout)) for probe in observers]
            try:
                yield Live(spec, layout, alive, record, progress, readings)
            except WorkloadError as failed:
                # a program may fail for want of a daemon without which the cluster can continue
                failed.message += "".join(f"; before, {what}" for what in alive.lost)
                raise
            finally:
                record.update(lost=alive.lost)
            preload.require_loaded(layout, alive.preloaded, record)
            # a signal is raised after the cleanup, where the nodes' own `with` block has ended
            with phase("stop", record, progress), spec.nodes.explained(), signals.held():
                held.close()


def run(
    spec: Spec,
    text: str,
    progress: Progress,
    *,
    source: ClusterSource | None = None,
    cell: Mapping[str, Any] | None = None,
    labels: Sequence[str] = (),
    use: Use = measure,
) -> Stored:
    """Run a spec once. In any case, only the record remains."""
    made_of, source = topology(spec), source or OwnCluster()
    source.require(spec, made_of)
    provisioned = source.provision(spec, progress.say)
    record = _new(spec, text, {**source.about(spec), "cell": dict(cell or {}), "labels": labels})
    name = record.name
    # records of runs on a persistent cluster are created when its nodes are there
    seen = record.directory if spec.workload.measured else record.directory.parent
    visible = [*provisioned.visible, *spec.paths(), seen]
    for warning in filter(None, (spec.unsecured, shared_records())):
        progress.warn(f"warning: {warning}")
    with (
        covered(record.directory, spec.secrets),
        verdict_of(record),
        watched(name),
        lease.hold(name, spec.workload.purpose) as held,
        contained(held),
        open_work(name, held, provisioned.native, visible, spec.secrets) as work,
    ):
        with source.live(Run(spec, made_of, provisioned, work, record, progress)) as live:
            judgement = use(live)
        record.update(**_judged(judgement, record, spec))
    return records.read(record.directory)


def _new(spec: Spec, text: str, about: Mapping[str, Any]) -> Record:
    """A new record. The jobs of an array begin in one second, and two of them can draw one name: the second draws again."""
    for attempt in range(1, _DRAWS + 1):
        name = f"{time.strftime('%Y%m%d-%H%M%S')}-{spec.workload.kind}-{spec.engine.kind}-{random.randbytes(2).hex()}"  # noqa: S311
        try:
            return records.create(settings.runs(), name, text, about)
        except UsageError as error:
            if attempt == _DRAWS or not isinstance(error.__cause__, FileExistsError):
                raise
    raise AssertionError


def noted(record: Record, progress: Progress) -> cluster.Note:
    """Writes an event to the record, and with -v to the terminal."""

    def note(event: str, **what: Any) -> None:
        record.note(event, **what)
        progress.step("  ".join([f"    {event}", *(f"{key}={value}" for key, value in what.items())]))

    return note


@contextmanager
def phase(name: str, record: Record, progress: Progress) -> Iterator[None]:
    """A phase of a run, in its record and for who looks at it."""
    with record.phase(name), progress.phase(name, activity(record) if name == "run" else str):
        yield


@contextmanager
def verdict_of(record: Record) -> Iterator[None]:
    """Convert the end of a run to its verdict; afterwards the record is complete."""
    try:
        with _room(record):
            yield
    except WeftError as error:
        _kept(error, record)
        raise
    except KeyboardInterrupt as interrupt:  # of a library's own handler
        raise _stopped(Stopped(signals.EXIT_CODES[signal.SIGINT]), record) from interrupt
    except Stopped as stopped:
        raise _stopped(stopped, record) from None
    except BrokenPipeError:  # who reads the command's output has enough
        record.update(verdict="INVALID", reason="the output of the command was closed")
        raise
    except Exception as error:
        # as an error of this run: the other cells of a study do not end with it
        raise _kept(unforeseen.explained(error, record.directory), record) from error
    except BaseException as error:
        record.update(verdict="INVALID", reason=f"weft failed: {error!r}")
        raise
    finally:
        _finish(record)


def _kept(error: WeftError, record: Record) -> WeftError:
    """With its record, which has what the error says. A verdict that is there already stays: only the cleanup after it failed."""
    if record.head.verdict != "RUNNING":
        record.update(gaps=[*record.head.gaps, error.message])
    else:
        record.update(
            verdict="INVALID",
            reason=error.message,
            tail=list(error.tail),
            hint=error.hint,
            evidence=error.evidence,
        )
    error.record, error.left = record.directory, lease.remains(record.name)
    return error


def _finish(record: Record) -> None:
    # imported when the job has ended: before, it would be a part of the time until the first task
    from weft.record import sampletable  # noqa: PLC0415

    signals.watch_again()
    sampletable.finish(record.directory)


def _stopped(stopped: Stopped, record: Record) -> Stopped:
    """With the phase in which it was stopped, and what is left of it. A verdict that is there already stays, as above."""
    stopped.record, stopped.phase = record.directory, record.head.phase
    stopped.left = lease.remains(record.name)
    if record.head.verdict == "RUNNING":
        record.update(verdict="INVALID", reason=f"stopped by the user in phase {stopped.phase}")
    return stopped


@contextmanager
def _room(record: Record) -> Iterator[None]:
    """A full disk is reported as what it is, and the verdict has room on it."""
    try:
        yield
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EDQUOT}:
            raise
        phase = record.head.phase
        raise StorageError(
            f"{error.filename or record.directory} could not be written in phase {phase}: {error.strerror}",
            hint="make room there, or set WEFT_RUNS and WEFT_WORK to directories on another disk",
        ) from error
    finally:
        record.release()


def _about(spec: Spec) -> dict[str, Any]:
    chosen = {
        "workload": spec.workload.kind,
        "engine": spec.engine.label,
        "nodes": f"{spec.nodes.kind}:{spec.nodes.count}",
    }
    return {
        **chosen,
        **{role: label(getattr(spec, role)) for role in ROLES},
        "key": spec.key(),
        "security": spec.security,
        "unsecured": spec.unsecured,
        **spec.nodes.about(),
        "commit": checkout.commit(),
    }


def _judged(judgement: Judgement, record: Record, spec: Spec) -> dict[str, Any]:
    seconds = judgement.seconds or record.head.phases["run"]
    checked_by = spec.workload.checked_on(spec.engine.kind)
    return {
        "verdict": ("VALID" if checked_by else "UNCHECKED") if judgement.valid else "INVALID",
        "reason": judgement.reason,
        "checked_by": checked_by,
        "measured": round(seconds, 3),
        "bytes_in": judgement.bytes_in,
        "bytes_out": judgement.bytes_out,
        "throughput_per_node": round((judgement.bytes_in or judgement.bytes_out) / seconds / spec.nodes.count)
        if judgement.valid
        else None,
        "facts": dict(judgement.facts),
    }


def write_plan(plan: Plan, layout: Layout, spec: Spec, record: Record, work: Work) -> None:
    """Write the generated files where the engine reads them, and the whole plan to the record."""
    written = work.write(plan.files, SECRET, plan.sealed)
    everywhere(one_a_host(layout.all_nodes), lambda node: access(node).receive(written))
    for path, content in plan.files.items():
        copy = record.directory / "plan" / path.relative_to(work.directory)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(content, encoding="utf-8")
    processes = [started(daemon, layout) for daemon in plan.daemons]
    records.write_json(record.directory / "plan" / "commands.json", processes)
    records.write_json(record.directory / "resolved.json", described(spec, layout, plan))
