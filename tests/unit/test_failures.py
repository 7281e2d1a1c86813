"""Why a program failed: what its logs name becomes a sentence with evidence and a remedy; a consequence is not the reason."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import fake_layout
from tests.unit.test_taste import ROOT
from weft.facts import failures
from weft.facts.failures import Role, named
from weft.layout.plan import Command, Layout
from weft.run.diagnosis import kernel
from weft.run.diagnosis.failed import failed
from weft.run.diagnosis.kernel import Kernel
from weft.run.diagnosis.observed import ObservedProgram
from weft.run.diagnosis.why import Why

UNSEEN = {
    "metaspace",
    "packages",
    "packages-form",
    "executor-lost-otherwise",
    "host-memory",
    "application-removed",
    "context-stopped",
    "jvm-memory",
    "slurm-memory",
    "slurm-ended",
}
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
LINES = {
    "java.io.IOException: No space left on device": "a file system was full",
    "java.lang.OutOfMemoryError: GC overhead limit exceeded": "the heap in which tasks run was full",
    "ModuleNotFoundError: No module named 'notthere'": "the Python of the workers has no module notthere",
    LOST: "executor 6 was lost: it was killed by signal 9 (SIGKILL)",
    "pyspark.errors.exceptions.captured.AnalysisException: [PATH_NOT_FOUND] Path does not exist: file:/in. SQLSTATE: 42K03":
    "the input file:/in does not exist",
    ": java.lang.NoSuchMethodError: 'void org.apache.spark.sql.execution.LogicalRDD.<init>(scala.collection.immutable.Seq, org.apache.spark.rdd.RDD)'":
    "a class or method is missing, or of another version: org.apache.spark.sql.execution.LogicalRDD.<init>",
    ": java.lang.IncompatibleClassChangeError: class org.apache.iceberg.spark.source.SparkView can not implement org.apache.spark.sql.connector.catalog.View, because it is not an interface":
    "a class or method is missing, or of another version: org.apache.iceberg.spark.source.SparkView",
}  # fmt: skip
"""Lines of real logs of Spark 4.3, with the sentence for each."""


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("[DATA_SOURCE_NOT_FOUND] Failed to find the data source: delta. Make sure the provider name is correct", "delta"),
        ("Can not load class uk.gov.moj.dash.linkage.JaroSimilarity, please make sure it is on the classpath.", "uk.gov.moj.dash.linkage.JaroSimilarity"),
    ],
)  # fmt: skip
def test_what_a_program_names_itself_comes_too_late_for_its_jvm(line: str, name: str) -> None:
    found = failures.named([line], "driver")
    assert found
    assert found.says == f"no jar of the driver has {name}"
    assert "--packages" in found.rule.hint


@pytest.mark.parametrize(("line", "says"), LINES.items())
def test_a_line_of_a_log_names_the_reason(line: str, says: str) -> None:
    found = named(["26/11/24 INFO Something: else", line], "task")
    assert found is not None
    assert (found.says, found.line) == (says, 1)
    assert found.rule.hint


def test_what_a_program_could_not_fetch_itself_is_no_map_output() -> None:
    lost = "org.apache.spark.storage.BlockFetchException: Failed to fetch block after 1 fetch failures"
    found = named([lost], "driver")
    assert found is not None
    assert found.rule.name == "fetch"
    assert named(["RuntimeError: Failed to fetch https://example.org/labels.csv"], "driver") is None


def test_the_heap_is_that_of_the_process_whose_log_it_is() -> None:
    line = "java.lang.OutOfMemoryError: Java heap space"
    roles: Sequence[Role] = ("driver", "task")
    assert [each.says if (each := named([line], role)) else "" for role in roles] == [
        "the driver's heap was full",
        "the heap in which tasks run was full",
    ]


def test_a_rule_that_nobody_has_caused_is_not_certain() -> None:
    for rule in failures.listed():
        found = rule.says.format_map(dict.fromkeys(rule.pattern.groupindex, "") | {"ended": ""})
        assert found
        assert rule.caused or rule.name in UNSEEN
    found = named(["java.lang.OutOfMemoryError: Metaspace"], "task")
    assert found is not None
    assert found.says.startswith("it looks like ")


def test_no_two_rules_have_one_name() -> None:
    names = [rule.name for rule in failures.listed()]
    assert len(names) == len(set(names))


def test_the_guide_has_every_rule() -> None:
    """The table is made of the rules: on a difference, its rows are in the message."""
    rows = ["| rule | what it says | how a test causes it |", "|---|---|---|"]
    for rule in failures.listed():
        says = re.sub(r"\{(ended|why)\}", "*REASON*", rule.says)
        says = re.sub(r"[: ]*\{(\w+)\}(\{\w+\})*", " *NAME*", says).strip()
        rows.append(f"| `{rule.name}` | {says} | {rule.caused.replace('|', '/')} |")
    table = "\n".join(rows)
    assert table in (ROOT / "docs" / "guide" / "failures.md").read_text(), table


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (137, "signal 9 (SIGKILL)"),
        (-15, "signal 15 (SIGTERM)"),
        (3, "exit code 3"),
        (52, "exit code 52"),
        (255, "255"),
    ],
)
def test_an_exit_code_is_what_a_shell_means_by_it(code: int, words: str) -> None:
    assert words in failures.ended(code)
    assert ("heap" in failures.ended(code, executor=True)) == (code == 52), "or a user's program"


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """A run of Spark on two nodes of this machine."""
    (tmp_path / "logs" / "node1").mkdir(parents=True)
    return replace(fake_layout(), record=tmp_path, engine="spark")


def observed(layout: Layout) -> ObservedProgram:
    return ObservedProgram(layout, Kernel(layout, {}), {})


def why(layout: Layout, output: str, log: str = "", code: int = 1, **executors: str) -> Why:
    """Of a Python job that printed this, whose driver logged that, on whose nodes executors wrote more."""
    (layout.record / "outcomes").mkdir(parents=True, exist_ok=True)
    printed, driver = layout.record / "outcomes" / "stdout", layout.log(layout.head, "driver")
    printed.write_text(output)
    driver.write_text(f"26/11/24 10:00:00 INFO SparkContext: started\n{log}")
    for name, text in executors.items():
        path = layout.record / "logs" / "node2" / "executors" / name / "stderr"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    return observed(layout).why(Command("driver", layout.head, [], {}), driver, printed, code)


@pytest.fixture(autouse=True)
def quiet_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "_asked", lambda _: {})


MAPPER = """\
NOTE: Picked up JDK_JAVA_OPTIONS: -XX:-UsePerfData
Traceback (most recent call last):
  File "/scratch/usercache/me/appcache/application_1/container_1_01_000003/./mapper.py", line 3, in <module>
    for line in sys.stdin: print(line.split()[9])
