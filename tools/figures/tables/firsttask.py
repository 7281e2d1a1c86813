"""Seconds from a command to its first task, and what they consist of."""

from collections.abc import Sequence

from figures.rows import Row
from figures.shown import estimate, spread, table, valid
from weft.report.draw.interval import interval
from weft.text.numbers import NONE

_PARTS = {
    "before": "weft, before it has nodes",
    "cluster": "until the cluster is ready",
    "input": "until there is input",
    "job": "the job, until its first task",
}


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each command and engine; those of another checkout only in the ratio, which is of runs that followed each other."""
    right = valid(rows)
    others = any(row["cell"]["weft"] == "other" for row in right)
    body = []
    for engine, command in dict.fromkeys((row["cell"]["engine"], row["cell"]["command"]) for row in right):
        this, other = (
            {
                row["repeat"]: row
                for row in right
                if row["cell"] == {"engine": engine, "command": command, "weft": which}
            }
            for which in ("this", "other")
        )
        ratios = [this[n]["seconds"] / other[n]["seconds"] for n in sorted(this.keys() & other.keys())]
        compared = [
            spread(row["seconds"] for row in other.values()),
            interval(estimate(ratios)),
        ]
        body.append(
            [
                f"`weft {command}`, {engine}",
                spread(row["seconds"] for row in this.values()),
                *(spread(row["parts"].get(part) for row in this.values()) for part in _PARTS),
                spread(row["cpu_seconds"] for row in this.values()),
                *(compared if others else []),
            ]
        )
    head = ["command", "first task after, s", *_PARTS.values(), "CPU time of the whole command, s"]
    head += [f"{' and '.join(_commits(right))}, s", "over it"] if others else []
    return table(head, body) if body else [NONE]


def _commits(rows: Sequence[Row]) -> list[str]:
    """Those that this checkout is compared with."""
    return list(dict.fromkeys(row["of"] for row in rows if row["cell"]["weft"] == "other"))
