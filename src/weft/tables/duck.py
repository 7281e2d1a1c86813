"""DuckDB in this process: with bounds of memory and threads, and one rule for nulls in an order."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb
import duckdb_extension_tpcds

from weft.errors import MissingError, WorkloadError

NULLS = "nulls_first_on_asc_last_on_desc"
"""Nulls are smaller than all values, as in Spark and Flink, if a query does not say otherwise."""


def quoted(name: str) -> str:
    """A name as SQL has it, whatever is in it."""
    return '"{}"'.format(name.replace('"', '""'))


@contextmanager
def database(threads: int, memory: int, scratch: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database in memory; what does not fit into so many bytes is written to `scratch`."""
    scratch.mkdir(parents=True, exist_ok=True)
    settings: dict[str, str | bool | int | float | list[str]] = {
        "threads": threads,
        "memory_limit": f"{memory >> 20}MiB",
        "temp_directory": str(scratch),
        "default_null_order": NULLS,
        # it neither downloads extensions nor looks for them in the user's home
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    with duckdb.connect(config=settings) as connection:
        yield connection


def load_tpcds(connection: duckdb.DuckDBPyConnection) -> None:
    """Load the extension from its Python package. Raises MissingError if it is not for this DuckDB."""
    versions = Path(duckdb_extension_tpcds.__file__).parent / "extensions"
    file = versions / f"v{duckdb.__version__}" / "tpcds.duckdb_extension"
    if not file.exists():
        there = ", ".join(sorted(path.name for path in versions.iterdir()))
        raise MissingError(
            f"DuckDB's TPC-DS extension is for {there}, but DuckDB is v{duckdb.__version__}",
            hint="install duckdb and duckdb-extension-tpcds of one version",
        )
    connection.execute(f"LOAD '{file}'")


def view(connection: duckdb.DuckDBPyConnection, table: str, files: Sequence[Path]) -> None:
    """A table of Parquet files, in this order."""
    paths = ", ".join("'{}'".format(str(path).replace("'", "''")) for path in files)
    connection.execute(f"CREATE OR REPLACE VIEW {quoted(table)} AS SELECT * FROM read_parquet([{paths}])")  # noqa: S608 - quoted


def counted(connection: duckdb.DuckDBPyConnection, table: str) -> int:
    """The number of rows of a table."""
    (rows,) = connection.execute(f"SELECT count(*) FROM {quoted(table)}").fetchone() or (0,)  # noqa: S608 - quoted
    return int(rows)


def parts(directory: Path) -> list[Path]:
    """The files of a table, in the order of its rows. Raises WorkloadError if there is none."""
    found = sorted(path for path in directory.rglob("*") if path.is_file() and path.name[0] not in "._")
    if not found:
        raise WorkloadError(f"{directory} has no part of a table")
    return found
