"""A job whose data is skewed: most rows have one of 8 keys that share a partition of 4. skewed.py ROWS"""

import sys

from pyspark.sql import SparkSession

PARTITIONS = 4
"""With as many, all heavy keys are in the first; with a multiple, they are spread."""
HEAVY = 8
STEPS = 400
"""Of computation for each row."""


def main(rows: int) -> None:
    spark = SparkSession.builder.appName("skewed").config("spark.sql.adaptive.enabled", "false").getOrCreate()
    same = spark.range(0, 4096, 1, 1).where(f"pmod(hash(id), {PARTITIONS}) = 0").limit(HEAVY).collect()
    heavy = "array(" + ", ".join(str(row.id) for row in same) + ")"
    keys = spark.range(0, rows, 1, 4).selectExpr(
        f"if(id % 10 < 7, {heavy}[cast(id % {HEAVY} as int)], id % 4096) as key", "id"
    )
    # each step of the loop needs the one before, so that nothing is folded
    work = f"aggregate(sequence(1, {STEPS}), id, (sum, x) -> sum + (sum ^ x) % 7)"
    found = keys.repartition("key").selectExpr(f"{work} as value").groupBy().sum("value")
    print("sum", found.collect()[0][0])


if __name__ == "__main__":
    main(int(sys.argv[1]))
