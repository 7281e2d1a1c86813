"""An application that a persistent cluster of Spark keeps ready: measured runs have its executors, and all others its cores."""

import json
import os
import re
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.local.conftest import Weft, in_phase
from tests.local.test_joined import HOLD, LONG, SORT, processes, tasks
from tests.needs import VIRTUAL, needs, require
from weft.adapters.engines.spark.ready import NAME
from weft.record import record

pytestmark = needs(*VIRTUAL)
DRIVER = "io.weft.spark.Ready"


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Weft]:
    """A cluster that keeps one, for all these tests."""
    require(*VIRTUAL)
    weft = Weft(tmp_path_factory.mktemp("ready"))
    done = weft("up", "--ready", "--name", "mine", "--engine", "spark", "--nodes", "virtual:2")
    assert done.returncode == 0, done.stderr
    yield weft
    assert weft("down", "--all").returncode == 0
    weft.end()
    assert weft.leftovers() == []


def waiting(weft: Weft, after: int = 0) -> int:
    """The number of the application that waits now, when it is not that one or one before it."""
    for _ in range(600):
        numbers = [int(path.name) for path in weft.home.glob("work/*/ready/*") if path.name.isdecimal()]
        if numbers and numbers[0] > after:
            return numbers[0]
        time.sleep(0.1)
    raise AssertionError("no application waits")


def found(weft: Weft, word: str) -> list[int]:
    """Java processes of this home whose command line has a word, also those with the mark of an application that is ready."""
    pids = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            text = path.read_text()
            named = path.with_name("comm").read_text().strip()
            if named == "java" and str(weft.home) in text and word in text:
                pids.append(int(path.parent.name))
    return pids


def test_runs_have_the_executors_that_were_there_and_count_their_own_tasks(ready: Weft) -> None:
    one, other = json.loads(ready(*SORT, "--repeat", "2", "--json").stdout)
    assert [one["verdict"], other["verdict"]] == ["VALID", "VALID"]
    assert [one["application"], other["application"]] == ["ready", "ready"]
    assert tasks(one) == tasks(other) > 0
    own = processes(one), processes(other)
    for names in own:
        # as the log names them
        assert len([name for name in names if re.search(r"CoarseGrainedExecutorBackend/\d+/app-", name)]) == 2
        assert any("SparkSubmit" in name for name in names)
        assert not any("Worker" in name or "Master" in name for name in names)
    assert own[0] & own[1] == set()
    (log,) = (Path(one["record"]) / "engine").iterdir()
    text = log.read_text()
    assert text.count('"SparkListenerExecutorAdded"') == 2
    assert NAME not in text.split('"SparkListenerApplicationStart"')[1].partition("\n")[0]
    events = {(e["event"], e.get("phase")): e["t"] for e in record.read(Path(one["record"])).events()}
    first = min(json.loads(line)["Timestamp"] for line in text.splitlines() if "ExecutorAdded" in line)
    assert first / 1000 >= events["phase-begin", "run"]
    assert len(list(Path(one["record"]).glob("logs/*/executors/*/*/stderr"))) == 2
    assert "were there before the run" in (Path(one["record"]) / "report.html").read_text()
    logs = {path.stem for path in ready.home.glob("runs/*persistent*/logs/node1/ready-*.log")}
    assert (
        "ready-1" not in logs
    )  # an application that ended well leaves its lines in the record of its run only
    shown = re.findall(r"progress: (\d+)", (Path(one["record"]) / "logs/node1/driver.log").read_text())
    assert max(map(int, shown)) == tasks(one)  # none of the application's own before


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--set", "method=raw"), "its own spark.executor.defaultJavaOptions, spark.shuffle"),
        (("--set", "spark.shuffle.compress=false"), ""),
    ],
)
def test_a_run_with_settings_of_its_own_has_an_application_of_its_own(
    ready: Weft, words: tuple[str, ...], says: str
) -> None:
    waiting(ready)
    of = ready.result(*SORT, *words)
    assert (of["verdict"], of["application"]) == ("VALID", "")
    assert says in " ".join(record.read(Path(of["record"])).head.gaps)
    assert tasks(of) > 0
    assert any("CoarseGrainedExecutorBackend" in name for name in processes(of))


def test_a_job_of_its_user_has_the_cores_at_once(ready: Weft) -> None:
    number = waiting(ready)
    script = ready.home / "hold.py"
    script.write_text(HOLD)
    process = ready.start("submit", "--to", "mine", str(script))
    ready.wait_for(process, (ready.home / "holds").exists)
    assert found(ready, DRIVER) == []
    process.terminate()
    process.communicate(timeout=60)
    waiting(ready, after=number)


def test_an_application_that_is_killed_is_replaced(ready: Weft) -> None:
    number = waiting(ready)
    (driver,) = found(ready, DRIVER)
    os.kill(driver, signal.SIGKILL)
    waiting(ready, after=number)
    assert ready.result(*SORT)["verdict"] == "VALID"


def test_ctrl_c_ends_the_application_with_its_run(ready: Weft) -> None:
    number = waiting(ready)
    process = ready.start(*LONG)
    ready.wait_for(process, lambda: in_phase(ready, "run"))
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    waiting(ready, after=number)
    assert len(found(ready, DRIVER)) == 1


def test_the_end_of_its_cluster_is_its_own(ready: Weft) -> None:
    waiting(ready)
    supervisor = json.loads(next(ready.home.glob("state/clusters/mine.json")).read_text())["supervisor"]
    os.kill(supervisor, signal.SIGKILL)
    for _ in range(300):
        if not found(ready, ""):
            break
        time.sleep(0.1)
    assert found(ready, "") == []
