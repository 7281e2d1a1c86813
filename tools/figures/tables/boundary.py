"""Which engine of one node is the fastest, and which fails and in which phase, by scale of the tables and memory limit of the engine."""

import re
from collections.abc import Sequence

from figures.rows import Row
from figures.shown import spread, table
from weft.analysis.compare import statistics
from weft.text.numbers import NONE
from weft.text.units import parse_size

ENGINES = {"spark": "Spark", "sail": "Sail", "duckdb": "DuckDB"}
_LONGEST = 90
"""Characters of a reason."""
_FORM = re.compile(r"(?P<engine>\w+):(?:executor_)?memory=(?P<limit>\w+)")
_WRONG = re.compile(
    r"(?P<wrong>\d+) of (?P<all>\d+) executions are wrong, first (?P<query>\w+)-\d+: (?P<why>.*)"
)
_PHASES = {"check": "check failed", "prepare": "generator failed", "start": "did not start"}
"""Of a run that ended in one: what that says. In all others the engine failed."""
Place = tuple[float, str]
"""The scale of the tables, and the memory limit as the study writes it."""
Cells = dict[str, list[Row]]


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each scale and limit: seconds on each engine, or what failed and why; and which is the fastest."""
    body = [
        [f"{scale:g}", limit, *(_cell(by.get(engine, [])) for engine in ENGINES), _fastest(by)]
        for (scale, limit), by in placed(rows).items()
    ]
    head = ["scale", "memory limit", *(f"{name}, s" for name in ENGINES.values()), "fastest"]
    return [_asked(rows), "", *table(head, body)]


def _asked(rows: Sequence[Row]) -> str:
    """The queries, and how long each may take."""
    works = [row["asked"]["workload"] for row in rows]
    queries = " or ".join(sorted({work["queries"].replace(",", ", ") for work in works}))
    limits = " or ".join(sorted({work["limit"] for work in works}))
    return f"{queries}: seconds of all, of which none may take longer than {limits}."


def placed(rows: Sequence[Row]) -> dict[Place, Cells]:
    """Rows by place, the smallest first, and by engine."""
    found: dict[Place, Cells] = {}
    for row in rows:
        engine, limit = _engine(str(row["cell"]["engine"]))
        place = float(row["cell"]["workload.scale"]), limit
        found.setdefault(place, {}).setdefault(engine, []).append(row)
    return dict(sorted(found.items(), key=lambda item: (item[0][0], parse_size(item[0][1]))))


def taken(rows: Sequence[Row]) -> list[float]:
    """Seconds of those that are valid."""
    return [row["measures"]["seconds"] for row in rows if row["verdict"] == "VALID"]


def failure(row: Row) -> str:
    """What failed, and why: a query of the engine's, or a phase."""
    why = re.sub(r"\s+", " ", row.get("reason", ""))
    named = _WRONG.match(why)
    if named:
        what = f"{named['wrong']} of {named['all']} queries failed, {named['query']}"
        why = named["why"]
    else:
        last = [phase for phase in row.get("phases", ()) if phase != "stop"][-1:]
        what = _PHASES.get("".join(last), "engine failed")
    return f"{what}: {why if len(why) <= _LONGEST else f'{why[: _LONGEST - 3]}...'}"


def _engine(form: str) -> tuple[str, str]:
    """Its kind and its memory limit, as the study writes them."""
    named = _FORM.fullmatch(form)
    if named is None:
        raise ValueError(f"{form} is no engine with a memory limit")
    return named["engine"], named["limit"]


def _cell(rows: Sequence[Row]) -> str:
    """Their seconds; if none is valid, what failed in the first."""
    if seconds := taken(rows):
        failed = len(rows) - len(seconds)
        return spread(seconds) + (f" ({failed} of {len(rows)} failed)" if failed else "")
    return failure(rows[0]) if rows else NONE


def _fastest(by: Cells) -> str:
    """The one with the smallest median of those of which no run failed."""
    right = {
        engine: statistics.median(seconds).median
        for engine, rows in by.items()
        if len(seconds := taken(rows)) == len(rows)
    }
    return ENGINES[min(right, key=lambda engine: right[engine])] if right else "none"