IndexError: list index out of range
"""
ATTEMPT = "26/11/24 10:00:09 INFO Job: Task Id : attempt_1_0001_m_000001_0, Status : FAILED\n"
PIPE = (
    "Error: java.lang.RuntimeException: PipeMapRed.waitOutputThreads(): subprocess failed with code 1\n"
    "\tat org.apache.hadoop.streaming.PipeMapRed.waitOutputThreads(PipeMapRed.java:326)\n"
)
ENDED = "26/11/24 10:00:09 INFO Job: Job job_1_0001 failed with state FAILED due to: Task failed task_1_0001_m_000001\n"


@pytest.mark.parametrize("log", [ATTEMPT + PIPE + ENDED, ENDED])
def test_a_mapper_of_hadoop_streaming_has_its_reason_in_its_own_log(layout: Layout, log: str) -> None:
    hadoop = replace(layout, engine="hadoop")
    found = why(hadoop, "packageJobJar: []\n", log, container_1_01_000003=MAPPER)
    assert (found.says, found.node) == ("IndexError: list index out of range (mapper.py, line 3)", "node2")
    assert found.evidence is not None
    assert found.evidence.where == "logs/node2/executors/container_1_01_000003/stderr:5"


def test_a_module_that_a_mapper_lacks_has_its_remedy(layout: Layout) -> None:
    lacks = MAPPER.replace(
        "IndexError: list index out of range", "ModuleNotFoundError: No module named 'nltk'"
    )
    found = why(replace(layout, engine="hadoop"), "", ATTEMPT + PIPE, container_1_01_000003=lacks)
    assert found.says == "the Python of the workers has no module nltk"


def test_a_mapper_without_a_reason_has_its_exit_code(layout: Layout) -> None:
    found = why(replace(layout, engine="hadoop"), "", ATTEMPT + PIPE, container_1_01_000003="no such word\n")
    assert found.says == "a mapper or reducer of Hadoop streaming failed: it ended with exit code 1"
    assert "stderr" in found.hint


def test_a_lost_executor_is_a_consequence_of_what_its_log_says(layout: Layout) -> None:
    found = why(
        layout, PY4J.format(LOST), first="x\njava.lang.OutOfMemoryError: Java heap space\n", second="fine\n"
    )
    assert (found.says, found.node) == ("the heap in which tasks run was full", "node2")
    assert found.evidence is not None
    assert found.evidence.where == "logs/node2/executors/first/stderr:2"
    assert (found.evidence.excerpt, found.evidence.rule) == (
        "java.lang.OutOfMemoryError: Java heap space",
        "task-heap",
    )
    assert "engine.executor_memory" in found.hint


def test_what_another_process_survived_is_not_the_reason(layout: Layout) -> None:
    gone = "26/11/24 10:00:01 WARN X: java.nio.file.NoSuchFileException: /scratch/blockmgr-1/shuffle_0_0_0.data\n"
    assert why(layout, PY4J.format(LOST), first=gone).says.startswith("executor 6 was lost")


def test_the_first_reason_in_time_is_the_reason(layout: Layout) -> None:
    late = "26/11/24 10:00:09 ERROR Executor: x\njava.lang.OutOfMemoryError: Java heap space\n"
    early = "26/11/24 10:00:05 ERROR Executor: x\njava.io.IOException: No space left on device\n"
    found = why(layout, PY4J.format(LOST), a=late, b=early)
    assert found.says == "a file system was full"
    assert found.evidence is not None
    assert found.evidence.time == "10:00:05"


def test_without_a_reason_elsewhere_the_consequence_is_the_message(layout: Layout) -> None:
    found = why(layout, PY4J.format(LOST), first="fine\n")
    assert found.says == "executor 6 was lost: it was killed by signal 9 (SIGKILL) (job.py, line 13)"
    assert not [line for line in found.lines if "pyspark.zip" in line]


def test_what_the_kernel_killed_comes_before_what_followed(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = "/sys/fs/cgroup/memory/weft-x-node2"
    nodes = [
        replace(node, cgroups=(Path(f"/sys/fs/cgroup/memory/weft-x-{node.name}"),)) for node in layout.nodes
    ]
    words = ["Memory cgroup out of memory: Killed process 9 (python3), UID 0"]
    asked = {"": {"kills": {f"{group}/memory.oom_control": 1}, "host": 1, "words": words, "full": {}}}
    monkeypatch.setattr(kernel, "_asked", lambda _: asked)
    found = why(replace(layout, nodes=nodes), PY4J.format(LOST), first="java.io.IOException: Broken pipe\n")
    assert "the kernel killed a process (python3)" in found.says
    assert found.node == "node2"
    assert found.evidence is not None
    assert found.evidence.rule == "memory-limit"


@pytest.mark.parametrize(
    ("engine", "remedy"),
    [
        ("spark", "PYSPARK_PYTHON=/path/of/python"),
        ("dask", "--set engine.packages=DIR"),
        ("ray", "--set engine.packages=DIR"),
        ("sail", "--engine spark"),
        ("flink", "--py-files FILE"),
    ],
)
def test_a_missing_module_has_the_remedy_of_its_engine(layout: Layout, engine: str, remedy: str) -> None:
    text = "Traceback (most recent call last):\n  File \"/home/me/job.py\", line 3, in <module>\nModuleNotFoundError: No module named 'dateutil'\n"
    found = why(replace(layout, engine=engine), text)
    assert found.says == "Python has no module dateutil (job.py, line 3)"
    assert remedy in found.hint
    assert "{" not in found.hint


def test_an_exception_of_the_programs_own_is_the_reason_whatever_executors_wrote(layout: Layout) -> None:
    text = 'Traceback (most recent call last):\n  File "/home/me/job.py", line 3, in <module>\nKeyError: 5\n'
    found = why(layout, text, first="java.lang.OutOfMemoryError: Java heap space\n")
    assert (found.says, found.hint) == ("KeyError: 5 (job.py, line 3)", "")
    assert found.evidence is not None
    assert found.evidence.where == "outcomes/stdout:3"


def test_an_exception_of_a_task_is_that_of_its_node(layout: Layout) -> None:
    address = layout.nodes[1].address
    text = PY4J.format(f"x.SparkException: Lost task 0.3 in stage 0.0 (TID 7) ({address} executor 6): java.lang.OutOfMemoryError: Java heap space")  # fmt: skip
    log = f"26/11/24 10:00:02 WARN TaskSetManager: Lost task 0.0 in stage 0.0 (TID 1) ({address} executor 6): x\n"
    found = why(layout, text, log)
    assert (found.says, found.node) == ("the heap in which tasks run was full (job.py, line 13)", "node2")


def test_one_task_that_fails_again_and_again_is_skewed(layout: Layout) -> None:
    lost = "WARN TaskSetManager: Lost task 2.{} in stage 1.0 (TID {}) (h executor 1): java.lang.OutOfMemoryError: Java heap space\n"
    log = "INFO TaskSetManager: Finished task 1.0 in stage 1.0 (TID 1) in 5 ms\n" + "".join(
        lost.format(i, i) for i in range(4)
    )
    log += "INFO TaskSetManager: Lost task 2.9 in stage 1.0 (TID 9) on h, executor 1: java.lang.OutOfMemoryError (Java heap space) [duplicate 1]\n"
    found = why(layout, PY4J.format(f"x.SparkException: {lost.format(3, 3).strip()}"), log)
    assert "5 times in task 2 of stage 1, of which 1 other ended" in found.says


def test_what_is_not_known_says_so_with_the_first_error_in_time(layout: Layout) -> None:
    log = "26/11/24 10:00:07 ERROR Late: second\n"
    found = why(
        layout, "", log, first="26/11/24 10:00:03 ERROR Early: first\n26/11/24 10:00:08 ERROR: third\n"
    )
    error = failed("job.py", Command("driver", layout.head, [], {}), found, 7, Path("driver.log"))
    assert error.message.startswith(
        "job.py failed on node1 with exit code 7: why is not known; the first error in time is"
    )
    assert error.tail[0] == "logs/node2/executors/first/stderr:1: 26/11/24 10:00:03 ERROR Early: first"


def test_an_executor_that_dies_because_the_program_ended_is_not_the_reason(layout: Layout) -> None:
    stop = "26/11/24 00:00:00 INFO SparkContext: Invoking stop() from shutdown hook\n"
    boots = 'NOTE: Picked up JDK_JAVA_OPTIONS: x\nException in thread "main" java.lang.reflect.UndeclaredThrowableException\n\tat x\n'
    found = why(layout, "the moon is full\n", stop, first=boots)
    assert found.evidence is not None
    assert found.evidence.excerpt == "the moon is full"


def test_an_error_of_another_process_before_the_program_ended_counts(layout: Layout) -> None:
    stop = "26/11/24 23:59:59 INFO SparkContext: Invoking stop() from shutdown hook\n"
    dies = "26/11/24 23:59:59 ERROR Worker: first\n26/11/24 23:59:59 INFO Worker: goes on\n"
    found = why(layout, "the moon is full\n", stop, first=dies)
    assert found.evidence is not None
    assert found.evidence.excerpt == "26/11/24 23:59:59 ERROR Worker: first"


def test_an_exception_that_was_caught_is_not_the_reason(layout: Layout) -> None:
    found = why(
        layout, "done so far\n", "java.net.SocketException: x\n26/11/24 10:00:09 INFO Client: trying again\n"
    )
    assert found.says == ""
    assert found.evidence is not None
    assert found.evidence.excerpt == "done so far"


def test_the_exception_that_ended_a_workload_is_before_its_last_line(layout: Layout) -> None:
    trace = "java.lang.IllegalStateException: part 3 has 7 bytes\n\tat io.weft.X.y(X.java:3)\n"
    found = why(layout, "", f"{trace}the work failed: java.lang.IllegalStateException: part 3 has 7 bytes\n")
    assert found.says == "IllegalStateException: part 3 has 7 bytes"


def test_what_failed_before_a_python_worker_ended_is_the_reason(layout: Layout) -> None:
    ended = PY4J.format("org.apache.spark.SparkException: Python worker exited unexpectedly (crashed)")
    prior = (
        "26/11/24 10:00:03 ERROR Executor: Exception in task 0.0 in stage 0.0 (TID 0)\n\tat x\nCaused by: "
    )
    found = why(layout, ended, first=f"{prior}java.io.IOException: not a gzip file\n")
    assert found.says == "an input file is damaged, or of another format"
    assert why(replace(layout, run="other"), ended, second="fine\n").evidence is not None


def test_a_jvm_that_crashes_leaves_no_exception(layout: Layout) -> None:
    printed = "#\n# A fatal error has been detected by the Java Runtime Environment:\n#\n# Problematic frame:\n# C  [libx.so+0x1]  f+0x2\n"
    found = why(layout, printed, code=134, first="java.lang.OutOfMemoryError: Java heap space\n")
    assert found.says == "native code in a JVM crashed: [libx.so+0x1]  f+0x2"
    assert found.evidence is not None
    assert found.evidence.where == "outcomes/stdout:2"


def test_a_killed_program_was_killed(layout: Layout) -> None:
    assert why(layout, "", code=137).says == "it was killed by signal 9 (SIGKILL)"
