"""Runs TeraSort on each engine beside the limit of the node, and prints what each sorts per core, as a share of the limit."""

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

from figures import studyrows, tables

HERE = Path(__file__).parent
STUDY = "limit"
PORT = "ehiggs on spark"
CLASS = "com.github.ehiggs.spark.terasort.TeraSort"
ROW = "[[matrix.row]]"


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/run limit", description=__doc__)
    parser.add_argument("--repeat", default="3", help="runs of each row (default 3)")
    parser.add_argument("--size", default="1GB", help="bytes of records (default 1GB)")
    parser.add_argument("--only", default="", help="rows whose names contain this, such as `raw`")
    parser.add_argument(
        "--ehiggs", type=Path, help="jar of github.com/ehiggs/spark-terasort that you have compiled"
    )
    given = parser.parse_args()
    text = chosen((HERE / "limit.toml").read_text(), given.only)
    if given.ehiggs is not None:
        text += port(given.ehiggs.absolute())
    done = run(text, ["--repeat", given.repeat, "--set", f"workload.size={given.size}"])
    if done == 2:
        return 2
    print(studyrows.collect(STUDY))
    print("\n".join(tables.lines(STUDY) or []))
    return done


def chosen(text: str, word: str) -> str:
    """A study without the rows whose names do not contain a word."""
    head, *rows = text.split(ROW)
    found = [row for row in rows if word in tomllib.loads(row)["name"]]
    if not found:
        raise SystemExit(f"no row of bench/limit.toml has {word!r} in its name")
    return ROW.join([head, *found])


def run(text: str, options: Sequence[str]) -> int:
    with tempfile.TemporaryDirectory(prefix="weft-bench.") as folder:
        study = Path(folder) / f"{STUDY}.toml"
        study.write_text(text)
        return subprocess.run(
            [HERE.parent / "weft", "run", "--fresh", study, *options], check=False
        ).returncode


def port(jar: Path) -> str:
    """The row of a jar that was compiled by the user."""
    keys = {"workload.program": str(jar), "workload.main_class": CLASS}
    lines = [f"{json.dumps(key)} = {json.dumps(value)}" for key, value in keys.items()]
    return "\n".join([f"\n{ROW}", f'name = "{PORT}"', 'engine = "spark"', *lines, ""])


if __name__ == "__main__":
    sys.exit(main())
