"""A shuffle of many small blocks: each of PARTITIONS map tasks writes a file for each of as many reduce tasks.

    weft submit --nodes virtual:2 --scratch delayed:lustre-2014 --probe fileops -- examples/many_blocks.py [PARTITIONS]

It checks the number and the sum of what arrived.
"""

import sys

from pyspark.sql import SparkSession

ROWS = 100_000


def main(partitions: int) -> None:
    spark = SparkSession.builder.appName("many blocks").getOrCreate()
    rows = spark.range(0, ROWS, 1, partitions).repartition(partitions, "id")
    count, total = rows.selectExpr("count(*)", "sum(id)").first()
    blocks = partitions * partitions
    print(f"{count} rows through {blocks} blocks, sum {total}")
    spark.stop()
    if (count, total) != (ROWS, ROWS * (ROWS - 1) // 2):
        sys.exit(f"{ROWS} rows were made")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
