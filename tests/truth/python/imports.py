"""TASKS FILES: each task imports a package of so many files, from a scratch directory, in a worker of its own; prints the seconds."""

import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession

tasks, files = int(sys.argv[1]), int(sys.argv[2])
spark = SparkSession.builder.appName("imports").config("spark.python.worker.reuse", "false").getOrCreate()
folder = Path(spark.conf.get("spark.local.dir")) / "modules"
package = folder / "many"
package.mkdir(parents=True)
names = [f"part{number}" for number in range(files)]
(package / "__init__.py").write_text("".join(f"from many import {name}\n" for name in names))
for name in names:
    (package / f"{name}.py").write_text("VALUE = 1\n")


def imported(rows):
    begin = time.monotonic()
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    import many  # noqa: F401

    return [time.monotonic() - begin for _ in rows]


seconds = spark.sparkContext.parallelize(range(tasks), tasks).mapPartitions(imported).sum()
print("imported, seconds", seconds)
spark.stop()
