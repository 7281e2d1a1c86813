"""Write two Parquet tables, join them, and check the sum against arithmetic.

    weft submit --nodes virtual:2 --scratch pool -- examples/parquet_join.py [DIRECTORY]

The tables go below DIRECTORY, which every node has to see, and are removed afterwards. Without one they go into the
run's own temporary directory (TMPDIR, which weft sets and removes).
"""

import shutil
import sys
import tempfile

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

CUSTOMERS = 1_000
ORDERS = 50_000


def main(base: str | None) -> None:
    spark = SparkSession.builder.appName("parquet join").getOrCreate()
    # a join by shuffle even of small tables: the point of the example
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    spark.conf.set("spark.sql.shuffle.partitions", "16")
    directory = tempfile.mkdtemp(prefix="parquet-join-", dir=base)
    try:
        joined = join(spark, directory)
    finally:
        shutil.rmtree(directory)
    spark.stop()
    # order n belongs to customer n mod CUSTOMERS and is worth n; every second customer is in the north
    right = (ORDERS // 2, sum(n for n in range(ORDERS) if n % CUSTOMERS % 2 == 0))
    print(f"joined {joined[0]} orders worth {joined[1]}")
    if joined != right:
        sys.exit(f"wrong: {right[0]} orders worth {right[1]} were written")


def join(spark: SparkSession, directory: str) -> tuple[int, int]:
    """Number and worth of the orders from the north, by way of two Parquet tables."""
    north = (f.col("id") % 2 == 0).alias("north")
    spark.range(0, CUSTOMERS, 1, 4).select(f.col("id").alias("customer"), north).write.parquet(
        f"{directory}/customers"
    )
    spark.range(0, ORDERS, 1, 8).select(
        (f.col("id") % CUSTOMERS).alias("customer"), f.col("id").alias("worth")
    ).write.parquet(f"{directory}/orders")
    customers, orders = (spark.read.parquet(f"{directory}/{name}") for name in ("customers", "orders"))
    row = orders.join(customers.filter("north"), "customer").agg(f.count("*"), f.sum("worth")).first()
    assert row is not None
    return int(row[0]), int(row[1])


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
