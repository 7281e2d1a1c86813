"""The story of a run: spec, nodes, storage, layout, engine, cluster, workload, record."""

import dataclasses
import json
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from weft import __version__, cluster, lease, probes, record, samples, settings
from weft.cluster import Cluster
from weft.commands import run_all
from weft.errors import Stopped, WeftError
from weft.nodes.base import Node, everywhere, one_a_host, require_shared
from weft.places import Place, Role
from weft.plan import SECRET, Command, Layout, Plan
from weft.preview import planned, sketch
from weft.probes.base import Probe
from weft.progress import Progress
from weft.provision import classdata
from weft.record import Record, Stored
from weft.servers import acquired, computing, served, storages
from weft.spec import Spec
from weft.storage.base import label
from weft.supply import Supplies, supply
from weft.work import Work, open_work
from weft.workloads.base import Judgement, Outcome


@dataclass(frozen=True)
class Live:
    """A run whose cluster answers: what was asked for, where it stands, and where its story is written."""

    spec: Spec
    layout: Layout
    cluster: Cluster
    kept: Record
    progress: Progress

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        with _phase(name, self.kept, self.progress):
            yield


Use = Callable[[Live], Judgement]
"""What is done with a live cluster before it is stopped."""


def measure(live: Live) -> Judgement:
    """Prepare, run and check the workload."""
    workload, layout = live.spec.workload, live.layout

    def do(commands: Sequence[Command]) -> list[Outcome]:
        return run_all(commands, layout, live.cluster, live.progress, live.spec.timeout)

    with live.phase("prepare"):
        prepared = do(workload.prepare(layout))
    with live.phase("run"):
        (ran,) = do([live.spec.engine.submit(workload.job(layout, prepared), layout)])
    with live.phase("check"):
        checked = [outcome for check in workload.check(layout, prepared) for outcome in do([check])]
    return workload.judge(prepared, ran, checked)


def run(
    spec: Spec, text: str, progress: Progress, *, cell: Mapping[str, Any] | None = None, use: Use = measure
) -> Stored:
    """Run a spec once. Whatever happens, the record stays and nothing else does."""
    planned(spec, sketch(spec))  # what cannot fit is refused before anything is fetched or built
    supplies = supply(spec, progress.say)
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{spec.workload.kind}-{spec.engine.kind}-{random.randbytes(2).hex()}"  # noqa: S311
    kept = record.create(settings.runs(), name, text, {**_about(spec), "cell": dict(cell or {})})
    visible = [*supplies.visible, *spec.paths(), kept.directory]
    with (
        _verdict(kept),
        lease.hold(name, spec.workload.purpose) as held,
        open_work(name, held, supplies.native, visible) as work,
    ):
        with _live(spec, supplies, work, kept, progress) as live:
            judgement = use(live)
        kept.update(**_judged(judgement, kept, spec))
    return record.read(kept.directory)


@contextmanager
def _live(spec: Spec, supplies: Supplies, work: Work, kept: Record, progress: Progress) -> Iterator[Live]:
    """Nodes, storage, and a cluster on them that answers, observed by the probes."""
    with ExitStack() as held:
        with _phase("acquire", kept, progress):
            nodes = held.enter_context(acquired(spec).acquire(work, work.visible))
            hint = "set WEFT_RUNS to a directory on one"
            require_shared(nodes, kept.directory, "the record", hint, here=True)
        with _phase("storage", kept, progress):
            places = held.enter_context(_placed(spec, nodes, work))
        layout, observers = _observed(spec, _layout(spec, supplies, work, kept, nodes, places), kept)
        work.claim(layout.staging)
        plan = planned(spec, layout)
        write_plan(plan, layout, spec, kept, work)
        with _phase("start", kept, progress):
            alive = held.enter_context(
                cluster.start(plan, layout, deadline=spec.start_deadline, note=kept.note, secret=work.secret)
            )
        for probe in observers:
            held.enter_context(probe.watch(layout))
        yield Live(spec, layout, alive, kept, progress)
        kept.update(lost=alive.lost)
        with _phase("stop", kept, progress):
            held.close()


@contextmanager
def _placed(spec: Spec, nodes: Sequence[Node], work: Work) -> Iterator[dict[Role, Place]]:
    """A place for each role of the workload, and for what the storage's own daemons keep."""
    with ExitStack() as held:
        storage = served(spec)
        below = held.enter_context(storage.stand(nodes, work)) if storage else None
        places = {
            role: held.enter_context(kind.place(role, nodes, work)) for role, kind in storages(spec).items()
        }
        yield {**places, "blocks": below} if below else places


