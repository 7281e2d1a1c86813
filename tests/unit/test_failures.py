"""Why a program failed: what its logs name becomes a sentence with a remedy, and what follows from it is not the reason."""

from pathlib import Path

import pytest

from weft.facts.failures import named
from weft.run.failed import why

LOST = (
    "org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 0.0 failed 4 times, most recent"
    " failure: Lost task 0.3 in stage 0.0 (TID 7) (10.0.0.1 executor 6): ExecutorLostFailure (executor 6 exited caused"
    " by one of the running tasks) Reason: Command exited with code 137"
)
PY4J = """\
Traceback (most recent call last):
  File "/home/me/job.py", line 13, in <module>
    print(rows.collect())
  File "/spark/python/lib/pyspark.zip/pyspark/core/rdd.py", line 1699, in collect
py4j.protocol.Py4JJavaError: An error occurred while calling o33.collect.
: {}
\tat org.apache.spark.scheduler.DAGScheduler.abortStage(DAGScheduler.scala:1)
"""
# lines of real logs of Spark 4.3, with the sentence for each
LINES = {
    "java.io.IOException: No space left on device": "a file system was full",
    "java.lang.OutOfMemoryError: GC overhead limit exceeded": "the heap of an executor was full",
    "ModuleNotFoundError: No module named 'notthere'": "Python has no module notthere",
    LOST: "executor 6 was lost: Command exited with code 137",
    "pyspark.errors.exceptions.captured.AnalysisException: [PATH_NOT_FOUND] Path does not exist: file:/in. SQLSTATE: 42K03":
    "the input file:/in does not exist",
}  # fmt: skip


@pytest.mark.parametrize(("line", "says"), LINES.items())
def test_a_line_of_a_log_names_the_reason(line: str, says: str) -> None:
    found = named(["26/11/24 INFO Something: else", line], "stderr")
    assert found is not None
    assert (found.says, found.line) == (says, 2)
    assert found.hint


def test_the_heap_is_that_of_the_process_whose_log_it_is() -> None:
    line = "java.lang.OutOfMemoryError: Java heap space"
    found = [named([line], log) for log in ("driver", "stderr")]
    assert [each.says if each else "" for each in found] == [
        "the driver's heap was full",
        "the heap of an executor was full",
    ]


def record(directory: Path, output: str, **executors: str) -> Path:
    """A record in which a Python job printed this, and executors wrote that."""
    (directory / "outcomes").mkdir(parents=True)
    (directory / "outcomes" / "stdout").write_text(output)
    (directory / "driver.log").write_text("26/11/24 10:00:00 INFO SparkContext: started\n")
    for name, text in executors.items():
        log = directory / "logs" / "node1" / "executors" / name / "stderr"
        log.parent.mkdir(parents=True)
        log.write_text(text)
    return directory


def test_a_lost_executor_is_a_consequence_of_what_its_log_says(tmp_path: Path) -> None:
    made = record(
        tmp_path / "run",
        PY4J.format(LOST),
        first="java.lang.OutOfMemoryError: Java heap space\n",
        second="fine\n",
    )
    found = why(made / "driver.log", made / "outcomes" / "stdout", made)
    assert found.says == "the heap of an executor was full (logs/node1/executors/first/stderr:1)"
    assert "engine.executor_memory" in found.hint


def test_without_a_reason_elsewhere_the_consequence_is_the_message(tmp_path: Path) -> None:
    made = record(tmp_path / "run", PY4J.format(LOST), first="fine\n")
    found = why(made / "driver.log", made / "outcomes" / "stdout", made)
    assert found.says.startswith("executor 6 was lost: Command exited with code 137")
    assert not [line for line in found.lines if "pyspark.zip" in line]


def test_an_exception_of_the_programs_own_is_the_reason_whatever_executors_wrote(tmp_path: Path) -> None:
    text = 'Traceback (most recent call last):\n  File "/home/me/job.py", line 3, in <module>\nKeyError: 5\n'
    made = record(tmp_path / "run", text, first="java.lang.OutOfMemoryError: Java heap space\n")
    found = why(made / "driver.log", made / "outcomes" / "stdout", made)
    assert (found.says, found.hint) == ("KeyError: 5 (job.py, line 3)", "")


def test_of_a_long_exception_the_words_that_name_the_reason_are_quoted(tmp_path: Path) -> None:
    long = LOST.partition("ExecutorLostFailure")[0] + "java.io.IOException: No space left on device"
    made = record(tmp_path / "run", PY4J.format(long))
    found = why(made / "driver.log", made / "outcomes" / "stdout", made)
    assert found.says == "a file system was full (No space left on device)"
