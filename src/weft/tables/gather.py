"""Joins the parts of a result to one file, in their order.

usage: python -m weft.tables.gather --input DIR --output FILE.parquet|FILE.csv --scratch DIR --outcome FILE
"""

import argparse
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb

from weft.tables.copied import to_read
from weft.tables.duck import database, parts, view
from weft.tables.program import execute, options


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--input", required=True)
    parser.add_argument("--output", type=Path, required=True)
    execute(parser, _work)


def _work(given: argparse.Namespace) -> Mapping[str, Any]:
    with database(given.threads, given.memory, given.scratch) as connection:
        return joined(connection, to_read(given, given.input, "parts"), given.output)


def joined(connection: duckdb.DuckDBPyConnection, directory: Path, file: Path) -> Mapping[str, Any]:
    """Write the file, and count what is in it."""
    form = "csv, HEADER" if file.suffix == ".csv" else "parquet"
    view(connection, "result", parts(directory))
    partial = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    try:
        connection.execute(f"COPY result TO '{_escaped(partial)}' (FORMAT {form})")
        partial.rename(file)
    finally:
        partial.unlink(missing_ok=True)
    (rows,) = connection.execute("SELECT count(*) FROM result").fetchone() or (0,)
    columns = len(connection.execute("DESCRIBE result").fetchall())
    return {"result": str(file), "rows": rows, "columns": columns, "bytes": file.stat().st_size}


def _escaped(path: Path) -> str:
    return str(path).replace("'", "''")


if __name__ == "__main__":
    main()
