"""Predicts published ratios of times from runs of weft and machine files, and prints both."""

import argparse
import json
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
WEFT = str(HERE.parent / "weft")


def weft(run: str, *words: str) -> dict[str, float]:
    """The one point of a prediction. Raises CalledProcessError."""
    command = [WEFT, "predict", run, *words, "--json"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    point = json.loads(done.stdout)["curves"][0]["points"][0]
    return {key: point[key] for key in ("seconds", "factor")}


def predicted(run: str, point: Mapping[str, Any]) -> tuple[float, float]:
    """The ratio, and the factor of extrapolation. Raises CalledProcessError."""
    words = ["--nodes", str(point["nodes"]), "--machine", point["machine"]]
    words += ["--size", point["size"]] if "size" in point else []
    slow, fast = (
        weft(run, *words, *(word for role in point["roles"] for word in (f"--{role}", point[one])))
        for one in ("slow", "fast")
    )
    return slow["seconds"] / fast["seconds"], max(slow["factor"], fast["factor"])


def main() -> int:
    """The table."""
    points = tomllib.loads((HERE / "published.toml").read_text())["points"]
    parser = argparse.ArgumentParser(prog="bench/published")
    for name in dict.fromkeys(point["run"] for point in points):
        parser.add_argument(f"--{name}", metavar="RUN", help=f"a record of {name} on memory")
    asked = vars(parser.parse_args())
    print(
        f"{'machine':8} {'nodes':>5} {'time of':17} {'over':12} {'published':>9} {'predicted':>9} {'beyond':>10}  source"
    )
    for point in points:
        if not (run := asked[point["run"]]):
            continue
        ratio, factor = predicted(run, point)
        print(
            f"{point['machine']:8} {point['nodes']:5} {point['slow']:17} {point['fast']:12} {point['value']:9}"
            f" {ratio:9.1f} {factor:9,.0f}x  {point['source']}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
