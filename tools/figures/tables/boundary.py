"""Which engine of one node is the fastest, and which fails, by size of the tables and memory limit of the engine."""

import re
from collections.abc import Sequence

from figures.rows import Row
from figures.shown import spread, table
from weft.analysis.compare import statistics
from weft.text.numbers import NONE
from weft.text.units import parse_size

_ENGINES = {"spark": "Spark", "sail": "Sail", "duckdb": "DuckDB"}
_LONGEST = 90
"""Characters of a reason."""
_FORM = re.compile(r"(?P<engine>\w+):(?:executor_)?memory=(?P<limit>\w+)")
Cells = dict[str, list[Row]]


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each size and limit: seconds on each engine, or why it failed; and which is the fastest."""
    found: dict[tuple[int, str], Cells] = {}
    for row in rows:
        engine, limit = _engine(str(row["cell"]["engine"]))
        place = int(row["cell"]["workload.visits"]), limit
        found.setdefault(place, {}).setdefault(engine, []).append(row)
    body = []
    for (visits, limit), by in sorted(found.items(), key=lambda item: (item[0][0], parse_size(item[0][1]))):
        shown = [_cell(by.get(engine, [])) for engine in _ENGINES]
        body.append([f"{visits:,}", limit, *shown, _fastest(by)])
    head = ["visits", "memory limit", *(f"{name}, s" for name in _ENGINES.values()), "fastest"]
    return table(head, body)


def _engine(form: str) -> tuple[str, str]:
    """Its kind and its memory limit, as the study writes them."""
    named = _FORM.fullmatch(form)
    if named is None:
        raise ValueError(f"{form} is no engine with a memory limit")
    return named["engine"], named["limit"]


def _seconds(rows: Sequence[Row]) -> list[float]:
    return [row["measures"]["seconds"] for row in rows if row["verdict"] == "VALID"]


def _cell(rows: Sequence[Row]) -> str:
    """Their seconds; if none is valid, the reason of the first."""
    if taken := _seconds(rows):
        failed = len(rows) - len(taken)
        return spread(taken) + (f" ({failed} of {len(rows)} failed)" if failed else "")
    if not rows:
        return NONE
    why = re.sub(r"\s+", " ", rows[0].get("reason", ""))
    return f"failed: {why if len(why) <= _LONGEST else f'{why[: _LONGEST - 3]}...'}"


def _fastest(by: Cells) -> str:
    """The one with the smallest median of those of which no run failed."""
    right = {
        engine: statistics.median(taken).median
        for engine, rows in by.items()
        if len(taken := _seconds(rows)) == len(rows)
    }
    return _ENGINES[min(right, key=lambda engine: right[engine])] if right else "none"
