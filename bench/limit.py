"""Runs TeraSort on each engine beside the limit of the node, and prints what each sorts per core, as a share of the limit."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from weft.analysis.compare import statistics
from weft.analysis.compare.headline import Headline, headlines
from weft.analysis.compare.statistics import Estimate
from weft.host import settings
from weft.record import record

HERE = Path(__file__).parent
STUDY = "limit"
FILES = "limit, files to files"
PORT = "ehiggs on spark"
CLASS = "com.github.ehiggs.spark.terasort.TeraSort"


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/run limit")
    parser.add_argument("--repeat", default="3", help="runs of each row (default 3)")
    parser.add_argument("--size", default="1GB", help="bytes of records (default 1GB)")
    parser.add_argument(
        "--ehiggs", type=Path, help="jar of github.com/ehiggs/spark-terasort that you have compiled"
    )
    given = parser.parse_args()
    text = (HERE / "limit.toml").read_text()
    if given.ehiggs is not None:
        text += port(given.ehiggs.absolute())
    with tempfile.TemporaryDirectory(prefix="weft-bench.") as folder:
        study = Path(folder) / f"{STUDY}.toml"
        study.write_text(text)
        options = ["--repeat", given.repeat, "--set", f"workload.size={given.size}"]
        done = subprocess.run([HERE.parent / "weft", "run", study, *options], check=False)
    if done.returncode == 2:
        return 2
    order = [row["name"] for row in tomllib.loads(text)["matrix"]["row"]]
    show(runs(given.size, order), given.ehiggs)
    return done.returncode


def port(jar: Path) -> str:
    """The row of a jar that was compiled by the user."""
    keys = {"workload.program": str(jar), "workload.main_class": CLASS}
    lines = [f"{json.dumps(key)} = {json.dumps(value)}" for key, value in keys.items()]
    return "\n".join(["\n[[matrix.row]]", f'name = "{PORT}"', 'engine = "spark"', *lines, ""])


def runs(size: str, order: Sequence[str]) -> dict[str, list[Headline]]:
    """By row, in order: its runs with this size."""
    found: dict[str, list[Headline]] = {row: [] for row in order}
    for line in headlines(record.all_records(settings.runs()), STUDY):
        if line.spec.get("workload.size") == str(bytes_of(size)) and line.coordinates["row"] in found:
            found[line.coordinates["row"]].append(line)
    return found


def bytes_of(size: str) -> int:
    from weft.text.units import parse_size  # noqa: PLC0415 - pydantic is slow to start

    return parse_size(size)


def show(rows: Mapping[str, Sequence[Headline]], ehiggs: Path | None) -> None:
    """A line for each row: the sort alone, and the whole of the job with its start."""
    print(
        f"\n{'':24} {'MB/s and core':>30}   {'of the limit':>26}   {'with the start of the job':>26}   runs"
    )
    limit = times(rows.get(FILES, ()), whole=False)
    for name, lines in rows.items():
        sort, whole = (times(lines, whole=both) for both in (False, True))
        if not sort:
            continue
        shares = [statistics.ratio(limit, taken) if limit else None for taken in (sort, whole)]
        print(
            f"{name:24} {shown(rate(lines[0], sort), 0):>30}   {shown(shares[0], 3):>26}   {shown(shares[1], 3):>26}   {len(sort)}"
        )
    if ehiggs is None and PORT not in rows:
        print(f"{PORT:24} not given: --ehiggs JAR names the jar that you have compiled")
    else:
        print(f"{PORT}: a program of its own reports no time, so that both columns include its start")
    for line in (line for lines in rows.values() for line in lines if line.verdict != "VALID"):
        print(f"not counted: {line.id} is {line.verdict}: {line.reason}")
    print("load average now:", *(f"{one:.1f}" for one in os.getloadavg()))


def rate(line: Headline, seconds: Sequence[float]) -> Estimate:
    """Megabytes per second and core, of runs like this one."""
    each = (line.size or 0) / slots(line) / 1e6
    return statistics.combined({"seconds": seconds}, lambda known: each / known["seconds"])


def times(lines: Sequence[Headline], *, whole: bool) -> list[float]:
    """Seconds of the valid runs: of the engine's own call, or from the job's start to its end."""
    valid = [line for line in lines if line.seconds is not None]
    return [line.phases["run"] if whole else line.seconds or 0.0 for line in valid]


def slots(line: Headline) -> int:
    resolved = json.loads((Path(line.directory) / "resolved.json").read_text())
    return sum(int(node["cores"]) for node in resolved["nodes"])


def shown(value: Estimate | None, digits: int) -> str:
    """0.110 (0.105 to 0.118)."""
    if value is None:
        return "no valid run of the limit"
    bounds = "too few runs" if value.low is None else f"{value.low:.{digits}f} to {value.high:.{digits}f}"
    return f"{value.median:.{digits}f} ({bounds})"


if __name__ == "__main__":
    sys.exit(main())
