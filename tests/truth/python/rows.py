"""TASKS ROWS: each task has so many rows cross to its Python worker and back, with which that does nothing."""

import sys

from pyspark.sql import SparkSession

tasks, rows = int(sys.argv[1]), int(sys.argv[2])
spark = SparkSession.builder.appName("rows").getOrCreate()
crossing = spark.range(0, tasks * rows, 1, tasks).selectExpr("id", "cast(id as string) name").rdd
# the JVM counts the batches that come back: Python's own count would be code of the job
print("crossed, batches", crossing.mapPartitions(lambda rows: rows)._jrdd.count())
spark.stop()
