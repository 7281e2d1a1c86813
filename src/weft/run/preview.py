"""The plan of a run: the layout, every file and every command, without executing anything."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from weft.adapters.probes import KINDS
from weft.adapters.workloads.base import Prepared
from weft.facts.roles import Role
from weft.host import settings
from weft.host.provision import classdata, distribution
from weft.host.work import WorkDirectory, work_directory
from weft.layout.node import Node
from weft.layout.places import Place
from weft.layout.plan import Command, Layout, Plan
from weft.record.derived import Derived, shown
from weft.run.described import described, started
from weft.run.provisioning import Provisioned
from weft.run.topology import Topology, topology
from weft.spec.model import Spec

_SUMS_LATER = {"checksum": "0", "hash": "0", "rows": 0}
"""Placeholder for what the generators will report."""


def sketch(spec: Spec, made_of: Topology | None = None) -> Layout:
    """The layout of a run, with paths that do not exist yet."""
    here, made_of = work_directory("RUN"), made_of or topology(spec)
    members = made_of.members(made_of.nodes(spec.nodes).sketch(here), spec.nodes.count)
    places = made_of.sketch(members, here)
    homes = {name: spec.home(name) or distribution.expected(name) for name in spec.distributions()}
    modules = ("core", *homes, *spec.modules())
    jars = {module: settings.cache() / "jars" / f"weft-{module}.jar" for module in modules}
    libraries = distribution.libraries(spec.libraries())
    provisioned = Provisioned(Path("java"), homes, jars, {}, Path("native"), libraries)
    computing = made_of.computing(members)
    layout = layout_of(
        spec, provisioned, here, settings.runs() / "RUN", computing, members.servers, places.roles
    )
    return made_of.laid(layout, members, places.backings)


def layout_of(
    spec: Spec,
    provisioned: Provisioned,
    work: WorkDirectory,
    record: Path,
    nodes: Sequence[Node],
    servers: Sequence[Node],
    places: Mapping[Role, Place],
) -> Layout:
    """The layout of a run or of a sketch, before its services have endpoints."""
    return Layout(
        run=work.name,
        nodes=nodes,
        servers=servers,
        places=places,
        directory=work.directory,
        record=record,
        empty=classdata.empty(),
        metrics=any(KINDS[name].metrics for name in spec.probes),
        engine=spec.engine.kind,
        shares=spec.engine.memory_shares,
        compressed=spec.workload.compressed,
        encrypted=spec.encrypted,
        secured=spec.secured,
        persistent=spec.workload.measured is None,
        **vars(provisioned),
    )


def planned(spec: Spec, layout: Layout, made_of: Topology | None = None) -> Plan:
    """The daemons of the services and of the engine."""
    return (made_of or topology(spec)).plan(spec, layout)


def preview(spec: Spec) -> dict[str, Any]:
    """Everything, as data."""
    made_of = topology(spec)
    made_of.require_possible(spec)
    layout = sketch(spec, made_of)
    plan = made_of.plan(spec, layout)
    commands = [*plan.first, *_work(spec, layout)]
    return {
        **described(spec, layout, plan),
        "files": {str(path): content for path, content in plan.files.items()},
        "daemons": [started(daemon, layout) for daemon in plan.daemons],
        "commands": [started(command, layout) for command in commands],
    }


def _work(spec: Spec, layout: Layout) -> list[Command]:
    """The commands of a workload: prepare, run, check."""
    if (workload := spec.workload.measured) is None:
        return []
    prepare = list(workload.prepare(layout))
    later = Prepared(layout, [_SUMS_LATER for _ in prepare])
    job = workload.job(later)
    return [*prepare, spec.engine.submit(job, layout), *job.companions, *workload.check(later)]


def text(plan: dict[str, Any]) -> str:
    """The same as text for users."""
    script = plan.get("job_script", "")
    lines = ["job script", *(f"  {line}" for line in script.splitlines())] if script else []
    lines.append("nodes")
    lines += [
        f"  {n['name']}  {n['address']}  {n['cores']} core(s)  {n['memory'] >> 20} MiB" for n in plan["nodes"]
    ]
    lines += [f"  {n['name']}  {n['address']}  serves {', '.join(n['services'])}" for n in plan["servers"]]
    lines += [f"  note: {limit}" for limit in plan["limits"]]
    lines += [f"  warning: {plan['unsecured']}"] if plan["unsecured"] else []
    lines.append("places")
    lines += [f"  {role:<8} {place['description']}" for role, place in plan["places"].items()]
    lines.append("derived")
    lines += [
        f"  {key}: {value}"
        for key, value in shown({who: Derived(**one) for who, one in plan["derived"].items()}).items()
    ]
    for path, content in plan["files"].items():
        lines += [f"file {path}", *(f"  {line}" for line in content.splitlines())]
    for title in ("daemons", "commands"):
        lines.append(title)
        lines += [
            f"  {entry['name']} on {entry['node']}: {shlex.join(entry['argv'])}" for entry in plan[title]
        ]
    return "\n".join(lines)
