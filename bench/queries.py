"""Which queries of TPC-DS each engine runs, and its reason for the others, as a table in Markdown."""

import argparse
import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from figures import rows
from figures.tables.queries import Found, answers, lines

from weft.cli.guard import run_guarded
from weft.errors import UsageError, WorkloadError

WEFT = str(Path(__file__).parent.parent / "weft")
TABLE = "queries"
"""The default of where rows are kept."""


def run(engine: str, words: Sequence[str]) -> Found:
    """All queries on an engine. Wrong ones make the run fail, which is what is asked for; without a record it raises WorkloadError."""
    argv = [WEFT, "run", "tpcds", "--engine", engine, *words, "--json"]
    done = subprocess.run(argv, check=False, stdout=subprocess.PIPE, text=True)
    if not done.stdout:
        raise WorkloadError(f"the run on {engine} has no record")
    # another run may be the newest one by now
    return shown(json.loads(done.stdout)["id"])


def shown(record: str) -> Found:
    """A record as weft shows it. Raises CalledProcessError, and WorkloadError if it has no answers."""
    done = subprocess.run([WEFT, "show", record, "--json"], check=True, stdout=subprocess.PIPE, text=True)
    found: Found = json.loads(done.stdout)
    if "queries" not in found["facts"]:
        raise WorkloadError(f"{found['id']} has no answers: {found['reason'] or found['verdict']}")
    return found


def row(found: Found) -> rows.Row:
    """What a record says of its queries, with its own time, commit and scale. Raises UsageError for one of another machine."""
    if found["host"] != os.uname().nodename:
        raise UsageError(
            f"{found['id']} was made on another machine", hint="make the rows where the queries ran"
        )
    return {
        "cell": {"engine": found["engine"], "scale": f"{found['facts']['scale']:g}"},
        "time": found["created"],
        "commit": found["commit"],
        "machine": rows.machine(),
        "run": found["id"],
        "queries": found["facts"]["queries"],
    }


def keep(found: Sequence[Found], table: str) -> None:
    """A row for each record in the rows of a table, in place of those of the same engine and scale."""
    made = [row(each) for each in found]
    new = [each["cell"] for each in made]
    rows.write(table, [*(each for each in rows.read(table) if each["cell"] not in new), *made])


def main() -> None:
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
    records: list[Found] = []
    for name in given.names:
        records.append(shown(name) if given.stored else run(name, words))
        # what was run is kept also if a later engine fails
        keep(records, given.table)
    print("\n".join(lines(answers(records))))


if __name__ == "__main__":
    run_guarded(main)
