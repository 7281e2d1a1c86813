"""What scaling did to a trace of jobs: the quantiles of a replay beside those of its trace."""

from collections.abc import Mapping, Sequence
from typing import Any

from weft.report.draw.blocks import Block, Facts, Number, Section, Table
from weft.text.numbers import NONE, amount, percent, seconds
from weft.text.units import show_seconds, show_size

_TITLES = {
    "gap": "seconds between jobs",
    "input": "bytes of input",
    "shuffle": "bytes of shuffle",
    "output": "bytes of output",
}


def section(found: Mapping[str, Any]) -> Section:
    """`found`: levels, trace and replay as workloads describe them, and both scales."""
    return Section("trace", "The trace and its replay", blocks(found))


def blocks(found: Mapping[str, Any]) -> list[Block]:
    """Totals, and a table of quantiles: of the trace, of the trace times the scale, of the replay."""
    trace, replay = found["trace"], found["replay"]
    return [
        Facts([("trace", _total(trace)), ("replay", _total(replay)), ("scale", _scale(found))]),
        _table(found),
    ]


def _total(jobs: Mapping[str, Any]) -> str:
    share = percent(jobs["map_only"] / jobs["jobs"])
    sizes = ", ".join(f"{name} {show_size(jobs[name])}" for name in ("input", "shuffle", "output"))
    return f"{jobs['jobs']:,} jobs in {show_seconds(jobs['seconds'])}, {share} of them map-only; {sizes}"


def _scale(found: Mapping[str, Any]) -> str:
    return f"bytes x {found['bytes_scale']:g}, time x {found['time_scale']:g}"


def _table(found: Mapping[str, Any]) -> Table:
    columns = ["distribution", "of", *(Number(f"{level * 100:g} %") for level in found["levels"])]
    rows: list[Sequence[str]] = []
    for name, title in _TITLES.items():
        scale = found["time_scale" if name == "gap" else "bytes_scale"]
        trace, replay = found["trace"]["quantiles"][name], found["replay"]["quantiles"][name]
        for of, values in (
            ("trace", trace),
            ("trace, scaled", [v * scale for v in trace]),
            ("replay", replay),
        ):
            rows.append((title, of, *([_value(name, v) for v in values] or [NONE] * len(found["levels"]))))
    note = (
        "A replay is true to its trace where its quantiles are those of the scaled trace. Fewer jobs change all of them, and "
        "longer pauses are between the jobs of a sample; sizes that would be smaller than a byte are one byte."
    )
    return Table(columns, rows, note)


def _value(name: str, value: float) -> str:
    return seconds(value) if name == "gap" else amount(value, "B")
