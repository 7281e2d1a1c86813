"""Why jobs of Flink fail: each cause is caused on a real cluster, and named by the first line, with no other."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.local.causes import Cause, jar, params, persistent, require_named
from tests.local.conftest import Weft
from tests.needs import VIRTUAL, needs

pytestmark = needs(*VIRTUAL)
SMALL = (
    "--engine",
    "flink",
    "--nodes",
    "virtual:2,memory=3G,cores=1",
    "--set",
    "probes=null",
    "--set",
    "security=none",
    # a persistent cluster lets jobs wait for slots of others
    "--set",
    "engine.conf.slot.request.timeout=50 s",
)
QUICK = [
    Cause("closure", "closure-java", "a closure of the job holds an object that cannot be sent", words=("JAR", "closure"), node="node1"),
    Cause("class", "main-class", "the jar has no main class", words=("--class", "Nowhere", "JAR", "ok"), node="node1"),
]  # fmt: skip
SLOW = [
    Cause("exception", "", r"ArithmeticException: / by zero \(FlinkCauses.java, line \d+\)", words=("JAR", "exception")),
    Cause("heap", "task-heap", "the heap in which tasks run was full", words=("JAR", "heap")),
    Cause("direct", "direct-memory", "memory of a JVM outside of its heap was exhausted", words=("JAR", "direct")),
    Cause("file", "no-file", "the file /nonexistent/data.csv does not exist", words=("JAR", "file")),
    Cause("slots", "no-slot", "the job needs more slots than the TaskManagers have", words=("--option=-p", "--option=64", "JAR", "wide")),
    Cause("checkpoint", "checkpoints", "checkpoints did not complete in time", words=("--conf", "execution.checkpointing.timeout=1s", "JAR", "checkpoint")),
]  # fmt: skip
LAST = [
    Cause("crash", "jvm-crash", "native code in a JVM crashed: .*; the cluster 'causes' has ended", words=("JAR", "crash")),
]  # fmt: skip
"""After them the cluster has no TaskManager left."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Weft]:
    with persistent(tmp_path_factory.mktemp("flink"), *SMALL) as weft:
        yield weft


@pytest.fixture(scope="module")
def made(cluster: Weft) -> Path:
    """In the directory that the nodes see."""
    return jar(cluster.home, "Flink", "lib")


def of(cause: Cause, made: Path) -> Cause:
    return replace(cause, words=tuple(str(made) if word == "JAR" else word for word in cause.words))


@pytest.mark.parametrize("cause", params(QUICK))
def test_the_first_line_names_the_cause(cluster: Weft, made: Path, cause: Cause) -> None:
    require_named(cluster, of(cause, made))


@pytest.mark.long
@pytest.mark.parametrize("cause", params([*SLOW, *LAST]))
def test_a_cause_that_takes_longer_is_named_too(cluster: Weft, made: Path, cause: Cause) -> None:
    require_named(cluster, of(cause, made))
