"""Compares results of queries with DuckDB's answers on the same files.

usage: python -m weft.tables.check --input DIR --queries DIR --results DIR --labels q3-1,q7-1 --scratch DIR --outcome FILE
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb

from weft.errors import WorkloadError
from weft.tables.answers import Result, alike, answered, result
from weft.tables.compare import Answer, difference
from weft.tables.copied import to_read
from weft.tables.duck import counted, database, parts, view
from weft.tables.program import execute, options, progress


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--input", required=True, help="a directory for each table")
    parser.add_argument("--queries", type=Path, required=True, help="NAME.sql for each query")
    parser.add_argument("--results", required=True, help="a directory of Parquet files for each label")
    parser.add_argument("--labels", required=True, help="NAME-REPEAT of each execution")
    execute(parser, _work)


def _work(given: argparse.Namespace) -> Mapping[str, Any]:
    by_query: dict[str, list[str]] = {}
    for label in given.labels.split(","):
        by_query.setdefault(label.rpartition("-")[0], []).append(label)
    found: dict[str, Any] = {}
    tables, results = to_read(given, given.input, "tables"), to_read(given, given.results, "results")
    with database(given.threads, given.memory, given.scratch) as connection:
        rows = {}
        for table in sorted(path for path in tables.iterdir() if path.is_dir()):
            view(connection, table.name, parts(table))
            rows[table.name] = counted(connection, table.name)
        for number, (name, labels) in enumerate(by_query.items(), 1):
            with answered(connection, (given.queries / f"{name}.sql").read_text(encoding="utf-8")) as right:
                for label in labels:
                    found[label] = _compared(connection, right, results / label)
            progress(number, len(by_query))
    return {"answers": found, "tables": rows, "duckdb": duckdb.__version__}


def _compared(connection: duckdb.DuckDBPyConnection, right: Answer, directory: Path) -> dict[str, Any]:
    try:
        answer, rows = alike(right, result(connection, directory))
        found = Result(rows)
        wrong = difference(answer, found)
        found.finish()
    except (WorkloadError, duckdb.Error) as error:
        return {"rows": 0, "wrong": f"the result cannot be read: {str(error).partition(chr(10))[0]}"}
    return {
        "rows": len(found),
        "empty": found.empty,
        "checksum": found.checksum.text,
        "wrong": wrong,
    }


if __name__ == "__main__":
    main()
