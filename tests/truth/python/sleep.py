"""TASKS SECONDS: in each task a function of the job sleeps for so many seconds."""

import sys
import time

from pyspark.sql import SparkSession

tasks, seconds = int(sys.argv[1]), float(sys.argv[2])


def sleep(rows):
    time.sleep(seconds)
    return rows


spark = SparkSession.builder.appName("sleep").getOrCreate()
print("slept", spark.sparkContext.parallelize(range(tasks), tasks).mapPartitions(sleep).count())
spark.stop()
