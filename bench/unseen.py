"""Predicts cells that the model has not seen, runs each, and prints predicted beside measured seconds.

First come the runs to predict from, and the small runs that `weft predict --runs` chooses beside each; then the predictions
of all cells are written down; then the cells are run. What was found is kept in evidence/unseen.jsonl: a second call
continues where the first one ended, `--again` begins again.
"""

import argparse
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from figures import ernest, rows, tables
from figures.ernest import Sample
from figures.rows import Row

from weft.analysis.predict import holdout, projection
from weft.analysis.predict.projection import Recorded
from weft.api import related
from weft.host import settings
from weft.record import record
from weft.text.units import parse_size

HERE = Path(__file__).parent
WEFT = str(HERE.parent / "weft")
KEYS = {"nodes": "--nodes", "scratch": "--scratch", "size": "--size"}
SETS = ("partitions", "mappers")
"""Keys of workloads that are numbers of tasks: `--partitions` of a prediction."""
TABLE = "unseen"
TIMED = ("run", "cell")
"""Rows whose seconds are compared: known work comes before them."""


def weft(*arguments: str) -> dict[str, Any]:
    """A command of weft with --json. Raises CalledProcessError."""
    done = subprocess.run([WEFT, *arguments, "--json"], check=True, stdout=subprocess.PIPE, text=True)
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def run(table: Mapping[str, Any], probes: str) -> Row:
    """Run a cell; its record's name with the seconds of its result."""
    flags = [word for key, flag in KEYS.items() if key in table for word in (flag, str(table[key]))]
    flags += [word for key in SETS if key in table for word in ("--set", f"{key}={table[key]}")]
    found = weft("run", *table["flags"], *flags, "--set", f"probes={probes}")
    return {"run": Path(found["record"]).name, "seconds": seconds_of(Path(found["record"]).name)}


def seconds_of(run: str) -> float:
    """What a record measured."""
    return float(json.loads((settings.runs() / run / "record.json").read_text())["measured"])


def predict(run: str, table: Mapping[str, Any]) -> Row:
    """The one point of a prediction, and the run that is nearest to it, from which its curve starts."""
    nodes, cores = re.fullmatch(r"\w+:(\d+),cores=(\d+)", table["nodes"]).groups()  # type: ignore[union-attr]
    flags = ["--nodes", nodes, "--cores", cores, "--scratch", table["scratch"]]
    flags += ["--size", table["size"]] if "size" in table else []
    flags += [word for key in SETS if key in table for word in ("--partitions", str(table[key]))]
    curve = weft("predict", run, *flags)["curves"][0]
    point = {key: curve["points"][0][key] for key in ("seconds", "low", "high", "factor")}
    return {
        "predicted": point,
        "nearest": {"run": curve["start"], "seconds": seconds_of(curve["start"])},
        "ernest": by_ernest(run, table, int(nodes) * int(cores)),
    }


def by_ernest(run: str, table: Mapping[str, Any], slots: int) -> Row:
    """What Ernest's model predicts from the same runs."""
    stored = record.find(settings.runs(), run)
    base = projection.read(stored)
    others = related.of(stored, ("workload", "engine", "host"))
    known = [base, *(one for one in others if holdout.comparable(base, one))]
    samples = [Sample(data_of(one, one.work.slots), one.work.slots, one.work.measured) for one in known]
    size = parse_size(table["size"]) if "size" in table else base.work.size
    tasks = next((int(table[key]) for key in SETS if key in table), None)
    return {
        "seconds": round(ernest.predict(samples, data_of(base, slots, size, tasks), slots), 3),
        "runs": len(samples),
    }


def data_of(one: Recorded, slots: int, size: float = 0.0, tasks: int | None = None) -> float:
    """The amount of data of a job like this one: its size, or its map tasks where each has the same amount."""
    if not one.growth.each:
        return size or one.work.size or 1.0
    first = next(stage for stage in one.work.stages if stage.writes_shuffle)
    return float(one.growth.tasks(first, one.work, slots, 0.0, tasks))


def main() -> int:
    """Every run and cell of the file that has no row yet, and the table of all."""
    parser = argparse.ArgumentParser(prog="bench/unseen", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("cells", nargs="?", type=Path, default=HERE / "unseen.toml", metavar="CELLS.toml")
    parser.add_argument("--again", action="store_true", help="begin again: predict and run all cells")
    given = parser.parse_args()
    asked = tomllib.loads(given.cells.read_text())
    if given.again:
        rows.write(TABLE, [])
    done = {row["key"]: row for row in rows.read(TABLE)}

    def keep(key: str, measure: Callable[[], Row], **about: Any) -> Row:
        if key in done:
            return done[key]
        if about["kind"] in TIMED:
            done[key] = rows.kept(TABLE, say, measure, key=key, **about)
        else:
            done[key] = rows.append(TABLE, {"key": key, **about, **rows.here(), **measure()})
        return done[key]

    for name, base in asked["runs"].items():
        first = keep(f"run {name}", partial(run, base, asked["probes"]), kind="run", of=name)
        for words in base["wanted"]:
            key = f"chosen {name} {' '.join(words)}"
            keep(key, partial(chosen, first["run"], words), kind="chosen", of=name)
    for cell in asked["cells"]:
        table, of = {**asked["runs"][cell["from"]], **cell}, done[f"run {cell['from']}"]["run"]
        keep(
            f"predicted {key_of(cell)}",
            partial(predict, of, table),
            kind="predicted",
            cell=cell,
        )
    for cell in asked["cells"]:
        table = {**asked["runs"][cell["from"]], **cell}
        before = done[f"predicted {key_of(cell)}"]
        about = {"predicted": before["predicted"], "nearest": before["nearest"], "model": before["commit"]}
        try:
            keep(key_of(cell), partial(run, table, asked["probes"]), kind="cell", cell=cell, **about)
        except subprocess.CalledProcessError as error:
            say(f"{key_of(cell)}: the run failed: {error}")
    print("\n".join(tables.lines(TABLE) or []))
    return 0


def chosen(run: str, words: list[str]) -> Row:
    """Make the small runs that weft chooses for what is wanted of a run."""
    found = weft("predict", run, *words)
    return {"runs": found["left_out"], "error": found["left_out_error"]}


def key_of(cell: Mapping[str, Any]) -> str:
    return json.dumps(cell, sort_keys=True)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
