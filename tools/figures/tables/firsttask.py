"""Seconds from a command to its first task, and what they consist of."""

from collections.abc import Sequence

from figures.rows import Row
from figures.shown import in_turn, others, spread, table, valid
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
    body, compared_with = [], others(right)
    for engine, command in dict.fromkeys((row["cell"]["engine"], row["cell"]["command"]) for row in right):
        this, compared = in_turn(right, {"engine": engine, "command": command})
        body.append(
            [
                f"`weft {command}`, {engine}",
                spread(row["seconds"] for row in this),
                *(spread(row["parts"].get(part) for row in this) for part in _PARTS),
                spread(row["cpu_seconds"] for row in this),
                *(compared if compared_with else []),
            ]
        )
    head = ["command", "first task after, s", *_PARTS.values(), "CPU time of the whole command, s"]
    head += [f"{' and '.join(compared_with)}, s", "over it"] if compared_with else []
    return table(head, body) if body else [NONE]
