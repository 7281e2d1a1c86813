"""DuckDB's answer to a query, and an engine's result, as rows that are read one after another.

Neither has to fit into memory: the answer is a table of DuckDB's, which sorts both, and writes what does not fit to its scratch.
"""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb

from weft.errors import WorkloadError
from weft.tables.compare import Answer, Checksum, Row, Rows
from weft.tables.duck import counted, parts, quoted, view
from weft.tables.question import question

DONE = "_SUCCESS"
"""The file that an engine leaves next to a result that is complete."""
_FETCHED = 10_000
"""Rows that are in this process at once."""
_ROUGH = frozenset({"FLOAT", "DOUBLE"})
"""Types whose last digits may differ, so that nothing is sorted by them."""


@dataclass(frozen=True)
class TableRows:
    """Rows of a table or a view: as it has them, or sorted."""

    connection: duckdb.DuckDBPyConnection
    name: str
    by: Sequence[int] = ()
    """Positions of the columns by which they are sorted, from 1 on."""
    keys: bool = False
    """Whether each row has the values that sort it behind its columns."""

    def __len__(self) -> int:
        return counted(self.connection, self.name)

    def __iter__(self) -> Iterator[Row]:
        more = "".join(f", #{position}" for position in self.by) if self.keys else ""
        order = f" ORDER BY {', '.join(map(str, self.by))}" if self.by else ""
        with closing(self.connection.cursor()) as cursor:
            cursor.execute(f"SELECT *{more} FROM {quoted(self.name)}{order}")  # noqa: S608 - quoted
            while rows := cursor.fetchmany(_FETCHED):
                yield from rows

    @property
    def types(self) -> list[str]:
        """Of its columns."""
        return [row[1] for row in self.connection.execute(f"DESCRIBE {quoted(self.name)}").fetchall()]


class Result:
    """Rows that are read once, and what is known of them afterwards."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._left = self._read()
        self.checksum = Checksum()
        self.empty = True
        """Whether there are none, or only nulls and zeros: they would be the same on many other tables."""

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return self._left

    def _read(self) -> Iterator[Row]:
        for row in self._rows:
            self.checksum.add(row)
            self.empty = self.empty and not any(row)
            yield row

    def finish(self) -> None:
        """Read what is left of them."""
        for _ in self._left:
            pass


@contextmanager
def answered(connection: duckdb.DuckDBPyConnection, text: str) -> Iterator[Answer]:
    """DuckDB's answer to a query, with the values that order it, until the end of the block."""
    asked = question(connection, text)
    names = [row[0] for row in connection.execute(f"DESCRIBE {asked.sql}").fetchall()]
    table = f"weft_answer_{secrets.token_hex(4)}"
    connection.execute(f"CREATE TABLE {table} AS {asked.sql}")
    try:
        columns = names[: len(names) - asked.keys]
        yield Answer(columns, TableRows(connection, table), asked.keys > 0, asked.limit)
    finally:
        connection.execute(f"DROP TABLE {table}")


def result(connection: duckdb.DuckDBPyConnection, directory: Path) -> Rows:
    """The rows of a result, in the order of its files; Flink writes none without rows. Raises WorkloadError if it is missing."""
    if not directory.is_dir():
        raise WorkloadError(f"{directory} does not exist")
    if [path.name for path in directory.iterdir()] == [DONE]:
        return []
    view(connection, "weft_result", parts(directory))
    return TableRows(connection, "weft_result")


def alike(right: Answer, found: Rows) -> tuple[Answer, Rows]:
    """Both sorted by the columns that must be equal, where the query orders nothing: rows that differ there are not tied then.

    With a limit, any rows of the answer may be there: they stay as they are.
    """
    if right.ordered or right.limit is not None:
        return right, found
    if not isinstance(right.rows, TableRows) or not isinstance(found, TableRows):
        return right, found
    types = zip(right.rows.types, found.types, strict=False)
    by = [position for position, pair in enumerate(types, 1) if not _ROUGH.intersection(pair)]
    sorted_answer = replace(right, rows=replace(right.rows, by=by, keys=True), ordered=bool(by))
    return sorted_answer, replace(found, by=by)
