"""What a worker of PySpark does, by its stack; the line that it writes; and the parts of its task's time."""

import importlib
import json
import os
import subprocess
import sys
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import polars
import pytest

from weft.adapters.probes.pythonworkers import MODULES
from weft.analysis.explain import pythontime, stacks
from weft.analysis.explain.pythontime import Spent, Worker, divided
from weft.text.entry import Entry

PYSPARK = "/opt/spark/python/lib/pyspark.zip/pyspark"
STANDARD = Path(os.__file__).parent
PANDAS = "/env/lib/python3.11/site-packages/pandas/core/frame.py"
JOB = "/home/user/job.py"
PROCESS = [(f"{PYSPARK}/worker.py", "main"), (f"{PYSPARK}/serializers.py", "dump_stream")]
CALLS_JOB = [*PROCESS, (f"{PYSPARK}/util.py", "wrapper")]


@pytest.fixture
def inside(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """The modules that run in a worker, and PySpark where its archive is."""
    monkeypatch.syspath_prepend(str(MODULES))
    package = types.ModuleType("pyspark")
    package.__file__ = f"{PYSPARK}/__init__.py"
    monkeypatch.setitem(sys.modules, "pyspark", package)
    return lambda name: importlib.import_module(f"weft_pyspark.{name}")


def frame_of(stack: Sequence[tuple[str, str]]) -> FrameType:
    """The leaf of a real stack of functions in these files, root first."""
    call: Callable[[], FrameType] = sys._getframe
    for file, name in reversed(stack):
        code = compile(f"def {name}():\n    return call()\n", file, "exec")
        space: dict[str, Any] = {"call": call}
        exec(code, space)
        call = space[name]
    return call()


@pytest.mark.parametrize(
    ("stack", "expected"),
    [
        ([(f"{PYSPARK}/worker.py", "main")], "init"),
        ([(f"{PYSPARK}/worker.py", "read_udfs"), (f"{PYSPARK}/cloudpickle/cloudpickle.py", "loads")], "init"),
        ([(f"{PYSPARK}/worker.py", "main"), ("<frozen importlib._bootstrap>", "_find_and_load"), (PANDAS, "frame")], "imports"),
        ([*CALLS_JOB, (JOB, "f"), ("<frozen importlib._bootstrap>", "_find_and_load")], "imports"),
        (PROCESS, "exchange"),
        (CALLS_JOB, "exchange"),
        ([*PROCESS, (f"{PYSPARK}/sql/conversion.py", "convert"), (PANDAS, "frame")], "exchange"),
        ([*CALLS_JOB, (JOB, "f")], "user"),
        ([*CALLS_JOB, (JOB, "f"), (PANDAS, "frame")], "user"),
        ([*CALLS_JOB, (JOB, "f"), (f"{STANDARD}/json/__init__.py", "loads")], "user"),
        ([*CALLS_JOB, (f"{STANDARD}/json/__init__.py", "loads")], "user"),  # rdd.map(json.loads)
        ([*PROCESS, ("/env/lib/python3.11/site-packages/own/model.py", "score")], "user"),
        ([*PROCESS, (f"{PYSPARK}/shuffle.py", "merge")], "user"),
    ],
)  # fmt: skip
def test_an_activity_is_known_by_its_stack(
    stack: list[tuple[str, str]], expected: str, inside: Callable[[str], Any]
) -> None:
    looker = inside("looker").Looker()
    # this test's own frames are below a worker's, and are the job's
    looker.known.update({frame.f_code.co_filename: "library" for frame in _below(sys._getframe())})
    assert looker.activity(frame_of(stack)) == expected


def _below(frame: FrameType | None) -> list[FrameType]:
    return [frame, *_below(frame.f_back)] if frame else []


FAKE = {
    "__init__.py": "",
    "taskcontext.py": """
class TaskContext:
    _taskContext = None
    def __init__(self, task): self.task = task
    def taskAttemptId(self): return self.task
    @classmethod
    def _setTaskContext(cls, context): cls._taskContext = context
""",
    "serializers.py": "def dump_stream(function):\n    return function()\n",
    "daemon.py": '''
import os, sys, time
from pyspark.taskcontext import TaskContext
from pyspark.serializers import dump_stream
JOB = """
import time
def f():
    end = time.thread_time() + 0.6
    while time.thread_time() < end: pass
    time.sleep(0.5)
"""
def loads():
    end = time.thread_time() + 0.4
    while time.thread_time() < end: pass
def worker(task, function):
    sys.path.insert(0, os.path.dirname(__file__) + "/../late")
    import slow
    TaskContext._setTaskContext(TaskContext(task))
    dump_stream(function)
    TaskContext._setTaskContext(None)
def manager():
    job = {}
    exec(compile(JOB, "/home/user/job.py", "exec"), job)
    pid = os.fork()
    if pid == 0:
        worker(7, job["f"])
        worker(8, loads)
        os._exit(0)
    os.waitpid(pid, 0)
if __name__ == "__main__":
    manager()
''',
}
"""A daemon that works as PySpark's does: it forks a worker, which serves two tasks."""


def written(tmp_path: Path, *before: str, **more: str) -> tuple[list[dict[str, Any]], str]:
    """The lines of the workers of a daemon with more variables, and what it printed."""
    for folder, files in (("pyspark", FAKE), ("late", {"slow.py": "import time\ntime.sleep(0.4)\n"})):
        (tmp_path / folder).mkdir()
        for name, text in files.items():
            (tmp_path / folder / name).write_text(text)
    (tmp_path / "lines").mkdir()
    path = os.pathsep.join([str(MODULES), *before, str(tmp_path)])
    own = {**os.environ, "PYTHONPATH": path, "WEFT_PYTHON_DIR": str(tmp_path / "lines"), **more}
    done = subprocess.run(
        [sys.executable, "-m", "pyspark.daemon", "pyspark.worker"],
        env=own, cwd=tmp_path / "lines", capture_output=True, text=True, check=True,
    )  # fmt: skip
    text = "".join(path.read_text() for path in (tmp_path / "lines").glob("*.jsonl"))
    return [json.loads(line) for line in text.splitlines()], done.stdout + done.stderr


def test_a_worker_writes_what_it_did_for_each_task(tmp_path: Path) -> None:
    (daemon, first, second), printed = written(tmp_path)
    assert printed == ""
    assert daemon["forks"]
    assert daemon["end"] >= daemon["begin"]
    assert (first["task"], first["first"], first["daemon"]) == (7, True, daemon["pid"])
    assert (second["task"], second["first"], second["pid"]) == (8, False, first["pid"])
    _, cpu, _, every = first["seconds"]["user"]
    assert cpu >= 0.6 - 0.1
    assert every >= cpu - 0.1
    assert first["seconds"]["user"][0] - cpu >= 0.5 - 0.1
    assert first["seconds"]["imports"][0] >= 0.4 - 0.1
    assert second["seconds"]["exchange"][1] >= 0.4 - 0.1
    assert "user" not in second["seconds"]
    assert first["peak"] > 1_000_000


def test_stacks_of_workers_are_where_those_of_jvms_are(tmp_path: Path) -> None:
    folder = tmp_path / "profile" / "node1" / "engine"
    folder.mkdir(parents=True)
    (_, first, _), _ = written(tmp_path, WEFT_PYTHON_STACKS=str(folder))
    (process,) = stacks.read(Entry(tmp_path / "profile"))
    assert (process.node, process.pid) == ("node1", str(first["pid"]))
    (user,) = [each for each in process.stacks if each.thread == "user"]
    assert user.frames[-2:] == ("serializers.py:dump_stream", "job.py:f")
    found = stacks.profile([process])
    assert found.columns["Python workers"]["user code"] >= 0.4
    assert found.of_tasks() == (), "they are not of the JVMs' CPU time"


def test_a_module_of_the_same_name_is_run_as_well(tmp_path: Path) -> None:
    """A site's own sitecustomize, which weft's hides."""
    own = tmp_path / "own"
    own.mkdir()
    (own / "sitecustomize.py").write_text("print('of the site')\n")
    lines, printed = written(tmp_path, str(own))
    assert printed == "of the site\n"
    assert len(lines) == 3


def test_other_programs_are_left_alone(tmp_path: Path) -> None:
    own = {**os.environ, "PYTHONPATH": str(MODULES), "WEFT_PYTHON_DIR": str(tmp_path)}
    names = "import sys; print([name for name in sys.modules if name.startswith('weft')])"
    done = subprocess.run([sys.executable, "-c", names], env=own, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert list(tmp_path.iterdir()) == []


def test_a_job_runs_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "pyspark").mkdir()
    for name, text in FAKE.items():
        (tmp_path / "pyspark" / name).write_text(text)
    (tmp_path / "pyspark" / "daemon.py").write_text("print('runs')\n")
    path = os.pathsep.join([str(MODULES), str(tmp_path)])
    own = {**os.environ, "PYTHONPATH": path, "WEFT_PYTHON_DIR": str(tmp_path / "nowhere")}
    argv = [sys.executable, "-m", "pyspark.daemon", "pyspark.worker"]
    done = subprocess.run(argv, env=own, capture_output=True, text=True, check=True)
    assert done.stdout == "runs\n"
    assert "what this Python worker does is not seen" in done.stderr


def worker(**values: Any) -> Worker:
    return Worker("app", "0", 5, 100.0, 120.0, **values)


def test_what_is_on_no_cpu_is_the_jobs_wait_in_its_code_and_the_jvms_work_in_the_exchange() -> None:
    spent = {
        "user": Spent(10.0, 4.0, 1.0, 6.0),
        "exchange": Spent(8.0, 2.0, 0.5, 2.0),
        "imports": Spent(3.0, 1.0, 0.25, 1.0),
        "init": Spent(20.0, 0.5, 0.25, 0.5),
    }
    assert divided(worker(task=1, spent=spent)) == {
        "Python: user code": 6.0,
        "Python: user code waiting": 3.0,
        "Python: exchange with the JVM": 2.0,
        "Python: start and imports": 3.25,
        "run-queue wait": 2.0,
    }


def test_a_line_is_its_tasks_and_the_daemons_start_is_the_first_tasks() -> None:
    tasks = polars.DataFrame({"app": ["app", "app"], "task": [1, 2], "begin": [90.0, 95.0]})
    weight = polars.Series([1.0, 0.5]).to_numpy()
    lines = [
        Worker("app", "0", 4, 89.0, 97.0),
        worker(task=1, daemon=4, first=True, spent={"user": Spent(2.0, 2.0, 0.0, 2.0)}),
        worker(task=2, daemon=4, first=True),
        worker(task=3, daemon=4, first=True),
    ]
    found = pythontime.of_tasks(lines, tasks, weight)
    assert found["Python: user code"].tolist() == [2.0, 0.0]
    assert found["Python: start and imports"].tolist() == [7.0, 1.0]
    assert pythontime.of_tasks(lines[:1], tasks, weight) == {}


def test_damaged_lines_are_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "node1" / "engine"
    folder.mkdir(parents=True)
    line = '{"pid": 1, "begin": 1, "end": 2, "task": 3, "seconds": {"user": [1, 1, 0, 1]}}'
    bad = [
        '{"pid": 1',
        '{"pid": "x", "begin": 1, "end": 2}',
        '{"pid": 1, "begin": 1, "end": 2, "seconds": [1]}',
        "7",
    ]
    (folder / "1.jsonl").write_text("\n".join([*bad, line, line[:40]]))
    (each,) = pythontime.read(Entry(tmp_path))
    assert (each.task, each.spent) == (3, {"user": Spent(1.0, 1.0, 0.0, 1.0)})
