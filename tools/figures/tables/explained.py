"""The share of slot time without a name, by engine and workload."""

from collections.abc import Sequence

from figures.rows import Row
from figures.shown import spread, table
from weft.text.numbers import percent


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each workload, a column for each engine."""
    offered = [row for row in rows if row["verdict"] == "VALID"]
    engines = list(dict.fromkeys(row["cell"]["engine"] for row in offered))
    workloads = list(dict.fromkeys(row["cell"]["workload"] for row in offered))
    body = [
        [
            _title(workload),
            *(
                spread(
                    (
                        row["unclassified"]
                        for row in offered
                        if row["cell"] == {"engine": engine, "workload": workload}
                    ),
                    percent,
                )
                for engine in engines
            ),
        ]
        for workload in workloads
    ]
    return table(["unclassified", *engines], body)


def _title(workload: str) -> str:
    """Its name, and the operation of which there are several."""
    name, *options = workload.split()
    operations = [each.partition("=")[2] for each in options if each.startswith("operation=")]
    return " ".join([f"`{name}`", *operations])
