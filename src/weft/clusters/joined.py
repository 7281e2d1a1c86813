"""A measured run on a persistent cluster: it joins the cluster instead of starting one, and measures its own job alone.

All processes of the job carry the mark of the run, not that of the cluster: by it probes find them, and they end with the run.
"""

import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from weft.adapters.engines.base import KeepsReady
from weft.adapters.nodes.access import access
from weft.adapters.nodes.base import everywhere, one_a_host
from weft.adapters.probes import KINDS
from weft.adapters.workloads.base import Outcome
from weft.clusters import jobprobes, registry
from weft.clusters import ready as readyapplications
from weft.clusters.attach import header_path
from weft.clusters.keptinput import KeptInput
from weft.clusters.ready import ReadyApplication
from weft.clusters.registry import PersistentCluster
from weft.errors import ClusterError, UsageError
from weft.facts.roles import SHARED_ROLES, Role
from weft.host import settings, signals
from weft.host.web import UNANSWERED, get
from weft.host.work import Work, write_private
from weft.layout.job import Job
from weft.layout.places import Place
from weft.layout.plan import Applications, Command, Layout, Page
from weft.record import record as records
from weft.record.record import Record
from weft.run import clocks, preload
from weft.run.ceilings import used as calibrated
from weft.run.cluster import Cluster
from weft.run.described import described
from weft.run.observing import observed
from weft.run.progress import Progress
from weft.run.provisioning import Provisioned, provision_job
from weft.run.room import require_room
from weft.run.run import ClusterSource, Live, Run, noted, phase
from weft.run.topology import Topology
from weft.spec.model import PROBES, Spec

_POLL = 0.5
"""Seconds between checks whether the cluster is still running."""
_SHARE = 0.05
"""Of the time, to read the cluster's events and the logs of its nodes, of which there may be hundreds."""
_SETTLED = 2.0
"""Seconds within which the master has forgotten the application of a run that has just ended."""
T = TypeVar("T")
_STREAMS = ("stdout", "stderr")


