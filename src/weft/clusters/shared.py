"""The cluster that runs of a study share: started for those in succession that differ in nothing that it decides, and ended after them."""

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

from weft.adapters.probes import KINDS
from weft.clusters import jobprobes, registry, supervisor
from weft.clusters.joined import JoinedCluster
from weft.errors import ClusterError, UsageError, WeftError
from weft.host import settings, signals
from weft.run.preview import sketch
from weft.run.provisioning import Provisioned
from weft.run.run import ClusterSource, Live, OwnCluster, Run
from weft.run.topology import Topology, topology
from weft.spec.model import Spec
from weft.spec.parse import parse
from weft.text.toml import toml_of

_DECIDED = (
    "engine",
    "nodes",
    "scratch",
    "output",
    "services",
    "security",
    "class_archives",
    "start_deadline",
)
"""The keys of a spec that a cluster decides. The engine's own settings are among them: heaps of daemons follow from some of a job."""
_IDLE = 60.0
"""Seconds without its study after which it ends: a study that was killed cannot end it."""


def groups(specs: Sequence[Spec]) -> dict[str, str]:
    """By the key of each of a study's specs: what is equal for those that can share a cluster; nothing unless all of them can.

    So the runs of a study are on clusters that they share, or none is, and can be compared. Those of one spec share none: they
    repeat runs of other days, which had clusters of their own.
    """
    found = [_key(spec) for spec in specs]
    pays = len(set(found)) < len(found)
    return {spec.key(): of for spec, of in zip(specs, found, strict=True)} if pays and all(found) else {}


def key(of: str) -> str:
    """That of a run on such a cluster, whose spec has this one."""
    return f"{of}-persistent"


@contextmanager
def clusters(groups: Mapping[str, str], what: str, say: Callable[[str], None]) -> Iterator[ClusterSource]:
    """The clusters of runs with such groups for the length of a `with` block. `what`: their study."""
    source = SharedClusters(dict(groups), what, say)
    try:
        yield source
    finally:
        source.end()


class SharedClusters(ClusterSource):
    """One cluster at a time, for runs of equal `group`; a run without one has its own."""

    def __init__(self, groups: dict[str, str], what: str, say: Callable[[str], None]) -> None:
        self.groups = groups
        """By the key of a spec: what is equal for those that can share a cluster; empty for the others."""
        self.what, self.say = what, say
        self._own, self._held = OwnCluster(), ExitStack()
        self._now: JoinedCluster | None = None
        self._group = ""

    def group(self, spec: Spec) -> str:
        return self.groups.get(spec.key(), "")

    def key(self, spec: Spec) -> str:
        # as of every run on a persistent cluster, so that a study that is continued knows them
        return key(spec.key()) if self.group(spec) else self._own.key(spec)

    def require(self, spec: Spec, made_of: Topology) -> None:
        if self.group(spec) != self._group:
            self.end()
        # what a running cluster holds is no reason why the run could not be
        if self._now is None:
            self._own.require(spec, made_of)
        if self.group(spec):
            self._require_joined(spec, made_of)

    def provision(self, spec: Spec, say: Callable[[str], None]) -> Provisioned:
        return self._source(spec).provision(spec, say)

    def about(self, spec: Spec) -> dict[str, Any]:
        return self._source(spec).about(spec)

    def live(self, run: Run) -> AbstractContextManager[Live]:
        return self._source(run.spec).live(run)

    def end(self) -> None:
        """End the cluster that is there."""
        now, self._now, self._group = self._now, None, ""
        if now:
            with signals.held():
                self._held.close()
                try:
                    supervisor.end(now.cluster.name)
                except WeftError as error:  # the runs that were on it have their results
                    self.say(f"  warning: {error}")

    def _source(self, spec: Spec) -> ClusterSource:
        return self._now if self._now and self.group(spec) else self._own

    def _require_joined(self, spec: Spec, made_of: Topology) -> None:
        """Have the cluster of its group: a new one if a run before has damaged it, and none where it cannot be."""
        try:
            if self._damaged(spec, made_of):
                self.end()
            if self._now is None:
                self._start(spec).require(spec, made_of)
        except WeftError as error:
            self.say(f"  warning: from here on each run has a cluster of its own: {error.message}")
            self.groups.clear()
            self.end()

    def _damaged(self, spec: Spec, made_of: Topology) -> bool:
        if self._now is None:
            return False
        try:
            self._now.require(spec, made_of)
        except WeftError as error:  # of a cluster that has ended, even its directories are gone
            self.say(f"  the next runs have a new cluster: {error.message}")
            return True
        return False

    def _start(self, spec: Spec) -> JoinedCluster:
        name = f"study-{secrets.token_hex(3)}"
        table = _table(spec, name)
        self.say(f"  a cluster for the runs that differ in nothing that it decides, {name}")
        try:
            cluster = supervisor.launch(parse(table), toml_of(table, {}, settings.secret_keys()))
        except SystemExit as failed:  # the supervisor has printed why
            if failed.code in signals.EXIT_CODES.values():
                raise
            raise ClusterError(f"the cluster {name} did not start") from failed
        self._now, self._group = JoinedCluster(cluster, alone=True), self.group(spec)
        self._held.enter_context(registry.used(name))
        self._held.enter_context(registry.measured(name, self.what))
        return self._now


def _key(spec: Spec) -> str:
    """What is equal for specs that can share a cluster; empty for one whose run would be another, or measured less, on it."""
    if (
        spec.workload.measured is None
        or spec.workload.own_program is not None
        or spec.workload.needs
        or spec.workload.paths
        or spec.all_services()
        or spec.secrets
        or len(spec.engine.parts) > 1
        or _lost(spec)
    ):
        return ""
    used = spec.storage()
    # the input is in the cluster's output directory
    if "input" in used and used["input"] != spec.output:
        return ""
    try:
        layout = sketch(spec, topology(spec))
        spec.engine.of_one_job(layout)
        if not all(jobprobes.alike(KINDS[name](), layout) for name in (*spec.probes, *spec.added_probes())):
            return ""
        return parse(_table(spec, "any")).key()
    except UsageError:
        return ""


def _lost(spec: Spec) -> set[str]:
    """The probes that need a cluster of the run's own."""
    asked = (*spec.probes, *spec.added_probes())
    return {name for name in asked if not (KINDS[name].joins or KINDS[name].by_node)}


def _table(spec: Spec, name: str) -> Mapping[str, Any]:
    """The table of the cluster that a spec needs."""
    dumped = spec.model_dump(mode="json", exclude_none=True)
    table = {key: dumped[key] for key in _DECIDED if key in dumped}
    # a directory that every node sees: that of its user, who has no commands on it, may not be
    own = {"idle": _IDLE, "directory": str(settings.runs())}
    probes = [one for one in (*spec.probes, *spec.added_probes()) if KINDS[one].by_node]
    return {**table, "workload": {"kind": "persistent", "name": name, **own}, "probes": probes}
