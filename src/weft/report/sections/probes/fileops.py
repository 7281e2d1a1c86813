"""The file operations of a run: by path class, the distribution of read sizes and open times, what was not counted."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter

from weft.analysis.read.sums import sums
from weft.analysis.summary.filecalls import MEASURED, Sums, counted, engine, table
from weft.analysis.summary.summary import CounterRow, Summary
from weft.facts.roles import ROLES
from weft.report.draw.blocks import Bar, Block, Listing, Number, Section, Table, Words
from weft.report.sections import kernelcount
from weft.report.sections.counters import phases_of
from weft.report.sections.unasked import unasked
from weft.text.numbers import amount, percent, size
from weft.text.units import show_size

_ORDER = (*ROLES, "jars", "logs", "other", "unnamed")
_READINGS = TypeAdapter(dict[str, dict[str, list[dict[str, Any]]]])
"""By node: its `processes`, as `weft-scratch stats --json` prints them."""
_UNNAMED = "unnamed: descriptors that were not returned by a counted open, such as sockets and pipes"


def file_operations(summary: Summary) -> Section:
    """The preload library's counts, or how to enable them."""
    found = counted(summary.counters)
    nodes = _READINGS.validate_python(summary.readings.get("fileops", {}))
    if not found and not nodes:
        return Section("fileops", "File operations", unseen=unasked(summary, "fileops", "file operations"))
    measured = table(found, engine(found), MEASURED)
    blocks: list[Block] = [_engine(measured), *_beyond(summary.facts.get("table_bytes"), measured)]
    blocks += _histogram("Sizes of reads", measured, "read", "size_hist", show_size)
    blocks += _histogram("Times of opens", measured, "open", "ns_hist", lambda ns: _short(ns / 1e9))
    blocks += _others(found, phases_of(summary))
    blocks += kernelcount.comparison(nodes)
    processes = [each for node in nodes.values() for each in node["processes"]]
    missed = sorted({_missed(note) for each in processes for note in each["not_covered"]})
    if missed:
        blocks.append(Listing([f"not covered: {text}" for text in missed], "warn"))
    else:
        blocks.append(Words("No operation that bypasses the C library was detected.", "quiet"))
    return Section("fileops", "File operations", blocks)


def _engine(measured: Mapping[tuple[str, str], Sums]) -> Block:
    if not measured:
        return Words(f"The engine's processes made no counted call in the phase {MEASURED}.", "quiet")
    titles = ("calls", "errors", "bytes", "mean size", "time", "mean time")
    columns = ["files", "operation", *map(Number, titles)]
    ordered = sorted(measured.items(), key=lambda item: (_place(item[0][0]), -item[1].seconds))
    rows = [(kind, operation, *_row(sums)) for (kind, operation), sums in ordered]
    note = f"The engine's processes in the phase {MEASURED}. Time is the sum over all threads. {_UNNAMED}."
    return Table(columns, rows, note)


def _beyond(tables: Any, measured: Mapping[tuple[str, str], Sums]) -> list[Block]:
    """Of queries: bytes beyond those of their tables and results; columns that no query needs are not read."""
    if not isinstance(tables, int) or not measured:
        return []

    def moved(kinds: Sequence[str], *operations: str) -> float:
        return sum(
            sums.bytes for (kind, name), sums in measured.items() if kind in kinds and name in operations
        )

    read = moved(("input", "scratch", "output"), "read", "transfer")
    results, between = moved(("output",), "write"), moved(("scratch",), "write")
    more = f"{show_size(abs(round(read - tables)))} {'more' if read > tables else 'less'}"
    return [
        Words(
            f"Read: {show_size(round(read))}, {more} than the tables have ({show_size(tables)})."
            f" Written: {show_size(round(results))} of results and {show_size(round(between))} beyond them."
        )
    ]


def _place(kind: str) -> tuple[int, str]:
    return (_ORDER.index(kind) if kind in _ORDER else len(_ORDER), kind)


def _row(sums: Sums) -> tuple[str, ...]:
    mean = sums.bytes / sums.count if sums.bytes and sums.count else 0
    return (
        amount(sums.count),
        amount(sums.errors) if sums.errors else "-",
        size(sums.bytes),
        size(mean),
        amount(sums.seconds, "s"),
        _short(sums.seconds / sums.count) if sums.count else "-",
    )


def _short(seconds: float) -> str:
    return f"{seconds * 1e6:.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"


def _others(counters: Sequence[CounterRow], phases: Sequence[str]) -> list[Block]:
    """Other counts in short: the engine's other phases, generators, validators."""
    rows = [
        (component or "all", phase, kind, amount(calls), size(moved), amount(seconds, "s"))
        for component in dict.fromkeys(counter.component for counter in counters)
        for phase in phases
        if phase != MEASURED or component not in engine(counters)
        for kind, (calls, moved, seconds) in _by_kind(table(counters, [component], phase)).items()
    ]
    columns = ["processes of", "phase", "files", *map(Number, ("calls", "bytes", "time"))]
    return [Table(columns, rows, "The same for all other processes and phases.")] if rows else []


def _by_kind(operations: Mapping[tuple[str, str], Sums]) -> dict[str, tuple[float, float, float]]:
    found: dict[str, tuple[float, float, float]] = {}
    for (kind, _), each in sorted(operations.items(), key=lambda item: _place(item[0][0])):
        calls, moved, seconds = found.get(kind, (0, 0, 0))
        found[kind] = (calls + each.count, moved + each.bytes, seconds + each.seconds)
    return found


def _histogram(
    title: str,
    measured: Mapping[tuple[str, str], Sums],
    operation: str,
    key: str,
    show: Callable[[float], str],
) -> Sequence[Block]:
    of_files = [of for (kind, name), of in measured.items() if kind != "unnamed" and name == operation]
    counts: dict[int, float] = sums(item for of in of_files for item in getattr(of, key).items())
    calls = sum(counts.values())
    if not calls:
        return []
    parts = [
        (f"from {show(floor)}", count, percent(count / calls)) for floor, count in sorted(counts.items())
    ]
    rows = [(name, f"{count:,.0f}", share) for name, count, share in parts]
    note = "Each row extends to the next; sockets and pipes are excluded."
    shown = Table([title, Number("calls"), Number("share")], rows, note)
    return [Words(f"{title} ({calls:,.0f} calls)"), Bar(parts, ["data"] * len(parts)), shown]


def _missed(note: Mapping[str, Any]) -> str:
    number = f" {note['number']}" if note.get("number") else ""
    detail = f" ({note['detail']})" if note.get("detail") else ""
    return f"{note['kind']}{number}{detail}"


SECTION = file_operations
