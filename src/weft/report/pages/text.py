"""A run's outcome in a few lines of text."""

from collections.abc import Mapping
from typing import Any

from weft.facts.checked import clause
from weft.record.record import PHASES, Stored
from weft.text.numbers import seconds
from weft.text.units import show_seconds, show_size

_FEW = 3
"""Queries whose checksums are part of the summary of a run."""


def _method(facts: Mapping[str, Any]) -> str:
    return f" (method {facts['method']})" if facts.get("method") else ""


def _found(facts: Mapping[str, Any]) -> list[str]:
    """What identifies the results of a few queries; the latency of a stream."""
    queries = facts.get("queries") or []
    found = [
        f"{row['query']}: {row['rows']} rows, checksum {row['checksum']}"
        for row in queries
        if len(queries) <= _FEW and row.get("checksum")
    ]
    if (check := facts.get("check")) and check.get("reason"):
        found += [f"check: {line}" for line in check["lines"]]
    if "latency_median_seconds" in facts:
        median, most = (seconds(facts[f"latency_{name}_seconds"]) for name in ("median", "p99"))
        kept = "sustained" if facts["sustained"] else f"not sustained, the limit is the {facts['limit']}"
        if facts.get("limit") == "unknown":
            kept = "offered, and too few results to say whether they were sustained"
        found.append(
            f"latency: median {median} s, 99 % {most} s; {facts['offered_per_second']:,.0f} records/s {kept}"
        )
    if "caught_up" in facts:
        found.append(f"backlog of {facts['backlog_records']:,} records caught up: {facts['caught_up']}")
    return found


def outcome_lines(stored: Stored) -> list[str]:
    """Verdict, phases, throughput, losses, and the path of the record."""
    head = stored.head
    facts = head.facts
    where = f"{head.nodes} of the persistent cluster {head.cluster}" if head.cluster else head.nodes
    what = f"{head.workload}{_method(facts)} on {head.engine}, {where}, scratch {head.scratch}"
    lines = [f"{stored.verdict}  {head.reason or what}"]
    if head.reason:
        lines += [f"  evidence {head.evidence.where}: {head.evidence.excerpt}"] if head.evidence else []
        lines += [f"  hint: {head.hint}"] if head.hint else []
        lines.append(f"  {what}")
    lines.append(
        "  "
        + "  ".join(f"{name} {show_seconds(head.phases[name])}" for name in PHASES if name in head.phases)
    )
    if stored.verdict == "VALID" and head.measured is not None:
        lines.append(f"  measured {show_seconds(head.measured)}; {clause(head.checked_by)}")
    if head.throughput_per_node:
        lines.append(
            f"  {show_size(head.bytes_in or 0)} in, {show_size(head.bytes_out or 0)} out, {show_size(head.throughput_per_node)}/s per node"
        )
    lines += [f"  {head.unsecured}"] if head.unsecured else []
    lost = "recovered" if stored.verdict == "VALID" else "lost"
    lines += [f"  {lost}: {words}" for words in head.lost]
    if facts.get("result"):
        lines.append(f"  result {facts['result']}: {facts['rows']} rows of {facts['columns']} columns")
    lines += [f"  {words}" for words in _found(facts)]
    lines.append(f"  record {stored.directory}")
    return lines
