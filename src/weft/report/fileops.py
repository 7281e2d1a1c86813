"""The file operations of a run: a table by path class, the distribution of read sizes and open times, what was not seen."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from weft.report import kernelcount
from weft.report.blocks import Bar, Block, Column, Listing, Section, Table, Words
from weft.report.numbers import amount, percent, size
from weft.report.summary import Summary

_ORDER = ("input", "output", "shuffle", "jars", "logs", "other", "unnamed")
_UNNAMED = "unnamed: descriptors that no counted open returned, such as sockets and pipes"


def file_operations(summary: Summary) -> Section:
    """What the preload library counted; says so where it was not asked to."""
    if not summary.fileops:
        words = "Not counted in this run; add fileops to the probes: --set probes=proc,engine,fileops."
        return Section("fileops", "File operations", [Words(words, "quiet")])
    total = merged(node["total"] for node in summary.fileops.values())
    blocks: list[Block] = [_table(total)]
    blocks += _histogram("Sizes of reads", total, "read", "size_hist", size)
    blocks += _histogram(
        "Times of opens", total, "open", "ns_hist", lambda ns: amount(ns / 1e9, "s") if ns else "0 s"
    )
    blocks += kernelcount.beside(summary.fileops)
    missed = sorted(
        {
            _missed(note)
            for node in summary.fileops.values()
            for p in node["processes"]
            for note in p["not_covered"]
        }
    )
    blocks.append(
        Listing([f"not covered: {text}" for text in missed], "warn")
        if missed
        else Words("Nothing was seen that passes by the C library.", "quiet")
    )
    return Section("fileops", "File operations", blocks)


def merged(totals: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, dict[str, Any]]]:
    """Sums over nodes: class -> operation -> count, errors, bytes, ns, and histograms as {floor: count}."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for total in totals:
        for kind, operations in total.items():
            for operation, sums in operations.items():
                into = found.setdefault(kind, {}).setdefault(operation, {"ns_hist": {}, "size_hist": {}})
                for key in ("count", "errors", "bytes", "ns"):
                    into[key] = into.get(key, 0) + sums[key]
                for key in ("ns_hist", "size_hist"):
                    for floor, count in sums[key]:
                        into[key][floor] = into[key].get(floor, 0) + count
    return found


def _table(total: Mapping[str, Mapping[str, Any]]) -> Table:
    columns = [
        Column("files"),
        Column("operation"),
        *(
            Column(title, number=True)
            for title in ("calls", "errors", "bytes", "mean size", "time", "mean time")
        ),
    ]
    rows = []
    for kind in sorted(total, key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER)):
        for operation, sums in sorted(total[kind].items(), key=lambda item: -item[1]["ns"]):
            mean = sums["bytes"] / sums["count"] if sums["bytes"] else 0
            seconds = sums["ns"] / 1e9
            rows.append(
                (
                    kind,
                    operation,
                    amount(sums["count"]),
                    amount(sums["errors"]) if sums["errors"] else "-",
                    size(sums["bytes"]),
                    size(mean),
                    amount(seconds, "s"),
                    _short(seconds / sums["count"]),
                )
            )
    return Table(columns, rows, f"Time is the sum over all threads. {_UNNAMED}.")


def _short(seconds: float) -> str:
    return f"{seconds * 1e6:.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"


def _histogram(
    title: str, total: Mapping[str, Mapping[str, Any]], operation: str, key: str, show: Any
) -> Sequence[Block]:
    sums: dict[int, int] = {}
    for kind, operations in total.items():
        if kind != "unnamed":
            for floor, count in operations.get(operation, {}).get(key, {}).items():
                sums[floor] = sums.get(floor, 0) + count
    whole = sum(sums.values())
    if not whole:
        return []
    parts = [
        (f"from {show(floor)}", float(count), percent(count / whole)) for floor, count in sorted(sums.items())
    ]
    rows = [(name, f"{count:,.0f}", share) for name, count, share in parts]
    table = Table(
        [Column(title), Column("calls", number=True), Column("share", number=True)],
        rows,
        "Each row reaches to the next; sockets and pipes are left out.",
    )
    return [Words(f"{title} ({whole:,} calls)"), Bar(parts), table]


def _missed(note: Mapping[str, Any]) -> str:
    number = f" {note['number']}" if note.get("number") else ""
    detail = f" ({note['detail']})" if note.get("detail") else ""
    return f"{note['kind']}{number}{detail}"
