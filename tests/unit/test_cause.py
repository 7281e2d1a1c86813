"""Why a program failed is its exception, wherever it is in the log."""

from pathlib import Path

import pytest

from weft.host.cause import cause, ended

SHUTDOWN = "".join(
    f"26/11/22 10:00:0{i} INFO ShutdownHookManager: Deleting directory /x/{i}\n" for i in range(9)
)
OPTIONS = "NOTE: Picked up JDK_JAVA_OPTIONS: --add-opens=java.base/java.lang=ALL-UNNAMED\n"

JAVA = """\
26/11/22 10:00:00 WARN TaskSetManager: Lost task 0.0 in stage 0.0: java.io.IOException: a disk is full
Exception in thread "main" org.apache.spark.SparkException: Job aborted due to stage failure
\tat org.apache.spark.scheduler.DAGScheduler.abortStage(DAGScheduler.scala:1)
\tat Main.main(Main.java:3)
Caused by: java.lang.IllegalStateException: bucket 7 is missing
\tat Main.work(Main.java:9)
\t... 3 more
"""
PYTHON = """\
Traceback (most recent call last):
  File "/home/me/job.py", line 3, in <module>
    print(rows[5])
IndexError: list index out of range
"""
PY4J = """\
Traceback (most recent call last):
  File "/home/me/job.py", line 9, in <module>
    rows.collect()
py4j.protocol.Py4JJavaError: An error occurred while calling o33.collect.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 0.0 failed 4 times
\tat org.apache.spark.Driver.run(Driver.scala:1)
Caused by: org.apache.spark.api.python.PythonException: Traceback (most recent call last):
  File "/home/me/job.py", line 5, in divided
    return 1 / row
ZeroDivisionError: division by zero

\tat org.apache.spark.PythonRunner.read(PythonRunner.scala:1)
"""
OWN_CLASS = """\
Traceback (most recent call last):
  File "/home/me/train.py", line 8, in <module>
    main()
    ~~~~^^
  File "/home/me/train.py", line 4, in main
    raise NoConvergence("loss is nan after epoch 3")
NoConvergence: loss is nan after epoch 3
"""
PLAIN = OWN_CLASS.replace("NoConvergence", "Exception")
OF_A_LIBRARY = OWN_CLASS.replace("NoConvergence:", "subprocess.TimeoutExpired:")
LOWER = OWN_CLASS.replace("NoConvergence:", "struct.error:")
LOCAL = OWN_CLASS.replace("NoConvergence:", "main.<locals>.Stop:")
WITHOUT_TEXT = OWN_CLASS.replace("NoConvergence: loss is nan after epoch 3", "queue.Empty")
RAY = """\
Traceback (most recent call last):
  File "/home/me/train.py", line 12, in <module>
    print(ray.get(work.remote(0)))
  File "/cache/ray-2.52.0-01234567/lib/ray/_private/worker.py", line 2772, in get
    raise value.as_instanceof_cause()
ray.exceptions.RayTaskError(NoConvergence): \x1b[36mray::work()\x1b[39m (pid=7, ip=127.0.0.1)
  File "/home/me/train.py", line 4, in work
    raise NoConvergence("loss is nan after epoch 3")
NoConvergence: loss is nan after epoch 3
"""
DASK = """\
Traceback (most recent call last):
  File "/home/me/dask_wait.py", line 11, in <module>
    print(client.gather(client.map(bad, range(5))))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/cache/dask-2026.8.0-8dfcc9c5/lib/distributed/client.py", line 2538, in gather
    return self.sync(
           ^^^^^^^^^^
  File "<dynamic-code>", line 10, in bad
ZeroDivisionError: division by zero
"""
SPARK = PY4J.replace("ZeroDivisionError: division by zero", "Exception: division by zero")
OF_A_TASK = SPARK.replace("Exception: division", "Wrong: division")
JAVA_PLAIN = JAVA.replace("java.lang.IllegalStateException", "java.lang.Exception")
JAVA_ERROR = JAVA.replace("java.lang.IllegalStateException", "java.lang.Error")
CAUGHT = """\
java.net.ConnectException: Connection refused
\tat java.net.Socket.connect(Socket.java:1)
26/11/22 10:00:00 INFO Client: trying again
"""


