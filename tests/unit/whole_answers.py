"""DuckDB's answers as lists, for tests whose answers are small."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import duckdb

from weft.tables.answers import Result, answered
from weft.tables.compare import Answer


def answer(connection: duckdb.DuckDBPyConnection, text: str) -> Answer:
    """DuckDB's answer, with all its rows."""
    with answered(connection, text) as found:
        return replace(found, rows=list(found.rows))


def read(rows: Iterable[tuple[Any, ...]]) -> Result:
    """A result that was read."""
    found = Result(list(rows))
    found.finish()
    return found


def checksum(rows: Iterable[tuple[Any, ...]]) -> str:
    return read(rows).checksum.text


def empty(rows: Iterable[tuple[Any, ...]]) -> bool:
    return read(rows).empty
