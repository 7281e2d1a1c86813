"""A job that keeps most of a small heap alive while it makes garbage: heap.py ROWS (no Python in the tasks)."""

import sys

from pyspark import StorageLevel
from pyspark.sql import SparkSession


def main(rows: int) -> None:
    spark = SparkSession.builder.appName("heap").getOrCreate()
    kept = spark.range(0, rows, 1, 4).selectExpr("id", "repeat(cast(id as string), 40) as text")
    kept.persist(StorageLevel.MEMORY_ONLY).count()
    spark.conf.set("spark.sql.shuffle.partitions", "4")
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    groups = kept.groupBy((kept.id % 5000).alias("key")).agg({"text": "collect_list"})
    print("groups", groups.selectExpr("size(`collect_list(text)`) as n").groupBy().sum("n").collect())


if __name__ == "__main__":
    main(int(sys.argv[1]))
