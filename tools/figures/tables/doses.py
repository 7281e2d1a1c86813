"""Doses of one thing each and the response of each part; bounds beside the run without the part; equal runs."""

from collections.abc import Sequence
from statistics import median

from figures.rows import Row
from figures.scores import slope
from figures.shown import spread, table
from weft.text.numbers import percent

_NETWORK = "network"
_MACHINE = "run-queue wait"
_EMPTY = "no task"
"""Parts that change with how busy the machine is, and with how long the run is."""


def doses(rows: Sequence[Row]) -> list[str]:
    """A line for each dose: what was given and found, the slope and what the line has at 0 with their intervals, and what else changed."""
    head = ["dose", "given, s", "part", "found, s", "slope", "found where 0 s is given, s"]
    head.append("largest change of another part of the tasks")
    body = [_dose([row for row in rows if row["name"] == name]) for name in _names(rows, "dose")]
    on_one = [row for row in rows if row["part"] != _NETWORK]
    wrong = sum(row["parts"].get(_NETWORK, 0.0) > 0 for row in on_one)
    sentence = f"`{_NETWORK}` was a part in {wrong} of {len(on_one)} runs on one node."
    return [*table([*head, "of run-queue wait and empty slots"], body), "", sentence]


def _names(rows: Sequence[Row], kind: str) -> list[str]:
    return list(dict.fromkeys(row["name"] for row in rows if row["kind"] == kind))


def _dose(rows: Sequence[Row]) -> list[str]:
    first, part = rows[0], rows[0]["part"]
    ordered = sorted(rows, key=lambda row: (float(row["cell"]), row["repeat"]))
    given = [float(row["given"]) for row in ordered]
    seconds = [float(row["parts"].get(part, 0.0)) for row in ordered]
    line = slope(given, seconds)
    half = "one line, no interval" if line.half is None else f"± {line.half:.3f}"
    of_base = "" if line.base_half is None else f" ± {line.base_half:.2f}"
    of_tasks, of_machine = _moved(ordered, part)
    values = ", ".join(dict.fromkeys(str(row["cell"]) for row in ordered))
    return [
        f"{first['what']}: {values} {first['unit']}",
        ", ".join(f"{each:.1f}" for each in given),
        f"`{part}`",
        ", ".join(f"{each:.1f}" for each in seconds),
        f"{line.value:.3f} {half}",
        f"{line.base:.2f}{of_base}",
        _named(of_tasks),
        _named(of_machine),
    ]


def _moved(ordered: Sequence[Row], part: str) -> tuple[dict[str, float], dict[str, float]]:
    """By other part: its change from the smallest to the largest dose over the slot time; the tasks' parts, then the machine's."""
    ends = [[row for row in ordered if row["cell"] == end["cell"]] for end in (ordered[0], ordered[-1])]
    slot_time = median(row["slots"] * row["wall"] for row in ends[1])
    names = {name for row in ordered for name in row["parts"]} - {part}
    changes = {
        name: (
            median(r["parts"].get(name, 0.0) for r in ends[1])
            - median(r["parts"].get(name, 0.0) for r in ends[0])
        )
        / slot_time
        for name in sorted(names)
    }
    machine = {name: share for name, share in changes.items() if name == _MACHINE or name.startswith(_EMPTY)}
    return {name: share for name, share in changes.items() if name not in machine}, machine


def _named(changes: dict[str, float]) -> str:
    if not changes:
        return "none"
    worst = max(changes, key=lambda name: abs(changes[name]))
    return f"`{worst}` {100 * changes[worst]:+.1f} %"


def bounds(rows: Sequence[Row]) -> list[str]:
    """A line for each part that a run was given less of: how much faster it could be, and was."""
    body = []
    for part in _names(rows, "pair"):
        here = [row for row in rows if row["name"] == part]
        real = [row["slow"]["wall"] / row["fast"]["wall"] for row in here]
        columns = ([row["bound"] for row in here], [row["expected"] for row in here], real)
        shares = spread((row["share"] for row in here), percent)
        body.append(
            [f"`{part}`", shares, *(spread(values, lambda value: f"{value:.2f}") for values in columns)]
        )
    head = ["part", "share", "times faster without it, at most", "with what is left of it", "runs without it"]
    return table(head, body)


def equal(rows: Sequence[Row]) -> list[str]:
    """How far apart the shares of equal runs are."""
    here = [row for row in rows if row["kind"] == "again"]
    shares = [
        {name: seconds / (row["slots"] * row["wall"]) for name, seconds in row["parts"].items()}
        for row in here
    ]
    names = sorted({name for each in shares for name in each})
    apart = {name: [each.get(name, 0.0) for each in shares] for name in names}
    largest = sorted(names, key=lambda name: -max(apart[name]))[:5]
    body = [[f"`{name}`", *(percent(edge(apart[name])) for edge in (min, median, max))] for name in largest]
    worst = max(names, key=lambda name: max(apart[name]) - min(apart[name]))
    width = 100 * (max(apart[worst]) - min(apart[worst]))
    sentence = f"{len(here)} equal runs of GroupBy on `delayed:lustre-2014`. Most apart is `{worst}`, by {width:.1f} % of slot time."
    return [sentence, "", *table(["part", "smallest share", "median", "largest"], body)]
