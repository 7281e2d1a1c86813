"""Tables of ibm-network besides its cells and rules: partitions of a sort, and its profile beside the paper's."""

import tomllib
from collections.abc import Sequence
from importlib import resources

from figures.rows import Row
from figures.shown import spread, table, valid
from weft.text.numbers import NONE, percent

_PARTITIONS = (2, 32, 128, 256)
_PROFILED = "parts_2"


def partitions(rows: Sequence[Row]) -> list[str]:
    """Seconds and ingest by number of reduce partitions, with the sort and without it."""

    def values(kind: str, count: int, measure: str) -> str:
        here = [row for row in valid(rows) if row["cell"]["work"] == f"{kind}_{count}"]
        return spread((row["measures"].get(measure) for row in here), _shown)

    titles = {
        ("parts", "seconds"): "seconds, with the sort",
        ("unsorted", "seconds"): "seconds, without it",
        ("parts", "ingest"): "ingest of a core, Mbit/s, with the sort",
        ("unsorted", "ingest"): "ingest of a core, Mbit/s, without it",
    }
    body = [
        [title, *(values(*key[:1], count, key[1]) for count in _PARTITIONS)] for key, title in titles.items()
    ]
    choosing = [
        percent(_choosing([row for row in valid(rows) if row["cell"]["work"] == f"parts_{count}"]))
        for count in _PARTITIONS
    ]
    body.append(["choosing partitions, share of the map tasks' CPU time, with the sort", *choosing])
    return table(["reduce partitions of 2 GB", *map(str, _PARTITIONS)], body)


def _shown(value: float) -> str:
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"


def _choosing(rows: Sequence[Row]) -> float | None:
    maps = [row["profile"]["map"] for row in rows if "map" in row["profile"]]
    whole = sum(sum(column.values()) for column in maps)
    return sum(column.get("partitioning", 0.0) for column in maps) / whole if whole else None


def categories(rows: Sequence[Row]) -> list[str]:
    """The CPU time of a TeraSort's tasks by the paper's categories, here and there."""
    paper = tomllib.loads((resources.files("weft.report.sections") / "profiles.toml").read_text())
    columns: dict[str, dict[str, float]] = {side: {} for side in paper["sides"]}
    for row in valid(rows):
        for side, column in row["profile"].items() if row["cell"]["work"] == _PROFILED else ():
            for category, seconds in column.items() if side in columns else ():
                columns[side][category] = columns[side].get(category, 0.0) + seconds
    body = [
        [
            each["name"],
            *(
                percent(share) if (share := value) else NONE
                for side in paper["sides"]
                for value in (_share(columns[side], each["of"]), each.get(side, 0) / 100)
            ),
        ]
        for each in paper["row"]
    ]
    return table(
        [
            "category of the paper",
            *(f"{side}, {whose}" for side in paper["sides"] for whose in ("here", "paper")),
        ],
        body,
    )


def _share(column: dict[str, float], names: Sequence[str]) -> float:
    whole = sum(column.values())
    return sum(column.get(name, 0.0) for name in names) / whole if whole else 0.0
