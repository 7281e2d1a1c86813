"""Seconds of one workload by engine, and whether all of them had the same answer."""

from collections.abc import Callable, Mapping, Sequence

from figures.rows import Row
from figures.shown import spread, table, valid
from weft.text.numbers import NONE


def lines(names: Mapping[str, str]) -> Callable[[Sequence[Row]], list[str]]:
    """A line for each engine that has rows; `names` are those of its forms."""

    def made(rows: Sequence[Row]) -> list[str]:
        body = []
        for engine, name in names.items():
            here = [row for row in rows if row["cell"]["engine"] == engine]
            if not here:
                continue
            right = valid(here)
            taken = [row["measures"].get("seconds") for row in right]
            start = spread(row["phases"].get("start") for row in right)
            failed = f"{len(here) - len(right)} of {len(here)} failed" if len(right) < len(here) else ""
            sums = {str(row["facts"]["checksum"]) for row in right if "checksum" in row["facts"]}
            body.append([name, failed or spread(taken), start, ", ".join(sorted(sums)) or NONE])
        return table(["engine", "seconds", "seconds until the cluster was ready", "checksum"], body)

    return made
