"""Predicts cells before they are run, runs each, and prints predicted beside measured seconds.

A seed draws the cells from what bench/unseen.toml allows; some may have been in an earlier draw, and the table counts these. First come
the runs to predict from, and the small runs that `weft predict --runs` chooses beside each; then the predictions of all cells are
written down, where a cell that weft refuses to predict is drawn again; then the cells are run. What was found is kept in
evidence/unseen.jsonl: a second call continues where the first one ended, `--again` begins again. Other draws stay there.
WEFT_RUNS should be a directory of its own, since other runs of the same work that are there correct predictions.
"""

import argparse
import json
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from figures import drawn, ernest, rows, tables
from figures.cells import say
from figures.drawn import Cell, Choice
from figures.ernest import Sample
from figures.rows import Row
from figures.tables.unseen import FAILED

from weft.analysis.predict import holdout
from weft.analysis.predict.projection import Recorded
from weft.api import growing, related
from weft.host import settings
from weft.record import record
from weft.text.units import parse_size

HERE = Path(__file__).parent
WEFT = str(HERE.parent / "weft")
CELLS = 60
TABLE = "unseen"
TIMED = ("run", "cell")
"""Rows whose seconds are compared: known work comes before them."""
CHANGES = ("nodes", "scratch", "size", "tasks")


