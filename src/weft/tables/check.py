"""Compares results of queries with DuckDB's answers on the same files.

usage: python -m weft.tables.check --input DIR --queries DIR --results DIR --labels q3-1,q7-1 --scratch DIR --outcome FILE
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from weft.errors import WorkloadError
from weft.tables.compare import Answer, Row, checksum, difference
from weft.tables.copied import to_read
from weft.tables.duck import counted, database, parts, view
from weft.tables.program import execute, options, progress
from weft.tables.question import question

DONE = "_SUCCESS"
"""The file that an engine leaves beside a result that is complete."""


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
            right = answer(connection, (given.queries / f"{name}.sql").read_text())
            for label in labels:
                found[label] = _compared(connection, right, results / label)
            progress(number, len(by_query))
    return {"answers": found, "tables": rows, "duckdb": duckdb.__version__}


def answer(connection: duckdb.DuckDBPyConnection, text: str) -> Answer:
    """DuckDB's answer to a query, with the values that order it."""
    asked = question(connection, text)
    cursor = connection.execute(asked.sql)
    names = [column[0] for column in cursor.description or ()]
    columns = names[: len(names) - asked.keys]
    return Answer(columns, cursor.fetchall(), asked.keys > 0, asked.limit)


def _compared(connection: duckdb.DuckDBPyConnection, right: Answer, directory: Path) -> dict[str, Any]:
    try:
        rows = result(connection, directory)
    except (WorkloadError, duckdb.Error) as error:
        return {"rows": 0, "wrong": f"the result cannot be read: {str(error).partition(chr(10))[0]}"}
    return {
        "rows": len(rows),
        "empty": empty(rows),
        "checksum": checksum(rows),
        "wrong": difference(right, rows),
    }


def empty(rows: Sequence[Row]) -> bool:
    """Whether an answer has no rows, or only nulls and zeros: it would be the same on many other tables."""
    return not any(value for row in rows for value in row)


def result(connection: duckdb.DuckDBPyConnection, directory: Path) -> Sequence[Row]:
    """The rows of a result, in the order of its files; Flink writes none without rows. Raises WorkloadError if it is missing."""
    if not directory.is_dir():
        raise WorkloadError(f"{directory} does not exist")
    if [path.name for path in directory.iterdir()] == [DONE]:
        return []
    files = parts(directory)
    return connection.execute("SELECT * FROM read_parquet(?)", [[str(path) for path in files]]).fetchall()


if __name__ == "__main__":
    main()
