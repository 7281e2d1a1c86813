"""Predicts what a pool gains on file systems with IO500's rates, where the emulation cannot carry it: more nodes and more blocks."""

import argparse
import sys
from collections.abc import Iterator

import published
from figures import rows, tables
from figures.rows import Row

from weft.api import predictions

TABLE = "pool-predicted"
NODES, CORES = "1,4,16,64", 16
SYSTEMS = ("lustre-slow", "lustre", "lustre-fast")
"""IO500's percentiles 10, 50 and 90 of Lustre."""
WAYS = {"plain": "mount", "pool": "pool+mount", "memory": "memory"}


def predicted(run: str, system: str) -> Iterator[Row]:
    """A row for each number of nodes: seconds as it is, with a pool and in memory."""
    found = predictions.predict(
        run, nodes=NODES, scratch=",".join(WAYS.values()), machine=f"io500:{system}", cores=CORES
    )
    for points in zip(*(curve.points for curve in found.curves), strict=True):
        times = {
            way: {"seconds": at.seconds, "low": at.shortest, "high": at.longest}
            for way, at in zip(WAYS, points, strict=True)
        }
        yield {"nodes": points[0].nodes, "cores": points[0].cores, "factor": points[0].factor, **times}


def main() -> int:
    """Rows for GroupBys with few and with many bytes in each block, in place of earlier ones."""
    argparse.ArgumentParser(prog="bench/poolpredicted", description=__doc__).parse_args()
    job = published.read_files()["runs"]["groupby"]
    runs = published.made({"groupby": job})["groupby"]
    found = [
        {"cell": {"system": system, "pairs": int(given[-1].removeprefix("pairs="))}, **rows.here(), **row}
        for given, run in zip(job["inputs"], runs, strict=True)
        for system in SYSTEMS
        for row in predicted(run, system)
    ]
    rows.write(TABLE, found)
    print("\n".join(tables.lines(TABLE) or []))
    return 0


if __name__ == "__main__":
    sys.exit(main())
