"""Why jobs of MapReduce fail: each cause is caused on a real cluster, and named by the first line, with no other."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.local.causes import Cause, jar, params, persistent, require_named
from tests.local.conftest import Weft
from tests.needs import VIRTUAL, needs

pytestmark = needs(*VIRTUAL)
ENFORCED = "engine.conf.yarn.nodemanager.resource.memory.enforced=false"
"""Otherwise Hadoop 3.5 leaves the memory of containers to control groups of its own, which need a privileged program."""
SMALL = (
    "--engine",
    "hadoop",
    "--nodes",
    "virtual:2,memory=3G,cores=1",
    "--set",
    "probes=null",
    "--set",
    "security=none",
    "--set",
    ENFORCED,
)
ALLOCATES = ("--conf", "mapreduce.map.java.opts=-Xmx300m -XX:MaxDirectMemorySize=4g")
QUICK = [
    Cause("input", "no-input", "the input file:/nonexistent/in does not exist", words=("JAR", "exception", "/nonexistent/in"), node="node1"),
    Cause("large", "no-container", "a container asks for more cores or memory than any node has", words=("--conf", "mapreduce.map.memory.mb=900000", "JAR", "exception", "IN")),
]  # fmt: skip
SLOW = [
    Cause("exception", "", r"IllegalStateException: no such customer: hello \(HadoopCauses.java, line \d+\)", words=("JAR", "exception", "IN")),
    Cause("heap", "task-heap", "the heap in which tasks run was full", words=("JAR", "heap", "IN")),
    Cause("exit", "container-exit", "a container was lost: it ended with exit code 9", words=("JAR", "exit", "IN")),
    Cause("container", "container-memory", "a container used more memory than it may, and YARN killed it", words=(*ALLOCATES, "JAR", "container", "IN")),
]  # fmt: skip


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Weft]:
    with persistent(tmp_path_factory.mktemp("hadoop"), *SMALL) as weft:
        (weft.home / "in.txt").write_text("hello\n")
        yield weft


@pytest.fixture(scope="module")
def made(cluster: Weft) -> Path:
    """In the directory that the nodes see."""
    return jar(cluster.home, "Hadoop", "lib")


def of(cause: Cause, made: Path, home: Path) -> Cause:
    words = {"JAR": str(made), "IN": str(home / "in.txt")}
    return replace(cause, words=tuple(words.get(word, word) for word in cause.words))


@pytest.mark.parametrize("cause", params(QUICK))
def test_the_first_line_names_the_cause(cluster: Weft, made: Path, cause: Cause) -> None:
    require_named(cluster, of(cause, made, cluster.home))


@pytest.mark.long
@pytest.mark.parametrize("cause", params(SLOW))
def test_a_cause_that_takes_longer_is_named_too(cluster: Weft, made: Path, cause: Cause) -> None:
    require_named(cluster, of(cause, made, cluster.home))
