"""Which queries of TPC-DS each engine runs, and its reason for the others, as a table in Markdown."""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

WEFT = str(Path(__file__).parent.parent / "weft")
_LONGEST = 200
"""Characters of a reason."""
_RIGHT = "right"
Found = Mapping[str, Any]


def run(engine: str, words: Sequence[str]) -> Found:
    """All queries on an engine. Wrong ones make the run fail, which is what is asked for."""
    subprocess.run([WEFT, "run", "tpcds", "--engine", engine, *words], check=False, stdout=sys.stderr)
    return shown("last")


def shown(record: str) -> Found:
    """A record as weft shows it. Raises CalledProcessError."""
    done = subprocess.run([WEFT, "show", record, "--json"], check=True, stdout=subprocess.PIPE, text=True)
    found: Found = json.loads(done.stdout)
    return found


def answers(records: Iterable[Found]) -> dict[str, dict[str, str]]:
    """By engine and query: the answer, or why there is none. Several records of an engine add up."""
    found: dict[str, dict[str, str]] = {}
    for record in records:
        of = found.setdefault(record["engine"], {})
        of |= {row["query"]: row["answer"] for row in record["facts"]["queries"]}
    return found


def lines(found: Mapping[str, Mapping[str, str]]) -> list[str]:
    """The table: a column for each engine, and a row for each query that is not right on all of them."""
    names = sorted({name for of in found.values() for name in of}, key=_number)
    answers = {name: [of.get(name, "not run") for of in found.values()] for name in names}
    counts = [f"{sum(a == _RIGHT for a in of.values())} of {len(of)} right" for of in found.values()]
    rows = [[name, *map(_cell, each)] for name, each in answers.items() if set(each) != {_RIGHT}]
    right = len(names) - len(rows)
    last = [["others", *[f"{right} right"] * len(found)]] if right else []
    head = ["query", *found]
    return [_row(cells) for cells in (head, ["---"] * len(head), ["all", *counts], *rows, *last)]


def _cell(answer: str) -> str:
    text = re.sub(r"\s+", " ", answer).replace("|", "\\|").strip()
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _number(name: str) -> tuple[int, str]:
    digits = re.sub(r"\D", "", name)
    return (int(digits) if digits else 1000, name)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> int:
    """The table."""
    parser = argparse.ArgumentParser(prog="bench/queries")
    parser.add_argument("names", nargs="+", metavar="ENGINE|RUN")
    parser.add_argument("--from", action="store_true", dest="stored", help="the names are those of records")
    parser.add_argument("--scale", default="0.01", help="scale factor of the tables")
    parser.add_argument("--queries", default="all", help="all, interactive20, or names: q3,q7")
    parser.add_argument("--limit", default="1m", help="longest time of a query")
    parser.add_argument("--nodes", default="local:1")
    given = parser.parse_args()
    words = ["--nodes", given.nodes, "--set", f"scale={given.scale}", "--set", f"queries={given.queries}"]
    words += ["--set", f"limit={given.limit}"]
    records = [shown(name) if given.stored else run(name, words) for name in given.names]
    print("\n".join(lines(answers(records))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
