"""A job that keeps many small objects alive in its executors' heaps while it makes more. crowded.py ROWS ROUNDS"""

import sys

from pyspark.sql import SparkSession


def main(rows: int, rounds: int) -> None:
    spark = (
        SparkSession.builder.appName("crowded").config("spark.sql.adaptive.enabled", "false").getOrCreate()
    )
    # lists that grow are objects of the heap that Spark does not account for, so that it neither spills nor evicts them;
    # with fewer than 128 keys it does not sort instead
    lists = (
        spark.range(0, rows, 1, 4)
        .selectExpr("id % 100 as key", "sha2(cast(id as string), 256) as text")
        .groupBy("key")
        .agg({"text": "collect_list"})
        .selectExpr("sum(size(`collect_list(text)`))")
    )
    for number in range(rounds):
        print("round", number, lists.collect()[0][0])


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