def _layout(
    spec: Spec,
    supplies: Supplies,
    work: Work,
    kept: Record,
    nodes: Sequence[Node],
    places: Mapping[Role, Place],
) -> Layout:
    return Layout(
        run=work.name,
        nodes=computing(spec, nodes),
        servers=nodes[spec.nodes.count :],
        places=places,
        directory=work.directory,
        record=kept.directory,
        java=supplies.java,
        homes=supplies.homes,
        jars=supplies.jars,
        classes=supplies.classes,
        empty=classdata.empty(),
        native=supplies.native,
        account="engine" in spec.probes,
        realm=spec.realm(work, nodes[0]),
    )


@contextmanager
def _phase(name: str, kept: Record, progress: Progress) -> Iterator[None]:
    with kept.phase(name), progress.phase(name):
        yield


@contextmanager
def _verdict(kept: Record) -> Iterator[None]:
    """Turn whatever ends a run into its verdict; the record is complete when this is left."""
    try:
        yield
    except WeftError as error:
        kept.update(verdict="INVALID", reason=error.message, tail=list(error.tail), hint=error.hint)
        error.record = kept.directory
        raise
    except (KeyboardInterrupt, Stopped):
        kept.update(verdict="INVALID", reason=f"stopped by the user in phase {kept.head['phase']}")
        raise
    except BaseException as error:
        kept.update(verdict="INVALID", reason=f"weft failed: {error!r}")
        raise
    finally:
        samples.finish(kept.directory)


def _about(spec: Spec) -> dict[str, Any]:
    chosen = {
        "workload": spec.workload.kind,
        "engine": spec.engine.label,
        "nodes": f"{spec.nodes.kind}:{spec.nodes.count}",
    }
    return {
        **chosen,
        **{role: label(getattr(spec, role)) for role in ("input", "output", "scratch")},
        "key": spec.key(),
        **spec.nodes.about(),
    }


def _judged(judgement: Judgement, kept: Record, spec: Spec) -> dict[str, Any]:
    seconds = judgement.seconds or kept.head["phases"]["run"]
    return {
        "verdict": ("VALID" if judgement.checked else "UNCHECKED") if judgement.valid else "INVALID",
        "reason": judgement.reason,
        "measured": round(seconds, 3),
        "bytes_in": judgement.bytes_in,
        "bytes_out": judgement.bytes_out,
        "throughput_per_node": round((judgement.bytes_in or judgement.bytes_out) / seconds / spec.nodes.count)
        if judgement.valid
        else None,
        "facts": dict(judgement.facts),
    }


def _observed(spec: Spec, layout: Layout, kept: Record) -> tuple[Layout, list[Probe]]:
    """The probes that can observe here, and the layout with what they want in every process; why others cannot."""
    found, missing = [], {}
    for name in spec.probes:
        probe = probes.KINDS[name]()
        reason = probe.missing(layout)
        if reason is None:
            found.append(probe)
        else:
            missing[name] = reason
    kept.update(probes=[probe.name for probe in found], probes_missing=missing)
    wanted = [probe.environment(layout) for probe in found]
    preload = {
        node.name: {k: v for each in wanted for k, v in each.get(node.name, {}).items()}
        for node in layout.all_nodes
    }
    return dataclasses.replace(layout, preload=preload), found


def write_plan(plan: Plan, layout: Layout, spec: Spec, kept: Record, work: Work) -> None:
    """Write the generated files where the engine reads them, and all of the plan into the record."""
    written = work.write(plan.files, SECRET, plan.sealed)
    everywhere(one_a_host(layout.all_nodes), lambda node: node.receive(written))
    for path, content in plan.files.items():
        copy = kept.directory / "plan" / path.relative_to(work.directory)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(content)
    record.write_json(kept.directory / "plan" / "commands.json", [
        {"name": daemon.name, "node": daemon.node.name, "argv": list(daemon.argv), "environment": dict(daemon.environment)}
        for daemon in plan.daemons
    ])  # fmt: skip
    record.write_json(kept.directory / "resolved.json", resolved(plan, layout, spec))


def resolved(plan: Plan, layout: Layout, spec: Spec) -> dict[str, Any]:
    """Everything that was decided: the whole spec, nodes, places, versions, what was derived."""
    return {
        "weft": __version__,
        "spec": json.loads(spec.model_dump_json()),
        "nodes": [
            {"name": node.name, "address": node.address, "cores": node.cores, "memory": node.memory}
            for node in layout.nodes
        ],
        "servers": [{"name": node.name, "address": node.address} for node in layout.servers],
        "limits": spec.nodes.limits(),
        "places": {
            role: {
                "storage": place.storage,
                "description": place.description,
                "paths": dict(place.paths),
                "emulated": place.emulated,
            }
            for role, place in layout.places.items()
        },
        "java": str(layout.java),
        "homes": {name: str(path) for name, path in layout.homes.items()},
        "derived": dict(plan.summary),
    }
