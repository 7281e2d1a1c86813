"""Predicts cells that the model has not seen, runs each, and prints predicted beside measured seconds.

First come the runs to predict from, and the small runs that `weft predict --runs` chooses beside each; then the predictions
of all cells are written down; then the cells are run. Results are kept beside the records, in unseen-NAME.jsonl: a second
call continues where the first one ended. Remove the file to begin again.
"""

import json
import os
import re
import statistics
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

WEFT = str(Path(__file__).parents[1] / "weft")
KEYS = {"nodes": "--nodes", "scratch": "--scratch", "size": "--size"}
SETS = ("partitions", "mappers")
"""Keys of workloads that are numbers of tasks: `--partitions` of a prediction."""


class Log:
    """What is done, by key, in a file of JSON lines."""

    def __init__(self, path: Path, commit: str) -> None:
        self.path, self.commit = path, commit
        lines = path.read_text().splitlines() if path.exists() else []
        self.done: dict[str, Any] = {line["key"]: line for line in map(json.loads, lines)}

    def keep(self, key: str, line: Mapping[str, Any]) -> None:
        self.done[key] = {"key": key, "commit": self.commit, **line}
        with self.path.open("a") as out:
            out.write(json.dumps(self.done[key]) + "\n")


def weft(*arguments: str) -> dict[str, Any]:
    """A command of weft with --json. Raises CalledProcessError."""
    done = subprocess.run([WEFT, *arguments, "--json"], check=True, stdout=subprocess.PIPE, text=True)
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def run(table: Mapping[str, Any], probes: str) -> dict[str, Any]:
    """Run a cell; its record's summary with the seconds of its result."""
    flags = [word for key, flag in KEYS.items() if key in table for word in (flag, str(table[key]))]
    flags += [word for key in SETS if key in table for word in ("--set", f"{key}={table[key]}")]
    found = weft("run", *table["flags"], *flags, "--set", f"probes={probes}")
    head = json.loads(Path(found["record"], "record.json").read_text())
    return {"record": found["record"], "seconds": head["measured"]}


def predict(record: str, table: Mapping[str, Any]) -> dict[str, float]:
    """The one point of a prediction."""
    nodes, cores = re.fullmatch(r"\w+:(\d+),cores=(\d+)", table["nodes"]).groups()  # type: ignore[union-attr]
    flags = ["--nodes", nodes, "--cores", cores, "--scratch", table["scratch"]]
    flags += ["--size", table["size"]] if "size" in table else []
    flags += [word for key in SETS if key in table for word in ("--partitions", str(table[key]))]
    point = weft("predict", record, *flags)["curves"][0]["points"][0]
    return {key: point[key] for key in ("seconds", "low", "high", "factor")}


def main(path: Path) -> int:
    """Every run and cell of the file that has no line yet, and the table of all."""
    asked = tomllib.loads(path.read_text())
    commit = subprocess.run(
        ["git", "-C", str(path.resolve().parent), "rev-parse", "--short", "HEAD"],
        check=False, stdout=subprocess.PIPE, text=True,
    ).stdout.strip()  # fmt: skip
    runs = Path(os.environ.get("WEFT_RUNS", "runs"))
    runs.mkdir(parents=True, exist_ok=True)
    log = Log(runs / f"unseen-{path.stem}.jsonl", commit)
    start(asked, log)
    for cell in asked["cells"]:
        if (before := f"predicted {key_of(cell)}") not in log.done:
            table = {**asked["runs"][cell["from"]], **cell}
            log.keep(before, predict(log.done[f"run {cell['from']}"]["record"], table))
    for cell in asked["cells"]:
        if (key := key_of(cell)) in log.done:
            continue
        try:
            measured = run({**asked["runs"][cell["from"]], **cell}, asked["probes"])
        except subprocess.CalledProcessError as error:
            print(f"{key}: the run failed: {error}", file=sys.stderr)
            continue
        log.keep(key, {"predicted": log.done[f"predicted {key}"], **measured})
    show(asked["cells"], log.done)
    return 0


def start(asked: Mapping[str, Any], log: Log) -> None:
    """The runs to predict from, each with the small runs that weft chooses for what is wanted of it."""
    for name, base in asked["runs"].items():
        if f"run {name}" not in log.done:
            log.keep(f"run {name}", run(base, asked["probes"]))
        for words in base["wanted"]:
            if (chosen := f"chosen {name} {' '.join(words)}") not in log.done:
                found = weft("predict", log.done[f"run {name}"]["record"], *words)
                log.keep(chosen, {"runs": found["left_out"], "error": found["left_out_error"]})


def key_of(cell: Mapping[str, Any]) -> str:
    return json.dumps(cell, sort_keys=True)


def show(cells: list[dict[str, Any]], done: Mapping[str, Any]) -> None:
    """The table, the median error, and how many intervals held."""
    errors, held = [], 0
    print(f"{'cell':58} {'predicted':>9} {'band':>15} {'measured':>9} {'error':>7}")
    for cell in cells:
        if (line := done.get(key_of(cell))) is None:
            continue
        point, real = line["predicted"], line["seconds"]
        errors.append(abs(point["seconds"] / real - 1))
        held += point["low"] <= real <= point["high"]
        name = ", ".join(f"{key} {value}" for key, value in cell.items())
        band = f"{point['low']:.1f} to {point['high']:.1f}"
        print(f"{name:58} {point['seconds']:9.1f} {band:>15} {real:9.1f} {point['seconds'] / real - 1:+7.0%}")
    if errors:
        print(f"{len(errors)} cells: median error {statistics.median(errors):.0%}, in its band {held} times")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
