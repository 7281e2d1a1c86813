"""Which of the requested probes can measure a run, and what they need of its processes."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence

from weft.adapters import probes
from weft.adapters.nodes.access import access
from weft.adapters.nodes.base import everywhere
from weft.adapters.probes.base import Probe
from weft.layout.plan import Layout
from weft.record.record import Record
from weft.run import preload
from weft.spec.model import Spec


def observed(
    spec: Spec, layout: Layout, record: Record, lacks: Callable[[Probe], str] = lambda _: ""
) -> tuple[Layout, list[Probe]]:
    """The probes that can measure here, and the layout with their variables for every process; why others cannot.

    `lacks`: why the run's cluster keeps a probe from it; empty if it does not.
    """
    found, missing = [], {}
    added = spec.added_probes()
    for name in dict.fromkeys([*spec.probes, *added]):
        probe = probes.KINDS[name]()
        reason = lacks(probe) or probe.missing(layout)
        if not reason:
            found.append(probe)
        else:
            missing[name] = reason
    _make_directories(found, layout)
    optional = [probe for probe in found if probe.name in added and probe.native]
    if optional and (why := preload.failure(_preloaded(layout, found))):
        found = [probe for probe in found if probe not in optional]
        missing.update({probe.name: why for probe in optional})
    record.update(probes=[probe.name for probe in found], probes_missing=missing, probes_added=added)
    return _preloaded(layout, found), found


def _make_directories(observers: Sequence[Probe], layout: Layout) -> None:
    wanted = [probe.directories(layout) for probe in observers]
    by_node = {
        node.name: [path for each in wanted for path in each.get(node.name, ())] for node in layout.all_nodes
    }
    everywhere(
        [node for node in layout.all_nodes if by_node[node.name]],
        lambda node: access(node).make(*by_node[node.name]),
    )


def _preloaded(layout: Layout, observers: Sequence[Probe]) -> Layout:
    """The layout with the variables of probes for every process."""
    wanted = [probe.environment(layout) for probe in observers]
    variables = {
        node.name: _joined([each.get(node.name, {}) for each in wanted]) for node in layout.all_nodes
    }
    return dataclasses.replace(layout, preload=variables)


def _joined(wanted: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """The variables of several probes; options for Java add up."""
    options = [each["JAVA_TOOL_OPTIONS"] for each in wanted if "JAVA_TOOL_OPTIONS" in each]
    joined = {"JAVA_TOOL_OPTIONS": " ".join(options)} if options else {}
    return {name: value for each in wanted for name, value in each.items()} | joined
