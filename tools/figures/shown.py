"""Numbers of tables: medians with what is known of their spread, and the line that says what a table is made of."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import datetime

from figures.rows import Row
from weft.analysis.compare import statistics
from weft.analysis.compare.estimate import LEAST, Estimate
from weft.report.draw.interval import interval
from weft.text.numbers import NONE, seconds

SINGLE, FEW, MANY = "single runs", "several runs", "intervals"
"""What the numbers of a table are based on: one run each, 2 to 5, or enough for an interval."""
NOT_OFFERED = "NOT OFFERED"
"""The verdict of what an engine does not offer: no run."""
FAILED_BEFORE = "failed_before"
"""Column with the number of INVALID runs that were run again and have no row of their own."""


def spread(values: Iterable[float | None], show: Callable[[float], str] = seconds) -> str:
    """Their median: alone, with their range, or with its interval."""
    known = [value for value in values if value is not None]
    return interval(statistics.median(known), show=show) if known else NONE


def estimate(values: Sequence[float]) -> Estimate | None:
    """Of none there is none."""
    return statistics.median(values) if values else None


def in_turn(rows: Sequence[Row], cell: Row) -> tuple[list[Row], list[str]]:
    """Rows of a cell of this checkout; and the seconds of another one that was run in turn, with the ratio of runs that followed each other."""
    this, other = (
        {each["repeat"]: each for each in rows if each["cell"] == {**cell, "weft": which}}
        for which in ("this", "other")
    )
    ratios = [this[n]["seconds"] / other[n]["seconds"] for n in sorted(this.keys() & other.keys())]
    return [*this.values()], [spread(each["seconds"] for each in other.values()), interval(estimate(ratios))]


def others(rows: Sequence[Row]) -> list[str]:
    """Commits of the other checkouts."""
    return list(dict.fromkeys(str(each["of"]) for each in rows if each["cell"]["weft"] == "other"))


def row(cells: Iterable[object]) -> str:
    """A line of a Markdown table."""
    return f"| {' | '.join(str(cell).replace('|', '&#124;') for cell in cells)} |"


def table(head: Sequence[str], rows: Iterable[Iterable[object]]) -> list[str]:
    """A Markdown table; columns after the first are aligned to the right if all of their cells begin with a digit or are empty."""
    body = [[str(cell) for cell in each] for each in rows]
    right = [
        bool(body) and all(not each[index].strip(NONE) or each[index][:1].isdigit() for each in body)
        for index in range(len(head))
    ]
    rule = ["---:" if index and right[index] else "---" for index in range(len(head))]
    return [row(head), f"|{'|'.join(rule)}|", *map(row, body)]


def valid(rows: Iterable[Row]) -> list[Row]:
    """Those whose result was right: only their times count."""
    return [each for each in rows if each.get("verdict", "VALID") == "VALID"]


def cell_of(each: Row) -> Hashable:
    """What is repeated: the coordinates of a row's cell."""
    cell = each.get("cell", "")
    return tuple(sorted((key, str(value)) for key, value in cell.items())) if isinstance(cell, dict) else cell


def kind(rows: Sequence[Row], by: Callable[[Row], Hashable] = cell_of) -> str:
    """Which of SINGLE, FEW and MANY holds of the cell with the fewest rows."""
    fewest = min(Counter(map(by, rows)).values(), default=0)
    return MANY if fewest >= LEAST else FEW if fewest > 1 else SINGLE


def footer(rows: Sequence[Row], command: str, path: str, by: Callable[[Row], Hashable] = cell_of) -> str:
    """What a table is made of: runs, dates, commits, machines, how busy and how steady these were, the command, the data."""
    counts = sorted(set(Counter(map(by, valid(rows))).values()))
    runs = _runs(counts)
    offered = [each for each in rows if each.get("verdict") != NOT_OFFERED]
    wrong = len(offered) - len(valid(rows))
    again = sum(int(each.get(FAILED_BEFORE, 0)) for each in rows)
    days = sorted({datetime.fromisoformat(str(each["time"])).date().isoformat() for each in rows})
    commits = list(dict.fromkeys(str(each["commit"]) for each in rows))
    words = [
        runs,
        *([f"{wrong} of {len(offered)} runs not VALID and not counted"] if wrong else []),
        *([f"before these, {again} failed and were run again"] if again else []),
        days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}",
        f"commit {', '.join(commits)}",
        *dict.fromkeys(str(each["machine"]) for each in rows),
        *_control(rows),
    ]
    return f"*{'; '.join(words)}. `{command}`, `{path}`.*"


def _runs(counts: Sequence[int]) -> str:
    if not counts:
        return "No valid run"
    fewest, most = counts[0], counts[-1]
    if most == 1:
        return "Single runs"
    many = str(fewest) if fewest == most else f"{fewest} to {most}"
    if fewest >= LEAST:
        return f"Medians of {many} runs with 95 % intervals"
    return f"Medians of {many} runs (smallest to largest)" + (
        f", from {LEAST} on [95 % interval]" if most >= LEAST else ""
    )


def _control(rows: Sequence[Row]) -> list[str]:
    """How busy the machine was, what known work took, and how even that was: a table of a slow day is even as well."""
    loads = [float(each["load"]) for each in rows if "load" in each]
    found = [f"load before a run {min(loads):.1f} to {max(loads):.1f}"] if loads else []
    for key, what in (("cpu", "computation"), ("files", "file calls")):
        taken = [float(each[key]) for each in rows if each.get(key)]
        if len(taken) > 1:
            low, middle, high = min(taken), statistics.median(taken).median, max(taken)
            of_median = f"{low / middle:.2f} to {high / middle:.2f} of its median"
            some = f", in {len(taken)} of {len(rows)} runs" if len(taken) < len(rows) else ""
            found.append(f"known {what} {seconds(low)} to {seconds(high)} s ({of_median}{some})")
    return found