def choice_of(asked: Mapping[str, Any]) -> Choice:
    """What its cells are drawn from; of what a small run may be, nothing."""

    def values(job: Mapping[str, Any]) -> dict[str, Sequence[Any]]:
        own = {key: job[key]["values"] for key in ("size", "tasks") if key in job}
        return {"nodes": asked["nodes"], "scratch": job.get("scratch", asked["scratch"]), **own}

    def small(cell: Cell) -> bool:
        double = [asked["nodes"][0] * 2, asked["nodes"][0] // 2]
        return len(cell) == 2 and (cell.get("nodes") in double or cell.get("scratch") in asked["asked"])

    return Choice({name: values(job) for name, job in asked["jobs"].items()}, small)


class Bench:
    """The jobs of the file, and the rows that there are."""

    def __init__(self, asked: Mapping[str, Any], seed: int, cells: int = CELLS) -> None:
        self.asked, self.seed, self.choice = asked, seed, choice_of(asked)
        self.shares = self.choice.shares(seed, cells)
        self.done = {row["key"]: row for row in rows.read(TABLE) if row["seed"] == seed}

    def keep(self, key: str, measure: Callable[[], Row], **about: Any) -> Row:
        """The row of a key, which is measured unless it is there."""
        if key in self.done:
            return self.done[key]
        say(key)
        if about["kind"] in TIMED:
            self.done[key] = rows.kept(TABLE, say, measure, key=key, seed=self.seed, **about)
        else:
            self.done[key] = rows.append(
                TABLE, {"key": key, "seed": self.seed, **about, **rows.here(), **measure()}
            )
        return self.done[key]

    def whole(self, cell: Cell) -> dict[str, Any]:
        """A cell with what it does not change, as it was measured; nothing of what it has not."""
        first = {key: values[0] for key, values in self.choice.jobs[cell["from"]].items()}
        return {**first, **cell}

    def flags(self, cell: Cell) -> list[str]:
        """Of `weft run`."""
        table, job = self.whole(cell), self.asked["jobs"][cell["from"]]
        found = ["--nodes", f"virtual:{table['nodes']},cores={self.asked['cores']}"]
        found += ["--scratch", table["scratch"]]
        keys = [(job[key]["key"], table[key]) for key in ("size", "tasks") if table.get(key)]
        return [*job["flags"], *found, *(word for key, value in keys for word in ("--set", f"{key}={value}"))]

    def run(self, cell: Cell) -> Row:
        """Run a cell; its record's name with the seconds of its result. Raises CalledProcessError."""
        found = weft("run", *self.flags(cell), "--set", f"probes={self.asked['probes']}")
        name = Path(found["record"]).name
        return {"run": name, "seconds": seconds_of(name)}

    def measure(self) -> None:
        """The runs to predict from."""
        for name in (name for name, share in self.shares.items() if share):
            job = self.asked["jobs"][name]
            first = self.keep(f"run {name}", partial(self.run, {"from": name}), kind="run", of=name)
            counts = ",".join(map(str, sorted(self.asked["nodes"])))
            around = ["--nodes", counts, "--scratch", ",".join(["memory", *self.asked["asked"]])]
            of_data = ("--size", job["size"]) if "size" in job else ("--partitions", job["tasks"])
            most = max(filter(None, of_data[1]["values"]), key=number)
            more = ["--nodes", str(self.asked["nodes"][0]), of_data[0], most]
            for which, wanted in (("around", around), ("data", more)):
                words = ["--runs", str(job["small"][which]), *wanted]
                key = f"chosen {name} {' '.join(words)}"
                self.keep(key, partial(chosen, first["run"], words), kind="chosen", of=name)

    def predict(self, cell: Cell) -> Row:
        """The one point of a prediction, and the run that is nearest to it, from which its curve starts; why, if weft refuses."""
        run, table = self.done[f"run {cell['from']}"]["run"], self.whole(cell)
        flags = [
            "--nodes",
            str(table["nodes"]),
            "--cores",
            str(self.asked["cores"]),
            "--scratch",
            table["scratch"],
        ]
        flags += ["--size", table["size"]] if "size" in cell else []
        flags += ["--partitions", table["tasks"]] if "tasks" in cell else []
        try:
            curve = weft("predict", run, *flags)["curves"][0]
        except subprocess.CalledProcessError as error:
            return {"refused": reason(error)}
        point = {key: curve["points"][0][key] for key in ("seconds", "low", "high", "factor")}
        return {
            "predicted": point,
            "nearest": {"run": curve["start"], "seconds": seconds_of(curve["start"])},
            "ernest": by_ernest(run, cell, table["nodes"] * self.asked["cores"]),
        }

    def cells(self) -> list[Cell]:
        """As many as are drawn, each predicted; one that weft refuses to predict is replaced by the next one of its job."""
        found = []
        for job, share in self.shares.items():
            left = share
            for cell in self.choice.stream(self.seed, job):
                if not left:
                    break
                row = self.keep(
                    f"predicted {key_of(cell)}", partial(self.predict, cell), kind="predicted", cell=cell
                )
                if "refused" not in row:
                    found.append(cell)
                    left -= 1
        return drawn.shuffled(self.seed, found)

    def refused(self) -> int:
        """Cells of this draw that weft refused to predict; rows of cells that were run have this number, not a refusal."""
        return sum(row["kind"] == "predicted" and "refused" in row for row in self.done.values())

    def score(self) -> None:
        """Run every cell that was not run yet."""
        cells, refused = self.cells(), self.refused()
        for cell in cells:
            before = self.done[f"predicted {key_of(cell)}"]
            about = {key: before[key] for key in ("predicted", "nearest", "ernest")}
            more = {"model": before["commit"], "refused": refused}
            try:
                self.keep(key_of(cell), partial(self.run, cell), kind="cell", cell=cell, **about, **more)
            except subprocess.CalledProcessError as error:
                why = reason(error)
                say(f"{key_of(cell)}: the run failed: {why}")
                self.keep(key_of(cell), partial(dict, failed=why), kind=FAILED, cell=cell, **more)


def weft(*arguments: str) -> dict[str, Any]:
    """A command of weft with --json. Raises CalledProcessError."""
    done = subprocess.run([WEFT, *arguments, "--json"], check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def reason(error: subprocess.CalledProcessError) -> str:
    """The last line of what a command reported, without its hint, and without paths of this machine."""
    lines = [line.strip() for line in (error.stderr or "").splitlines() if line.strip()]
    words = [line for line in lines if not line.startswith("hint:") and "/" not in line]
    return words[-1] if words else f"exit {error.returncode}"


def seconds_of(run: str) -> float:
    """What a record measured."""
    return float(json.loads((settings.runs() / run / "record.json").read_text())["measured"])


def number(text: str) -> float:
    """A size in bytes, or in a workload's own unit."""
    return float(text) if text.replace(".", "", 1).isdigit() else float(parse_size(text))


def by_ernest(run: str, cell: Cell, slots: int) -> Row:
    """What Ernest's model predicts from the same runs."""
    stored = record.find(settings.runs(), run)
    base = growing.read(stored)
    others = related.of(stored, ("workload", "engine", "host"))
    known = [base, *(one for one in others if holdout.comparable(base, one))]
    samples = [Sample(data_of(one, one.work.slots), one.work.slots, one.work.measured) for one in known]
    size = number(cell["size"]) if "size" in cell else base.work.size
    tasks = int(cell["tasks"]) if "tasks" in cell else None
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


def chosen(run: str, words: Sequence[str]) -> Row:
    """Make the small runs that weft chooses for what is wanted of a run; why, if one fails: then it predicts without."""
    try:
        found = weft("predict", run, *words)
    except subprocess.CalledProcessError as error:
        return {"runs": 0, "failed": reason(error)}
    return {"runs": found["left_out"], "error": found["left_out_error"]}


def key_of(cell: Cell) -> str:
    return json.dumps(cell, sort_keys=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Every run and cell of the draw that has no row yet, and the table of all."""
    parser = argparse.ArgumentParser(prog="bench/unseen", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--draw", type=int, required=True, metavar="SEED", help="what draws the cells")
    parser.add_argument("--list", action="store_true", help="only print the cells, before any is refused")
    parser.add_argument(
        "--again", action="store_true", help="begin this draw again: predict and run all cells"
    )
    parser.add_argument("--cells", type=int, default=CELLS, help="how many: fewer are a try")
    given = parser.parse_args(arguments)
    asked = tomllib.loads((HERE / "unseen.toml").read_text())
    if given.again:
        rows.drop(TABLE, lambda row: row["seed"] == given.draw)
    bench = Bench(asked, given.draw, given.cells)
    if given.list:
        streams = {job: bench.choice.stream(given.draw, job) for job in bench.shares}
        cells = [next(streams[job]) for job, share in bench.shares.items() for _ in range(share)]
        print("\n".join(map(key_of, drawn.shuffled(given.draw, cells))))
        return 0
    bench.measure()
    bench.score()
    print("\n".join(tables.lines(TABLE) or []))
    return 0


if __name__ == "__main__":
    sys.exit(main())
