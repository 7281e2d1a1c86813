"""Measures what links of virtual nodes carry, next to the rate that was asked for, with `weft calibrate --rates`."""

import json
import tempfile

from commands import weft
from figures import cells
from figures.cells import Cell
from figures.rows import Row

from weft.cli.guard import run_guarded

TABLE = "links"
COMMAND = ("calibrate", "--nodes", "local:1", "--scratch", "memory", "--each", "10ms", "--rates", "--json")


def main() -> None:
    """A row for each rate and number of connections, of as many calibrations as were asked for."""
    given = cells.options("bench/run links", __doc__, repeat=3).parse_args()
    cells.measure(TABLE, [Cell("calibration", {}, measured)], given)


def measured(_: int) -> list[Row]:
    """The limited links of one calibration, which is kept nowhere else."""
    with tempfile.TemporaryDirectory(prefix="weft-bench.") as folder:
        found = json.loads(weft(*COMMAND, WEFT_STATE=folder))["rates"]
    return [
        {
            "cell": {"wanted": each["wanted"] / 1e9, "connections": each["connections"]},
            "measured": round(each["got"] / 1e9, 5),
        }
        for each in found
    ]


if __name__ == "__main__":
    run_guarded(main)
