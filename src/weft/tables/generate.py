"""Writes the tables of TPC-DS as Parquet, and the texts of its queries.

usage: python -m weft.tables.generate --scale 1 --output DIR --queries DIR --scratch DIR --outcome FILE
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb

from weft.tables.columns import described
from weft.tables.copied import to_write
from weft.tables.duck import counted, database, load_tpcds, quoted
from weft.tables.program import execute, options, progress
from weft.tables.texts import OWN, with_casts


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--scale", type=float, required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--casts", action="store_true", help="with casts that Flink needs")
    execute(parser, _work)


def _work(given: argparse.Namespace) -> Mapping[str, Any]:
    with (
        to_write(given, given.output) as output,
        database(given.threads, given.memory, given.scratch) as connection,
    ):
        load_tpcds(connection)
        connection.execute(f"CALL dsdgen(sf={given.scale!r})")
        tables = [name for (name,) in connection.execute("SHOW TABLES").fetchall()]
        made = {}
        for number, name in enumerate(tables, 1):
            made[name] = _write(connection, name, output)
            progress(number, len(tables))
        _texts(connection, given.queries, cast=given.casts)
        columns = [line for name in tables for line in described(connection, name)]
        (given.queries / "columns.tsv").write_text("".join(columns), encoding="utf-8")
    totals = {key: sum(table[key] for table in made.values()) for key in ("rows", "bytes")}
    return {**totals, "tables": made, "duckdb": duckdb.__version__}


def _write(connection: duckdb.DuckDBPyConnection, table: str, output: Path) -> dict[str, int]:
    """One file, in the order of the generator; readers divide it by its groups of 122,880 rows."""
    directory = output / table
    directory.mkdir(parents=True)
    file = directory / "part-0.parquet"
    connection.execute(f"COPY {quoted(table)} TO '{file}' (FORMAT parquet)")
    return {"rows": counted(connection, table), "bytes": file.stat().st_size}


def _texts(connection: duckdb.DuckDBPyConnection, directory: Path, *, cast: bool) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    rows = connection.execute("SELECT query_nr, query FROM tpcds_queries()").fetchall()
    for name, text in [*((f"q{number}", text) for number, text in rows), *OWN.items()]:
        (directory / f"{name}.sql").write_text(with_casts(text) if cast else text, encoding="utf-8")


if __name__ == "__main__":
    main()
