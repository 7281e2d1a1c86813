"""A run's outcome in a few lines of text."""

from collections.abc import Mapping
from typing import Any

from weft.record.record import PHASES, Stored
from weft.text.units import show_seconds, show_size


def _method(facts: Mapping[str, Any]) -> str:
    return f" (method {facts['method']})" if facts.get("method") else ""


def outcome_lines(stored: Stored) -> list[str]:
    """Verdict, phases, throughput, losses, and the path of the record."""
    head = stored.head
    what = f"{head['workload']}{_method(head.get('facts', {}))}"
    lines = [f"{stored.verdict}  {what} on {head['engine']}, {head['nodes']}, scratch {head['scratch']}"]
    if head.get("reason"):
        lines.append(f"  reason: {head['reason']}")
    phases = head.get("phases", {})
    lines.append(
        "  " + "  ".join(f"{name} {show_seconds(phases[name])}" for name in PHASES if name in phases)
    )
    if stored.verdict == "VALID" and head.get("measured") is not None:
        checked = f"{head.get('checked_by', '')} checked the result: it is right"
        lines.append(f"  measured {show_seconds(head['measured'])}; {checked}")
    if head.get("throughput_per_node"):
        lines.append(
            f"  {show_size(head['bytes_in'])} in, {show_size(head['bytes_out'])} out, {show_size(head['throughput_per_node'])}/s per node"
        )
    lines += [f"  {head['unsecured']}"] if head.get("unsecured") else []
    lines += [f"  recovered: {words}" for words in head.get("lost", [])]
    if (facts := head.get("facts", {})).get("result"):
        lines.append(f"  result {facts['result']}: {facts['rows']} rows of {facts['columns']} columns")
    lines.append(f"  record {stored.directory}")
    return lines
