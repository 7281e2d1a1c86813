"""DuckDB in this process."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb

from weft_sql.job import UnusableError, table_files

_SETTINGS = {
    # nulls are smaller than all values, as in Spark and Flink, if a query does not say otherwise
    "default_null_order": "nulls_first_on_asc_last_on_desc",
    # it neither downloads extensions nor looks for them in the user's home
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


class DuckSession:
    """A database in memory, whose tables are views of Parquet files."""

    def __init__(self, _options: Mapping[str, str], settings: Mapping[str, str]) -> None:
        self._connection: Any = duckdb.connect(config={**_SETTINGS, **settings})

    def table(self, name: str, path: str) -> None:
        files = ", ".join(quoted(file) for file in table_files(path))
        self._connection.execute(f'CREATE VIEW "{name}" AS SELECT * FROM read_parquet([{files}])')  # noqa: S608 - quoted

    def query(self, text: str, to: Path) -> None:
        found = self._connection.extract_statements(text)
        if len(found) != 1 or found[0].type != duckdb.StatementType.SELECT:
            raise UnusableError("the file has something else than one query")
        attempt = to / ".part-00000.parquet"
        # a view takes the statement as it is, with a semicolon and comments at its end
        self._connection.execute(f"CREATE OR REPLACE TEMP VIEW weft_result AS {found[0].query}")
        self._connection.execute(f"COPY weft_result TO {quoted(str(attempt))} (FORMAT parquet)")
        attempt.replace(to / "part-00000.parquet")

    def interrupt(self) -> None:
        self._connection.interrupt()

    def counted(self) -> Mapping[str, int]:
        return {}

    def close(self) -> None:
        self._connection.close()


def quoted(value: str) -> str:
    """A text as SQL has it, whatever is in it."""
    return "'{}'".format(value.replace("'", "''"))
