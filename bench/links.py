"""Measures what links of virtual nodes carry, beside the rate that was asked for, with `weft calibrate --rates`."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from figures import rows, tables

WEFT = Path(__file__).parent.parent / "weft"
TABLE = "links"
COMMAND = ("calibrate", "--nodes", "local:1", "--scratch", "memory", "--each", "10ms", "--rates", "--json")


def main() -> int:
    """A row for each rate and number of connections, in place of earlier ones."""
    parser = argparse.ArgumentParser(prog="bench/run links", description=__doc__)
    parser.add_argument("--repeat", type=int, default=3, help="calibrations (default 3)")
    given = parser.parse_args()
    rows.write(TABLE, [])
    for repeat in range(given.repeat):
        before = rows.control(say)
        for each in measured():
            cell = {"wanted": each["wanted"] / 1e9, "connections": each["connections"]}
            about = {"cell": cell, "repeat": repeat, **rows.here(), **before}
            rows.append(TABLE, {**about, "measured": round(each["got"] / 1e9, 5)})
    print("\n".join(tables.lines(TABLE) or []))
    return 0


def measured() -> list[dict[str, float]]:
    """The limited links of one calibration, which is kept nowhere else."""
    with tempfile.TemporaryDirectory(prefix="weft-bench.") as folder:
        state = {**os.environ, "WEFT_STATE": folder}
        done = subprocess.run([WEFT, *COMMAND], check=True, env=state, stdout=subprocess.PIPE, text=True)
    found: list[dict[str, float]] = json.loads(done.stdout)["rates"]
    return found


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
