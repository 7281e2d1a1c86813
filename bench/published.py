"""Predicts published ratios of times from runs of weft and machine files, and prints both."""

import argparse
import json
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from figures import rows, tables
from figures.rows import Row

HERE = Path(__file__).parent
WEFT = str(HERE.parent / "weft")
PROBES = ("--set", "probes=proc,threads,engine,fileops")


def weft(*words: str) -> dict[str, Any]:
    """A command of weft with --json. Raises CalledProcessError."""
    done = subprocess.run([WEFT, *words, "--json"], check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def predicted(run: str, point: Mapping[str, Any]) -> Row:
    """The ratio, and the factor of extrapolation. Raises CalledProcessError."""
    words = ["--nodes", str(point["nodes"]), "--machine", point["machine"]]
    words += ["--size", point["size"]] if "size" in point else []
    slow, fast = (
        weft("predict", run, *words, *(word for role in point["roles"] for word in (f"--{role}", point[one])))
        for one in ("slow", "fast")
    )
    times = [found["curves"][0]["points"][0] for found in (slow, fast)]
    return {
        "run": Path(run).name,
        "measured": slow["measured"],
        "predicted": round(times[0]["seconds"] / times[1]["seconds"], 4),
        "factor": round(max(time["factor"] for time in times)),
    }


def main() -> int:
    """A row for each point, in place of earlier ones."""
    asked = tomllib.loads((HERE / "published.toml").read_text())
    names = list(dict.fromkeys(point["run"] for point in asked["points"]))
    parser = argparse.ArgumentParser(prog="bench/published", description=__doc__)
    for name in names:
        made = "made if none is given" if name in asked["runs"] else "its points are left out without one"
        parser.add_argument(f"--{name}", metavar="RUN", help=f"a record of {name} on memory; {made}")
    given = vars(parser.parse_args())
    rows.write("published", [])
    for name in names:
        if not given[name] and name not in asked["runs"]:
            continue
        run = given[name] or weft("run", *asked["runs"][name], *PROBES)["record"]
        for point in [point for point in asked["points"] if point["run"] == name]:
            cell = {key: point[key] for key in ("machine", "nodes", "slow", "fast")}
            about = {"cell": cell, "of": name, "published": point["value"], "source": point["source"]}
            rows.append("published", {**about, **rows.here(), **predicted(run, point)})
    print("\n".join(tables.lines("published") or []))
    return 0


if __name__ == "__main__":
    sys.exit(main())
