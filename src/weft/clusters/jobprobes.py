"""Probes of one job of a persistent cluster: which can measure it, and the variables of its processes."""

import re
from collections.abc import Sequence
from dataclasses import replace

from weft.adapters.probes.base import Probe
from weft.host.programs import marks
from weft.layout.node import Node
from weft.layout.plan import Layout
from weft.record.record import Record
from weft.run.progress import Progress

_NOT_ALONE = "on a persistent cluster it cannot distinguish one job's processes from others, or had to be there at their start"


def lacking(probe: Probe, layout: Layout, cluster: Layout, *, ready: bool) -> str:
    """Why a probe cannot measure a job alone that has such a layout on a cluster; empty if it can. `ready`: its executors are there."""
    if probe.joins:
        return ""
    if not probe.by_node:
        return _NOT_ALONE
    if any(set(probe.by_node) - set(cluster.preload.get(node.name, {})) for node in layout.all_nodes):
        return f"the cluster was started without it, as `weft up --probe {probe.name}` starts one with it"
    if ready:
        return "the executors were there before the run"
    if _on_any_node(probe, layout) is None:
        return "on this cluster its variables differ between nodes in more than their names"
    return ""


def measured(layout: Layout, probes: Sequence[Probe]) -> Layout:
    """The layout with the variables that tell these probes the job's processes from others of the cluster."""
    found = [_on_any_node(probe, layout) or {} for probe in probes]
    return replace(layout, of_job={name: value for each in found for name, value in each.items()})


def _on_any_node(probe: Probe, layout: Layout) -> dict[str, str] | None:
    """A probe's variables of a job with NODE for the name of the node; None if one text is not that of all nodes."""
    wanted = probe.environment(layout)
    found = [
        {name: _nameless(wanted[node.name][name], node.name) for name in probe.by_node}
        for node in layout.nodes
    ]
    return found[0] if all(each == found[0] for each in found) else None


def _nameless(value: str, node: str) -> str:
    return re.sub(rf"(?<=/){re.escape(node)}(?=[/:]|$)", marks.ANY_NODE, value)


def without_counters(layout: Layout) -> Layout:
    """Without what is counted for a node: it would be of all jobs of the cluster."""

    def bare(node: Node) -> Node:
        return replace(node, cgroups=(), network_pid=None)

    return replace(layout, nodes=[*map(bare, layout.nodes)], servers=[*map(bare, layout.servers)])


def say_missing(shared: Sequence[Node], record: Record, others: list[str], progress: Progress) -> None:
    """What is not measured of nodes that others may use, and what shares the cluster with the run; the record has both."""
    of_all = "the network of the nodes was counted for all of the cluster, in its own record"
    uncounted = [of_all] if any(node.network_pid for node in shared) else []
    if shared and (missing := record.head.probes_missing):
        progress.say(f"not measured on a persistent cluster: {', '.join(missing)}; the report says why")
    for words in others:
        progress.warn(f"warning: {words}")
    record.update(gaps=[*record.head.gaps, *uncounted, *others])
