"""The columns of tables in Parquet, with their types as Flink SQL has them: it does not read them from the files.

usage: python -m weft.tables.columns --table NAME=FILES ... --output FILE --scratch DIR --outcome FILE
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb

from weft.tables.duck import database, parts, quoted, view
from weft.tables.program import execute, options

_TYPES = {
    "BIGINT": "BIGINT",
    "INTEGER": "INT",
    "SMALLINT": "SMALLINT",
    "TINYINT": "TINYINT",
    "DOUBLE": "DOUBLE",
    "FLOAT": "FLOAT",
    "BOOLEAN": "BOOLEAN",
    "VARCHAR": "STRING",
    "BLOB": "BYTES",
    "DATE": "DATE",
    "TIMESTAMP": "TIMESTAMP(6)",
    "TIMESTAMP WITH TIME ZONE": "TIMESTAMP_LTZ(6)",
}
"""Flink's by DuckDB's; decimals have the same name."""


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--table", action="append", default=[])
    parser.add_argument("--output", type=Path, required=True)
    execute(parser, _work)


def _work(given: argparse.Namespace) -> Mapping[str, Any]:
    lines = []
    with database(given.threads, given.memory, given.scratch) as connection:
        for table in given.table:
            name, _, path = table.partition("=")
            directory = Path(path)
            try:
                view(connection, name, parts(directory) if directory.is_dir() else [directory])
            except duckdb.InvalidInputException as error:
                raise ValueError(f"table {name} is not a Parquet file: {error}") from error
            lines += described(connection, name)
    given.output.parent.mkdir(parents=True, exist_ok=True)
    given.output.write_text("".join(lines), encoding="utf-8")
    return {"columns": len(lines)}


def described(connection: duckdb.DuckDBPyConnection, table: str) -> list[str]:
    """A line for each column: table, name and type, with tabs between. Raises ValueError for a type that Flink does not read."""
    rows = connection.execute(f"DESCRIBE {quoted(table)}").fetchall()
    return [f"{table}\t{name}\t{_type(table, name, kind)}\n" for name, kind, *_ in rows]


def _type(table: str, name: str, kind: str) -> str:
    if kind.startswith("DECIMAL("):
        return kind
    if kind not in _TYPES:
        raise ValueError(f"column {name} of {table} is {kind}, which Flink does not read from Parquet")
    return _TYPES[kind]


if __name__ == "__main__":
    main()
