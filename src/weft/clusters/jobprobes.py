"""What is measured of one job of a persistent cluster: by which probes, through which variables, and what is not."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from weft.adapters.probes.base import Probe
from weft.host.programs import marks
from weft.layout.node import Node
from weft.layout.plan import Layout
from weft.record.record import Record
from weft.run.progress import Progress

_NOT_ALONE = "on a persistent cluster it cannot distinguish one job's processes from others, or had to be there at their start"


Variables = Mapping[str, Mapping[str, str]]
"""By node name."""


def lacking(probe: Probe, layout: Layout, has: Variables, *, ready: bool) -> str:
    """Why a probe cannot measure a job alone that has such a layout; empty if it can.

    `has`: the variables of the cluster's processes. `ready`: the job's executors are there already.
    """
    if probe.joins:
        return ""
    if not probe.by_node:
        return _NOT_ALONE
    if not had(probe, has, layout):
        return f"the cluster was started without it; `weft up --probe {probe.name}` starts one with it"
    if ready:
        return "the executors were there before the run"
    if not alike(probe, layout):
        return "on this cluster its variables differ between nodes in more than their names"
    return ""


def had(probe: Probe, has: Variables, layout: Layout) -> bool:
    """Whether the processes of all nodes have a probe's variables."""
    return all(set(probe.by_node) <= set(has.get(node.name, {})) for node in layout.all_nodes)


def alike(probe: Probe, layout: Layout) -> bool:
    """Whether a probe's variables of a job are the same on all nodes but for their names."""
    return _on_any_node(probe, layout) is not None


def measured(layout: Layout, probes: Sequence[Probe], has: Variables) -> Layout:
    """The layout with the variables that tell these probes the job's processes from others of the cluster.

    Of what the cluster's processes have, the run's have the rest too: where both use the preload library, both report the same.
    """
    preload = {
        node.name: {**has.get(node.name, {}), **layout.preload.get(node.name, {})}
        for node in layout.all_nodes
    }
    found = [_on_any_node(probe, layout) or {} for probe in probes]
    return replace(
        layout, preload=preload, of_job={name: value for each in found for name, value in each.items()}
    )


def _on_any_node(probe: Probe, layout: Layout) -> dict[str, str] | None:
    """A probe's variables of a job with ANY_NODE for the name of the node; None if one text is not that of all nodes."""
    if not probe.by_node:
        return {}
    wanted = probe.environment(layout)
    found = {
        name: _nameless({node.name: wanted[node.name][name] for node in layout.nodes})
        for name in probe.by_node
    }
    texts = {name: text for name, text in found.items() if text is not None}
    return texts if len(texts) == len(found) else None


def _nameless(texts: Mapping[str, str]) -> str | None:
    """One text for those of all nodes, with ANY_NODE where each has its name; None if they differ in more."""
    at = dict.fromkeys(texts, 0)
    made = []
    while any(at[node] < len(text) for node, text in texts.items()):
        if all(text.startswith(node, at[node]) for node, text in texts.items()):
            made.append(marks.ANY_NODE)
            at = {node: begin + len(node) for node, begin in at.items()}
        elif len(same := {text[at[node] : at[node] + 1] for node, text in texts.items()}) == 1:
            made += same
            at = {node: begin + 1 for node, begin in at.items()}
        else:
            return None
    return "".join(made)


def without_counters(layout: Layout) -> Layout:
    """Without what is counted for a node: it would be of all jobs of the cluster."""

    def bare(node: Node) -> Node:
        return replace(node, cgroups=(), network_pid=None)

    return replace(layout, nodes=[*map(bare, layout.nodes)], servers=[*map(bare, layout.servers)])


def say_missing(shared: Sequence[Node], record: Record, others: list[str], progress: Progress) -> None:
    """What is not measured of nodes that others may use, and what shares the cluster with the run; the record has both."""
    of_all = "the network of the nodes was counted for all of the cluster, in its own record"
    uncounted = [of_all] if any(node.network_pid for node in shared) else []
    if missing := record.head.probes_missing:
        progress.say(f"not measured on a persistent cluster: {', '.join(missing)}; the report says why")
    for words in others:
        progress.warn(f"warning: {words}")
    record.update(gaps=[*record.head.gaps, *uncounted, *others])
