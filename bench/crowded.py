"""A job that keeps many small objects alive in its executors' heaps while it makes garbage. crowded.py ROWS ROUNDS"""

import sys

from pyspark import StorageLevel
from pyspark.sql import SparkSession


def main(rows: int, rounds: int) -> None:
    spark = (
        SparkSession.builder.appName("crowded").config("spark.sql.adaptive.enabled", "false").getOrCreate()
    )
    table = spark.range(0, rows, 1, 4).selectExpr(
        "id", "cast(id as string) as name", "sha2(cast(id as string), 256) as text"
    )
    # rows as objects, where a table that is cached would be a few large arrays
    level = table._sc._getJavaStorageLevel(StorageLevel.MEMORY_ONLY)  # noqa: SLF001 - Python has no other name for it
    kept = table._jdf.toJavaRDD().persist(level)  # noqa: SLF001
    print("kept", kept.count())
    for number in range(rounds):
        groups = table.selectExpr("id % 20000 as key", "text").groupBy("key").agg({"text": "collect_list"})
        print("round", number, groups.selectExpr("sum(size(`collect_list(text)`))").collect()[0][0])


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
