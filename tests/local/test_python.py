"""PySpark on a real cluster: what its Python workers did, by the parts of `weft explain`."""

import json
import tempfile

import pytest

from tests.local.conftest import Weft

JOB = """
import time
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf

spark = SparkSession.builder.getOrCreate()

@udf("long", useArrow=False)
def spun(number):
    end = time.thread_time() + 0.1
    while time.thread_time() < end: pass
    return number

def slept(rows):
    time.sleep(2)
    return rows

frame = spark.range(0, 20, 1, 2).withColumn("own", spun("id"))
print("sum", sum(row.own for row in frame.collect()))
print("slept", frame.rdd.mapPartitions(slept).count())
print("piped", spark.sparkContext.range(0, 4, 1, 2).pipe("cat").count())
spark.stop()
"""
PARTS = {
    "Python: user code",
    "Python: user code waiting",
    "Python: exchange with the JVM",
    "Python: start and imports",
}


@pytest.mark.parametrize(
    "words",
    [
        (),
        pytest.param(("--conf", "spark.python.use.daemon=false"), marks=pytest.mark.long),
        pytest.param(("--conf", "spark.python.worker.reuse=false"), marks=pytest.mark.long),
        pytest.param(("--conf", "spark.python.unix.domain.socket.enabled=true"), marks=pytest.mark.long),
        pytest.param(("--set", "engine.master=yarn"), marks=pytest.mark.long),
    ],
    ids=["daemon", "no daemon", "no reuse", "Unix sockets", "YARN"],
)
def test_python_workers_are_seen(words: tuple[str, ...], weft: Weft) -> None:
    job = weft.home / "job.py"
    job.write_text(JOB)
    # the path of a socket has at most 107 bytes (unix(7)), which a test's own directory exceeds
    with tempfile.TemporaryDirectory(prefix="w") as work:
        done = weft("submit", "--nodes", "local:2", *words, "--", str(job), WEFT_WORK=work)
    assert done.returncode == 0, done.stderr
    assert "sum 190" in done.stdout
    found = weft.result("explain", "last")
    parts = {part["name"]: part["seconds"] for part in found["parts"]}
    assert parts.keys() >= PARTS
    assert not parts.keys() & {"network", "Python: worker", "metadata: network"}
    assert found["coverage"]["python"]["tasks"] >= 4
    assert "Python" not in json.dumps(found["coverage"]["missing"])
    logs = "".join(path.read_text() for path in (weft.record() / "logs").rglob("stderr"))
    assert logs
    assert "is not seen" not in logs