@dataclass(frozen=True)
class JoinedCluster(ClusterSource):
    """A persistent cluster of this user."""

    cluster: PersistentCluster
    alone: bool = False
    """Whether it was started for such runs, and nobody else uses it: what is counted for a node is the run's then."""

    def provision(self, spec: Spec, say: Callable[[str], None]) -> Provisioned:
        has = self.cluster.layout
        return provision_job(spec, has.java, has.homes, say)

    def about(self, spec: Spec) -> dict[str, Any]:
        return {**super().about(spec), "cluster": self.cluster.name, "key": self.key(spec)}

    def key(self, spec: Spec) -> str:
        # such runs do not repeat those that had a new cluster, nor those whose executors were there before them
        return f"{spec.key()}-ready" if self._can_take(spec) else _key_of_own(spec)

    def _can_take(self, spec: Spec) -> bool:
        """Whether a run may take the application that the cluster keeps ready."""
        if not self.cluster.ready or self._own_conf(spec) or spec.workload.own_program:
            return False
        # a probe that was asked for by its name would see nothing of that application
        asked = [KINDS[name]() for name in set(spec.probes) - set(PROBES) if KINDS[name].by_node]
        return not any(jobprobes.had(probe, self._has, self.cluster.layout) for probe in asked)

    @property
    def _has(self) -> jobprobes.Variables:
        """The variables by which probes can measure a job of the cluster."""
        return self.cluster.layout.preload if self.cluster.any_node else {}

    def require(self, spec: Spec, made_of: Topology) -> None:
        del made_of  # it describes a new cluster
        layout, name = self._layout(spec), self.cluster.name
        spec.engine.of_one_job(layout)
        spec.workload.require_layout(layout)
        if spec.workload.needs:
            raise UsageError(
                f"{spec.workload.kind} needs {' and '.join(spec.workload.needs)} of its own, so it does not run on {name!r}",
                hint="omit --to: `weft run` starts a cluster with it",
            )
        base = Path(layout.places["output"].path)
        if not base.is_dir():
            raise UsageError(
                f"the output directory of the cluster {name!r}, {base}, is not visible here",
                hint="omit --to: `weft run` starts a cluster of its own",
            )
        # the input that is there is the run's, or removed before its own is made
        spare = KeptInput.of(layout).bytes if spec.workload.keeps_input else 0
        require_room(spec.workload, dict.fromkeys(SHARED_ROLES, base), spare=spare)
        if access(layout.head).run(["test", "-d", str(settings.runs())], check=False).code:
            raise UsageError(
                f"the nodes of the cluster {name!r} do not see {settings.runs()}, the directory of the record",
                hint=f"set WEFT_RUNS to {self.cluster.layout.record.parent}, where the cluster has its own",
            )
        questions = spec.engine.plan(layout).ready
        if missing := [daemon for one in questions for daemon in one.missing(self._answer(one.page))]:
            raise ClusterError(
                f"the cluster {name!r} lacks {', '.join(missing)}, so that the run would be on fewer nodes than its record says",
                hint=f"`weft logs {name}` shows why; `weft down {name}`, then `weft up` again",
            )
        # the application that a cluster keeps has the cores until the run has it
        if not self.cluster.ready:
            self._require_cores(spec)

    def _require_cores(self, spec: Spec) -> None:
        full = self._settled(spec, lambda question, answer: question.full(answer))
        if lacking := list(chain.from_iterable(full)):
            raise ClusterError(
                f"other applications hold the cores of the cluster {self.cluster.name!r}: {', '.join(lacking)}",
                hint="wait until they end, or start them with `--conf spark.cores.max=N`; a run has an executor on every node",
            )

    def _layout(self, spec: Spec) -> Layout:
        """What the run's engine has of the cluster, with nothing of the cluster's own probes."""
        whole = self.cluster.layout
        metrics = any(KINDS[name].metrics for name in spec.probes)
        return replace(
            whole.of_engine(spec.engine.kind), engine=spec.engine.kind, metrics=metrics, preload={}
        )

    @contextmanager
    def live(self, run: Run) -> Iterator[Live]:
        spec, work, record, progress = run.spec, run.work, run.record, run.progress
        with ExitStack() as held:
            with phase("start", record, progress):
                ready = self._found(spec, progress)
                others = held.enter_context(self._used(spec, record))
                if ready:
                    record.update(application="ready")
                elif self.cluster.ready:
                    self._dismiss(spec, record)
                layout = replace(
                    self._layout(spec),
                    run=work.name,
                    record=record.directory,
                    jars=run.provisioned.jars,
                    libraries=run.provisioned.libraries,
                )
                kept = KeptInput.of(layout) if spec.workload.keeps_input else None
                layout = replace(layout, places={**layout.places, **_places(layout, work, kept)})
                calibrated.note(spec, layout, record)
                layout = replace(layout, taken=ready.mark if ready else "")
                counted = layout if self.alone else jobprobes.without_counters(layout)
                lacks = partial(jobprobes.lacking, layout=layout, has=self._has, ready=bool(ready))
                watched, observers = observed(spec, counted, record, lacks)
                watched = jobprobes.measured(watched, observers, self.cluster.layout.preload)
                layout = replace(layout, preload=watched.preload, of_job=watched.of_job)
                before = preload.reported(layout)
                _write(spec, layout, record, self.cluster)
                jobprobes.say_missing([] if self.alone else layout.nodes, record, others, progress)
            alive = _Joined(noted(record, progress), source=self, layout=layout, began=time.time())
            alive.task_logs = spec.engine.task_logs
            held.enter_context(clocks.noted(layout, record))
            readings = [held.enter_context(probe.watch(watched)) for probe in observers]
            conf = {**spec.engine.of_one_job(layout), **self._own_conf(spec)}
            live = Live(spec, layout, alive, record, progress, readings, conf)
            if kept:
                live = replace(live, prepare=partial(kept.prepare, record=record))
            try:
                if ready:
                    taken = partial(self._taken, live, ready)
                    live = replace(live, taken=taken, ran=partial(self._ran, live))
                yield live
            finally:
                alive.inspect(last=True)
                record.update(lost=alive.lost, gaps=[*record.head.gaps, *self._others(alive.began)])
            preload.require_loaded(layout, alive.preloaded, record, before)
            with phase("stop", record, progress), signals.held():
                held.close()

    def _found(self, spec: Spec, progress: Progress) -> ReadyApplication | None:
        """The application that the run takes, if the cluster keeps one. It is waited for unless others use the cluster: then there is none."""
        name = self.cluster.name
        if not self._can_take(spec) or registry.in_use(name) or self._counted(spec):
            return None
        if (found := readyapplications.find(self.cluster.layout)) is None:
            progress.warn(
                f"warning: the cluster {name!r} has no application ready, so that the run starts its own; `weft logs {name}` shows why"
            )
        return found

    def _dismiss(self, spec: Spec, record: Record) -> None:
        """End the application that the cluster keeps; none is started while the cluster is used."""
        readyapplications.dismiss(self.cluster.layout)
        self._require_cores(spec)
        record.update(application="", key=_key_of_own(spec))

    def _ran(self, live: Live, outcome: Outcome) -> None:
        """What a program says of the application that it got."""
        if own := outcome.get("own_settings"):
            live.record.update(
                application="",
                key=_key_of_own(live.spec),
                gaps=[
                    *live.record.head.gaps,
                    f"the program has its own {own}, so that its application was started for it",
                ],
            )

    def _taken(self, live: Live, application: ReadyApplication, job: Job) -> Command | None:
        """The command that gives it the job; None, and the application has ended, if it is no job for it."""
        engine = live.spec.engine
        assert isinstance(engine, KeepsReady)
        command = engine.taken(job, live.layout, application.socket, application.log)
        if command is None:
            self._dismiss(live.spec, live.record)
        return command

    @contextmanager
    def _used(self, spec: Spec, record: Record) -> Iterator[list[str]]:
        """The cluster for the length of a `with` block; what else runs on it now, as text."""
        name = self.cluster.name
        before = not self.alone and registry.in_use(name)
        with registry.used(name):
            count = self._counted(spec)
            sharing = (
                [f"{count} other application(s) share the cores of the cluster {name!r}"] if count else []
            )
            sharing += [f"another command runs on the cluster {name!r}"] if before and not count else []
            of_cluster = Record(self.cluster.layout.record)
            of_cluster.note("command-started", command="weft", record=record.name)
            try:
                yield sharing
            finally:
                of_cluster.note("command-ended", command="weft", record=record.name)

    def _counted(self, spec: Spec) -> int:
        """How many applications of others run on it."""
        counts: list[int] = self._settled(spec, lambda question, answer: question.count(answer))
        return sum(counts)

    def _settled(self, spec: Spec, of: Callable[[Applications, Any], T]) -> list[T]:
        """What the engine says of its applications: at once if that is nothing, otherwise when the last run is forgotten."""
        end = time.monotonic() + _SETTLED
        questions = spec.engine.plan(self._layout(spec)).applications
        while any(found := [of(question, self._answer(question.page)) for question in questions]):
            if time.monotonic() > end:
                break
            signals.sleep(0.1)
        return found

    def _answer(self, page: Page) -> Any:
        """What a page of the cluster has as data. Raises ClusterError if it does not answer."""
        way = access(page.node)

        def answer() -> Any:
            header = ""
            if page.signed:
                way.require_own(page.url)
                header = header_path(self.cluster.layout).read_text(encoding="utf-8")
            return get(page.url, page.certificate, header.partition(" Bearer ")[2].strip()).json()

        try:
            return way.call(answer)
        except UNANSWERED as error:
            name = self.cluster.name
            raise ClusterError(
                f"the cluster {name!r} does not answer: {error}",
                hint=f"`weft logs {name}` shows what its daemons say, and `weft down {name}` ends it",
            ) from error

    def _own_conf(self, spec: Spec) -> dict[str, str]:
        """The settings that the run has and the cluster has not."""
        has: Mapping[str, str] = getattr(self.cluster.engine.parts[spec.engine.kind], "conf", {})
        asked: Mapping[str, str] = getattr(spec.engine, "conf", {})
        return {key: value for key, value in asked.items() if has.get(key) != value}

    def _others(self, began: float) -> list[str]:
        """Which commands began to use the cluster during the run, as a sentence."""
        events = [event for event in self.events("command-started", began) if "record" not in event]
        names = sorted({str(event.get("command")) for event in events})
        return [f"other commands began on the cluster during the run: {', '.join(names)}"] if names else []

    def lost(self, since: float) -> list[str]:
        """Daemons that have ended since a time, as text."""
        found = self.events("daemon-lost", since)
        return [f"{one['daemon']} on {one['node']} ended ({one['how']})" for one in found]

    def events(self, name: str, since: float) -> list[dict[str, Any]]:
        """Those of the cluster's record since a time."""
        found = records.read(self.cluster.layout.record).events()
        return [event for event in found if event["event"] == name and event["t"] >= since]


