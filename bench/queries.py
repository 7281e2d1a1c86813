"""Which queries of TPC-DS each engine runs, and its reason for the others, as a table in Markdown."""

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from figures import rows
from figures.tables.queries import Found, answers, lines

WEFT = str(Path(__file__).parent.parent / "weft")
TABLE = "queries"
"""The default of where rows are kept."""


def run(engine: str, words: Sequence[str]) -> Found:
    """All queries on an engine. Wrong ones make the run fail, which is what is asked for."""
    subprocess.run([WEFT, "run", "tpcds", "--engine", engine, *words], check=False, stdout=sys.stderr)
    return shown("last")


def shown(record: str) -> Found:
    """A record as weft shows it. Raises CalledProcessError."""
    done = subprocess.run([WEFT, "show", record, "--json"], check=True, stdout=subprocess.PIPE, text=True)
    found: Found = json.loads(done.stdout)
    return found


def keep(found: Sequence[Found], scale: str, table: str) -> None:
    """A row for each record in the rows of a table, in place of those of the same engine and scale."""
    made = [
        {
            "cell": {"engine": each["engine"], "scale": scale},
            **rows.here(),
            "run": each["id"],
            "queries": each["facts"]["queries"],
        }
        for each in found
    ]
    new = [row["cell"] for row in made]
    rows.write(table, [*(row for row in rows.read(table) if row["cell"] not in new), *made])


def main() -> int:
    """The table; runs of all queries are kept."""
    parser = argparse.ArgumentParser(prog="bench/queries")
    parser.add_argument("names", nargs="+", metavar="ENGINE|RUN")
    parser.add_argument("--from", action="store_true", dest="stored", help="the names are those of records")
    parser.add_argument("--scale", default="0.01", help="scale factor of the tables")
    parser.add_argument("--queries", default="all", help="all, interactive20, or names: q3,q7")
    parser.add_argument("--limit", default="1m", help="longest time of a query")
    parser.add_argument("--nodes", default="local:1")
    parser.add_argument("--table", default=TABLE, choices=(TABLE, "one-node"), help="where rows are kept")
    given = parser.parse_args()
    words = ["--nodes", given.nodes, "--set", f"scale={given.scale}", "--set", f"queries={given.queries}"]
    words += ["--set", f"limit={given.limit}"]
    records = [shown(name) if given.stored else run(name, words) for name in given.names]
    keep(records, given.scale, given.table)
    print("\n".join(lines(answers(records))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
