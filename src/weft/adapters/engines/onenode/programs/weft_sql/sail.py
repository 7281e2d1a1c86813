"""A client of Sail's server, which speaks Spark Connect.

The client fetches the rows of a result and writes them: where Sail writes an ordered result, it deals its rows out to four
files, whose names do not say in which order.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from weft_sql.job import table_files


class SailSession:
    """A session of Spark Connect."""

    def __init__(self, options: Mapping[str, str], settings: Mapping[str, str]) -> None:
        self._standard = "standard" in options
        self._spark: Any = SparkSession.builder.remote(options["remote"]).getOrCreate()
        for key, value in settings.items():
            self._spark.conf.set(key, value)

    def table(self, name: str, path: str) -> None:
        # in patterns of Sail's own, * is also the files of directories below
        self._spark.read.parquet(*table_files(path)).createOrReplaceTempView(name)

    def query(self, text: str, to: Path) -> None:
        rows = self._spark.sql(names(text) if self._standard else text)
        if self._standard:
            # columns of a result may have any name, or none, but not in a file
            rows = rows.toDF(*(f"c{number}" for number in range(len(rows.columns))))
        attempt = to / ".part-00000.parquet"
        pq.write_table(rows.toArrow(), attempt)
        attempt.replace(to / "part-00000.parquet")

    def interrupt(self) -> None:
        self._spark.interruptAll()

    def counted(self) -> Mapping[str, int]:
        return {}

    def close(self) -> None:
        self._spark.stop()


def names(text: str) -> str:
    """A query in standard SQL with its quoted names as Spark's dialect has them: in backticks."""
    found, literal = [], False
    for char in text:
        literal ^= char == "'"
        found.append("`" if char == '"' and not literal else char)
    return "".join(found)
