"""TASKS SECONDS: in each task a function of the job computes for so many seconds of its thread's CPU time."""

import sys
import time

from pyspark.sql import SparkSession

tasks, seconds = int(sys.argv[1]), float(sys.argv[2])


def spin(rows):
    end = time.thread_time() + seconds
    state = 1
    while time.thread_time() < end:
        state = state * 6364136223846793005 % (1 << 64)
    return [state for _ in rows]


spark = SparkSession.builder.appName("spin").getOrCreate()
print("spun", spark.sparkContext.parallelize(range(tasks), tasks).mapPartitions(spin).count())
spark.stop()
