"""Runs every bundled workload on each engine that offers it, and keeps what `weft explain` says of each."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from figures import rows, tables
from figures.rows import Row

WEFT = Path(__file__).parent.parent / "weft"
TABLE = "explained"
NODES = "local:2"
WORKLOADS = (
    "terasort --size 500MB",
    "teracount --size 500MB",
    "groupby --set mappers=20 --set pairs=4000 --set value_bytes=1000",
    "wordcount --size 200MB",
    "grep --size 200MB",
    "sort --size 200MB",
    "pi --set points=1000000000",
    "pagerank --set vertices=200000 --set rounds=3",
    "pagerank-graphx --set vertices=100000 --set rounds=3",
    "dfsio --set operation=write --set files=8 --set size=50MB",
    "dfsio --set operation=read --set files=8 --set size=50MB",
    "scheduling-throughput",
    "aggregate-by-key",
    "sort-by-key",
    "count-with-filter",
)
"""Of a size that keeps tasks at work for seconds on two cores."""
MOST = {"spark": 0.1, "flink": 0.2, "hadoop": 0.2}
"""Share without a name that is accepted; more than a tenth gives no verdict."""
USAGE = 2


def main() -> int:
    """A row for each run that has none yet; 1 if one leaves more without a name than is accepted."""
    parser = argparse.ArgumentParser(prog="bench/explained", description=__doc__)
    parser.add_argument("engines", nargs="*", default=list(MOST))
    parser.add_argument("--only", default="", help="workloads whose arguments contain this")
    parser.add_argument("--repeat", type=int, default=1, help="runs of each (default 1)")
    parser.add_argument("--again", action="store_true", help="begin again")
    given = parser.parse_args()
    if given.again:
        rows.write(TABLE, [])
    done = {(row["cell"]["engine"], row["cell"]["workload"], row["repeat"]) for row in rows.read(TABLE)}
    with tempfile.TemporaryDirectory(prefix="weft-bench.") as folder:
        os.environ["WEFT_RUNS"] = folder
        for repeat in range(given.repeat):
            for engine in given.engines:
                for workload in [line for line in WORKLOADS if given.only in line]:
                    if (engine, workload, repeat) not in done:
                        about = {"cell": {"engine": engine, "workload": workload}, "repeat": repeat}
                        rows.kept(TABLE, say, partial(row, engine, workload), **about)
    print("\n".join(tables.lines(TABLE) or []))
    found = [each for each in rows.read(TABLE) if each["verdict"] == "VALID"]
    return int(any(each["unclassified"] > MOST[each["cell"]["engine"]] for each in found))


def row(engine: str, workload: str) -> Row:
    """The explanation of one run; NOT OFFERED where the engine does not offer the workload."""
    done = weft("run", *workload.split(), "--engine", engine, "--nodes", NODES, "--json")
    if done.returncode == USAGE:
        return {"verdict": "NOT OFFERED"}
    if done.returncode:
        sys.exit(f"error: {engine} {workload} failed\n{done.stderr[-2000:]}")
    found = json.loads(weft("explain", "last", "--json").stdout)
    parts = {part["name"]: round(part["share"], 4) for part in found["parts"]}
    return {
        "verdict": "VALID",
        "unclassified": parts.get("unclassified", 0.0),
        "parts": parts,
        "sentence": found["sentence"],
    }


def weft(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([WEFT, *arguments], capture_output=True, text=True, check=False)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