@dataclass
class _Joined(Cluster):
    """The programs of a run, on daemons that the supervisor watches."""

    source: JoinedCluster = field(kw_only=True)
    layout: Layout = field(kw_only=True)
    began: float = field(kw_only=True)
    task_logs: Callable[[str], str] = str
    polled: float = 0.0
    due: float = 0.0
    """When events and logs are read next."""

    def watch(self) -> None:
        super().watch()
        if time.monotonic() - self.polled < _POLL:
            return
        begun, cluster = time.monotonic(), self.source.cluster
        self.polled = begun
        if registry.supervisor(cluster.name) != cluster.supervisor:
            raise registry.ended(cluster)
        if begun < self.due:
            return
        self.inspect()
        ended = time.monotonic()
        self.due = ended + (ended - begun) * (1 / _SHARE - 1)

    def inspect(self, *, last: bool = False) -> None:
        """Note daemons of the cluster that were lost since the run began, and have the logs of the job's tasks."""
        self.lost[:] = self.source.lost(self.began)
        self.adopt(last=last)

    def adopt(self, *, last: bool = False) -> None:
        """Have the logs of the job's tasks in its own record too."""
        theirs, own = self.source.cluster.layout.record / "logs", self.layout.record
        applications = {path.name.removesuffix(".inprogress") for path in (own / "engine").iterdir()}
        for folder in filter(None, map(self.task_logs, applications)):
            for path in (found for name in _STREAMS for found in theirs.glob(f"*/{folder}/*/{name}")):
                _link(path, own / "logs" / path.relative_to(theirs), copy=last)


