"""A packed environment of Python: the workers run its interpreter, and import what is in it."""

import subprocess
import sys
from pathlib import Path

from tests.local.conftest import Weft

JOB = """
import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
def twice(number):
    import doubling
    return doubling.twice(number), sys.executable
found = spark.sparkContext.parallelize(range(10), 2).map(twice).collect()
print("sum", sum(number for number, _ in found))
print("workers", *sorted({path for _, path in found}))
"""


def test_workers_run_the_python_of_an_archive_and_import_its_packages(weft: Weft) -> None:
    job, made = weft.home / "job.py", weft.home / "environment"
    job.write_text(JOB)
    subprocess.run([sys.executable, "-m", "venv", "--copies", "--without-pip", made], check=True)
    (packages,) = made.glob("lib/python3*/site-packages")
    (packages / "doubling.py").write_text("def twice(number):\n    return 2 * number\n")
    archive = weft.home / "environment.tar.gz"
    subprocess.run(["tar", "-czf", archive, "-C", made, "."], check=True)
    done = weft(
        "submit",
        *("--nodes", "local:1", "--archives", f"{archive}#environment", "--", str(job)),
        PYSPARK_DRIVER_PYTHON=str(made / "bin" / "python"),
        PYSPARK_PYTHON="./environment/bin/python",
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "sum 90"
    (worker,) = lines[1].removeprefix("workers ").split()
    assert Path(worker).match("logs/*/executors/*/*/environment/bin/python"), worker
