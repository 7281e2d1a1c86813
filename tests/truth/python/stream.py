"""A stream of a rate of rows a second, each of which takes a known number of seconds of CPU time, for so many seconds."""

import sys
import time

from pyspark.sql import SparkSession
from pyspark.sql.functions import udf

seconds, rate, length = float(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])


def slow(value: int) -> int:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
    return value


spark = SparkSession.builder.appName("stream").getOrCreate()
rows = spark.readStream.format("rate").option("rowsPerSecond", rate).option("numPartitions", 1).load()
found = rows.select(udf(slow, "long")("value").alias("value"))
query = found.writeStream.format("noop").trigger(processingTime="1 second").start()
query.awaitTermination(length)
done = sum(int(progress["numInputRows"]) for progress in query.recentProgress)
query.stop()
print("rows", done)
spark.stop()