FIRST = PYTHON.replace("<module>", "parse")
THEN = """
The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/home/me/job.py", line 12, in <module>
    parse(rows)
  File "/home/me/job.py", line 7, in parse
    raise Unreadable("rows of the wrong length") from error
Unreadable: rows of the wrong length
"""
MEANWHILE = THEN.replace(
    "The above exception was the direct cause of the following exception",
    "During handling of the above exception, another exception occurred",
)
INSIDE = PYTHON.replace("/home/me/job.py", "/env/lib/python3.11/site-packages/pandas/core/index.py")
OF_LIBRARIES = """\
Traceback (most recent call last):
  File "/cache/dask-2026.8.0-8dfcc9c5/lib/distributed/protocol/pickle.py", line 95, in loads
    return pickle.loads(x)
AttributeError: Can't get attribute 'content' on <module 'distributed.cli.dask_scheduler'>

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/home/me/job.py", line 41, in <module>
    client.gather(results)
  File "/cache/dask-2026.8.0-8dfcc9c5/lib/distributed/client.py", line 2399, in _gather
    raise exception.with_traceback(traceback)
RuntimeError: Error during deserialization of the task graph. This frequently
occurs if the Scheduler and Client have different environments.
For more information, see
"""
"""As Dask prints it of a job whose function cannot be pickled."""
WRAPPED = """
The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/home/me/job.py", line 12, in <module>
    linker.train(rows)
  File "/env/lib/python3.11/site-packages/mylib/api.py", line 109, in train
    raise LibraryError(f"the query failed:\\n{query}") from error
mylib.errors.LibraryError: the query failed:
SELECT JARO_WINKLER(a, b) FROM c
"""
CHAIN_OF_A_TASK = PY4J.replace(
    "ZeroDivisionError: division by zero\n", "ZeroDivisionError: division by zero\n" + THEN
)
SAYS = "Unreadable: rows of the wrong length (job.py, line 7)"
CHAINS = [
    (FIRST + THEN, f"{SAYS}, caused by IndexError: list index out of range (job.py, line 3)"),
    (FIRST + MEANWHILE, f"{SAYS}, while handling IndexError: list index out of range (job.py, line 3)"),
    (
        FIRST + MEANWHILE + THEN,
        f"{SAYS}, while handling IndexError: list index out of range (job.py, line 3)",
    ),
    (INSIDE + MEANWHILE + THEN, f"{SAYS}, caused by {SAYS}"),
    (INSIDE + THEN, f"{SAYS}, caused by IndexError: list index out of range"),
    (INSIDE + MEANWHILE, SAYS),
    (
        INSIDE + WRAPPED,
        "mylib.errors.LibraryError: the query failed: (job.py, line 12), caused by IndexError: list index out of range",
    ),
    (
        INSIDE
        + WRAPPED.replace(
            "mylib.errors.LibraryError: the query failed:", "IndexError: list index out of range"
        ),
        "IndexError: list index out of range (job.py, line 12)",
    ),
    (PY4J + THEN, f"{SAYS}, caused by ZeroDivisionError: division by zero (job.py, line 5)"),
    (CHAIN_OF_A_TASK, f"{SAYS}, caused by ZeroDivisionError: division by zero (job.py, line 5)"),
    (
        OF_LIBRARIES,
        (
            "RuntimeError: Error during deserialization of the task graph. This frequently occurs if the Scheduler and Client "
            "have different environments. (job.py, line 41), caused by AttributeError: Can't get attribute 'content' on "
            "<module 'distributed.cli.dask_scheduler'>"
        ),
    ),
    (FIRST + PY4J, "ZeroDivisionError: division by zero (job.py, line 5)"),
]


