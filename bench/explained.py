"""Runs every bundled workload on each engine that offers it, and keeps what `weft explain` says of each."""

import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from figures import cells, rows
from figures.rows import Row
from figures.shown import NOT_OFFERED

from weft.cli.guard import run_guarded
from weft.errors import WorkloadError

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
REFUSED = "does not run on the engine"
"""What weft says of a workload that the engine does not offer; other refusals, such as a missing program, are failures."""


def main() -> None:
    """A row for each run that has none yet; exits with 1 if one leaves more without a name than is accepted."""
    parser = cells.options("bench/explained", __doc__)
    parser.add_argument("engines", nargs="*", default=list(MOST))
    given = parser.parse_args()
    if unknown := set(given.engines) - set(MOST):
        parser.error(f"{', '.join(sorted(unknown))}: none of {', '.join(MOST)}")
    runs = [
        cells.cell({"engine": engine, "workload": workload}, partial(row, engine, workload))
        for engine in given.engines
        for workload in WORKLOADS
    ]
    with tempfile.TemporaryDirectory(prefix="weft-bench.") as folder:
        os.environ["WEFT_RUNS"] = folder
        cells.measure(TABLE, runs, given)
    found = [each for each in rows.read(TABLE) if each["verdict"] == "VALID"]
    sys.exit(any(each["unclassified"] > MOST[each["cell"]["engine"]] for each in found))


def row(engine: str, workload: str, _: int) -> Row:
    """The explanation of one run; NOT OFFERED where the engine does not offer the workload."""
    done = weft("run", *workload.split(), "--engine", engine, "--nodes", NODES, "--json")
    if done.returncode and REFUSED in done.stderr:
        return {"verdict": NOT_OFFERED}
    if done.returncode:
        raise WorkloadError(f"{engine} {workload} failed: {done.stderr[-2000:]}")
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


if __name__ == "__main__":
    run_guarded(main)
