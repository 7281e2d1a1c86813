"""What weft's own commands take, by the size of what they are given."""

from collections.abc import Sequence

from figures.rows import Row
from figures.shown import spread, table
from weft.text.numbers import NONE
from weft.text.units import show_size

_WHAT = {
    "tasks": "tasks in an event log of Spark",
    "records": "records in one directory",
    "hosts": "ssh hosts, all on this machine, with a stand-in for a worker each",
    "together": "runs that are started at once, without an engine",
}


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each command and size, smallest first."""
    taken: dict[tuple[str, str, int], list[Row]] = {}
    for each in rows:
        cell = each["cell"]
        taken.setdefault((cell["what"], cell["command"], int(cell["size"])), []).append(each)
    body = []
    for what, words in _WHAT.items():
        for (_, command, size), found in sorted(item for item in taken.items() if item[0][0] == what):
            memory = spread((each["memory"] for each in found if each["memory"]), show_size)
            cpu = spread(each["cpu_seconds"] for each in found if each["cpu_seconds"])
            body.append(
                [
                    f"{size:,} {words}",
                    f"`weft {command}`",
                    spread(each["seconds"] for each in found),
                    cpu,
                    memory,
                ]
            )
    return (
        table(["what there is", "command", "seconds", "CPU time, s", "memory at most"], body)
        if body
        else [NONE]
    )