@pytest.mark.parametrize(("log", "why"), CHAINS)
def test_an_exception_names_the_one_from_which_it_was_raised(log: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(SHUTDOWN + log + SHUTDOWN)
    assert cause(tmp_path / "log")[0] == why


@pytest.mark.parametrize(
    ("log", "why"),
    [
        (JAVA, "java.lang.IllegalStateException: bucket 7 is missing"),
        (PYTHON, "IndexError: list index out of range (job.py, line 3)"),
        (PY4J, "ZeroDivisionError: division by zero (job.py, line 5)"),
        (OWN_CLASS, "NoConvergence: loss is nan after epoch 3 (train.py, line 4)"),
        (PLAIN, "Exception: loss is nan after epoch 3 (train.py, line 4)"),
        (OF_A_LIBRARY, "subprocess.TimeoutExpired: loss is nan after epoch 3 (train.py, line 4)"),
        (LOWER, "struct.error: loss is nan after epoch 3 (train.py, line 4)"),
        (LOCAL, "main.<locals>.Stop: loss is nan after epoch 3 (train.py, line 4)"),
        (WITHOUT_TEXT, "queue.Empty (train.py, line 4)"),
        (DASK, "ZeroDivisionError: division by zero (dask_wait.py, line 11; in bad, line 10)"),
        (RAY, "NoConvergence: loss is nan after epoch 3 (train.py, line 4)"),
        (SPARK, "Exception: division by zero (job.py, line 5)"),
        (OF_A_TASK, "Wrong: division by zero (job.py, line 5)"),
        (JAVA_PLAIN, "java.lang.Exception: bucket 7 is missing"),
        (JAVA_ERROR, "java.lang.Error: bucket 7 is missing"),
        (CAUGHT, "java.net.ConnectException: Connection refused"),
        ("main class \n", ""),
        ("", ""),
    ],
)
@pytest.mark.parametrize("before", ["", OPTIONS, SHUTDOWN])
@pytest.mark.parametrize("after", ["", SHUTDOWN])
def test_it_is_found_among_other_lines(log: str, why: str, before: str, after: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(before + log + after)
    found, lines = cause(tmp_path / "log")
    assert found == why
    assert not why or any(why.partition(" (")[0] in line for line in lines)
    assert len(lines) <= 8
    assert not why or "INFO" not in "".join(lines)


def test_without_an_exception_the_last_lines_are_those_that_say_something(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(OPTIONS + "Error: Could not find or load main class x\n" + SHUTDOWN)
    line = "Error: Could not find or load main class x"
    assert cause(tmp_path / "log") == (line.removeprefix("Error: "), [line])
    (tmp_path / "log").write_text(f"{SHUTDOWN}Error: Failed to load class org.example.Wrong.\n{SHUTDOWN}")
    assert cause(tmp_path / "log")[0] == "Failed to load class org.example.Wrong"
    (tmp_path / "log").write_text(SHUTDOWN)
    assert cause(tmp_path / "log")[1] == SHUTDOWN.splitlines()[-8:]
    assert cause(tmp_path / "none") == ("", [])


def test_the_line_of_a_java_program_is_that_of_its_own_class() -> None:
    lines = JAVA.splitlines()
    assert ended(lines, {"Main"}).exception.endswith("bucket 7 is missing (Main.java, line 9)")
    assert ended(lines, {"Other"}).exception.endswith("bucket 7 is missing")
    nested = [
        line.replace("Main.work", "own.Main$Nested.work").replace("Main.main", "x.main") for line in lines
    ]
    assert ended(nested, {"own.Main"}).exception.endswith("(Main.java, line 9)")


def test_a_program_that_python_cannot_read_ends_with_its_line() -> None:
    lines = [
        "NOTE: Picked up",
        '  File "/home/me/job.py", line 3',
        "    def count(rows)",
        "          ^",
        "SyntaxError: expected ':'",
    ]
    found = ended(lines)
    assert found.exception == "SyntaxError: expected ':' (job.py, line 3)"
    assert (found.begin, found.end, found.certain) == (1, 5, True)
    assert not ended(["SyntaxError: somewhere in a message"]).certain
