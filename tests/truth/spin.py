"""A job that computes so much in each of some tasks: spin.py UNITS UNITS ... (no Python in the tasks)."""

import sys

from pyspark.sql import SparkSession

STEPS = 1_000_000


def main(units: list[int]) -> None:
    spark = SparkSession.builder.appName("spin").getOrCreate()
    work = spark.createDataFrame(
        [(task, count) for task, count in enumerate(units)], "task int, units int"
    ).collect()
    steps = "array(" + ", ".join(str(row.units * STEPS) for row in work) + ")"
    tasks = spark.range(0, len(units), 1, len(units)).selectExpr(f"{steps}[cast(id as int)] as steps")
    # a loop that the optimizer cannot fold: each step needs the one before
    spun = tasks.selectExpr("aggregate(sequence(1, steps), 0L, (sum, x) -> sum + (sum ^ x) % 7) as sum")
    print("spun", sum(row.sum for row in spun.collect()))


if __name__ == "__main__":
    main([int(count) for count in sys.argv[1:]])
