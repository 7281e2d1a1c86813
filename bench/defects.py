"""Jobs of PySpark and Spark SQL with one defect each, and one without. defects.py NAME EMPTY_FOLDER"""

import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession

PLAIN = {"spark.sql.adaptive.enabled": "false"}
"""As Spark was before it repaired plans while they ran."""
WORK = "aggregate(sequence(1, 300), id, (sum, x) -> sum + (sum ^ x) % 7)"
"""Computation of a row; each step needs the one before, so that nothing is folded."""


def driver(spark: SparkSession) -> object:
    """The driver works alone between short jobs."""
    total = 0
    for _ in range(6):
        total += (
            spark.range(0, 200_000, 1, 2).selectExpr(f"{WORK} as value").groupBy().count().collect()[0][0]
        )
        end = time.thread_time() + 3
        while time.thread_time() < end:
            total += 1
    return total > 0


def partitions(spark: SparkSession) -> object:
    """An exchange of 2,000 partitions for few rows."""
    rows = spark.range(0, 1_000_000, 1, 2).selectExpr("id % 1000 as key", "id")
    return rows.groupBy("key").sum("id").groupBy().count().collect()[0][0]


def spill(spark: SparkSession) -> object:
    """A sort of more than the memory of an executor."""
    rows = spark.range(0, 6_000_000, 1, 2).selectExpr(
        "hash(id) as key", "repeat(md5(cast(id as string)), 4) as text"
    )
    ordered = rows.repartition(2).sortWithinPartitions("key", "text")
    return ordered.selectExpr("max(length(text)) as size").collect()[0][0]


def files(spark: SparkSession) -> object:
    """A table of 4,000 files of a few rows."""
    table = Path(sys.argv[2]) / "small"
    table.mkdir()
    for number in range(4000):
        (table / f"part-{number:05d}.csv").write_text("".join(f"{number},{row}\n" for row in range(10)))
    rows = spark.read.schema("key long, value long").csv(str(table))
    return [rows.groupBy().sum("value").collect()[0][0] for _ in range(3)]


def healthy(spark: SparkSession) -> object:
    """Computation in even partitions, as many as there are slots."""
    rows = spark.range(0, 3_000_000, 1, 2).selectExpr("id % 16 as key", f"{WORK} as value")
    return rows.groupBy("key").sum("value").count()


JOBS = {
    "driver": (driver, {}),
    "partitions": (partitions, {**PLAIN, "spark.sql.shuffle.partitions": "2000"}),
    "spill": (spill, PLAIN),
    "files": (files, {}),
    "healthy": (healthy, {}),
}
"""By name, with settings that a program may have of its own."""

if __name__ == "__main__":
    job, settings = JOBS[sys.argv[1]]
    builder = SparkSession.builder.appName(sys.argv[1])
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    print(sys.argv[1], job(session))
    session.stop()