def _key_of_own(spec: Spec) -> str:
    """The key of a run whose application is started for it."""
    return f"{spec.key()}-persistent"


def _link(path: Path, own: Path, *, copy: bool) -> None:
    """One file in two records, as it grows; a copy at the end where they are on two file systems."""
    if own.exists():
        return
    own.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(path, own)
    except OSError:
        with suppress(OSError):
            if copy:
                shutil.copyfile(path, own)


def _places(layout: Layout, work: Work, kept: KeptInput | None) -> dict[Role, Place]:
    """Directories of the run's own in the cluster's output directory, which every node sees, and that of the input that stays."""
    has = layout.places["output"]
    base = Path(has.path) / f"weft-{work.name}"
    access(layout.head).claim(base, work)
    paths = {role: base / role for role in SHARED_ROLES} | ({"input": kept.files} if kept else {})
    access(layout.head).make(*paths.values())
    return {
        role: replace(
            has,
            description=f"{has.description}, in {path.relative_to(base.parent)}",
            paths=dict.fromkeys(has.paths, str(path)),
        )
        for role, path in paths.items()
    }


def _write(spec: Spec, layout: Layout, record: Record, cluster: PersistentCluster) -> None:
    """The cluster's plan and what was decided in the record, and the files that the workload's programs read."""
    shutil.copytree(cluster.layout.record / "plan", record.directory / "plan", dirs_exist_ok=True)
    plan = spec.engine.plan(layout)
    records.write_json(record.directory / "resolved.json", described(spec, layout, plan))
    if files := dict(spec.workload.generated(layout)):
        # those of a run before may have the same names
        hosts = one_a_host(layout.all_nodes)
        everywhere(hosts, lambda node: access(node).run(["rm", "-f", *map(str, files)]))
        write_private(files)
        everywhere(hosts, lambda node: access(node).receive(files))
