"""Streams with a slow operator, a skewed key, a slow link or a slow directory of checkpoints: `weft explain` says what it costs."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from figures import scores

from tests.local.conftest import Weft
from tests.needs import DELAYED, JAVA, VIRTUAL, needs
from tests.truth import programs
from tests.truth.answers import Explained, explained, in_calls, profile
from tests.truth.programs import PYTHON
from weft.analysis.summary import filecalls
from weft.analysis.summary.gather import summarize
from weft.record.record import read

pytestmark = [pytest.mark.long, needs(*VIRTUAL, *JAVA)]

RECORDS, BYTES = 2000, 20_000
"""More than what is on its way between two tasks, so that the source ends no sooner than the slower of them."""
DOSES = (0.0005, 0.001, 0.002, 0.004)
"""Seconds of a record."""
TOLERANCE = 0.1
"""Of a slope: what else the engine's threads do meanwhile."""
RATE, LENGTH = 100, 20
"""Rows a second, and for how many seconds."""


@pytest.fixture(scope="module")
def jar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return programs.jar("FlinkStream", "flink", tmp_path_factory.mktemp("stream"), "Spin")


def streamed(weft: Weft, jar: Path, *arguments: float, nodes: str = "virtual:2,cores=1") -> Explained:
    """The stream, whose operators are the busiest first."""
    words = [f"{each:.10g}" for each in arguments]
    return explained(weft, "submit", "--engine", "flink", "--nodes", nodes, "--", str(jar), *words)


def operators(answer: Explained) -> Sequence[Mapping[str, Any]]:
    found: Sequence[Mapping[str, Any]] = answer.table["operators"]
    return found


def test_the_busy_time_of_a_slow_operator_follows_and_who_feeds_it_waits(weft: Weft, jar: Path) -> None:
    given, busy = [], []
    for seconds in DOSES:
        answer = streamed(weft, jar, RECORDS, seconds, 0.5, BYTES)
        found = operators(answer)
        given.append(RECORDS * seconds)
        (slow,) = [row for row in weft.result("show", "last")["flink"] if "slow" in row["name"]]
        # Flink's clock runs on while a task waits for a CPU, and nearly all who wait for one are these
        busy.append(slow["busy"] - answer.seconds("run-queue wait"))
    assert "slow" in found[0]["name"]
    assert max(one["waits"] for one in found[1:]) > 0.5
    line = scores.slope(given, busy)
    assert abs(line.value - 1) <= TOLERANCE + 2 * (line.error or 0.0), list(zip(given, busy, strict=True))


def test_a_skewed_key_is_named_and_an_even_one_is_not(weft: Weft, jar: Path) -> None:
    text = "one has much more to do than others"
    for share, named in ((0.9, True), (0.5, False)):
        first, *_ = operators(streamed(weft, jar, RECORDS, DOSES[-1], share, BYTES))
        assert "slow" in first["name"]
        shown = " ".join(weft("explain", "last").stdout.split())
        assert (text in shown) == named, shown
        # its input ended, and two threads that share a slot are not counted twice
        assert "Its operators ran at the same time" in shown
        assert "No verdict" not in shown
        # two tasks compute as long as they have records, and the job as long as the one with more
        even = 1 / (2 * max(share, 1 - share))
        assert first["average"] / first["busy"] == pytest.approx(even, abs=0.1)


def test_a_slow_link_is_no_operator_that_is_busy(weft: Weft, jar: Path) -> None:
    streamed(weft, jar, 5000, 0, 0.5, 10_000, nodes="virtual:2,cores=1,rate=20mbit")
    shown = " ".join(weft("explain", "last").stdout.split())
    assert "No operator was busy most of the time" in shown
    assert "between them, such as the network" in shown


def test_the_busy_time_of_a_slow_function_of_pyspark_follows(weft: Weft) -> None:
    given, busy = [], []
    for seconds in (0.001, 0.002, 0.004):
        words = (f"{seconds:g}", f"{RATE}", f"{LENGTH}")
        answer = explained(
            weft, "submit", "--nodes", "virtual:1,cores=2", "--", str(PYTHON / "stream.py"), *words
        )
        first, *_ = [one for one in answer.table["operators"] if "driver" not in one["name"]]
        printed = (answer.record / "outcomes" / "stdout").read_text()
        (rows,) = re.findall(r"^rows (\d+)", printed, re.MULTILINE)
        given.append(int(rows) * seconds)
        busy.append(first["busy"] * LENGTH)
    line = scores.slope(given, busy)
    assert abs(line.value - 1) <= TOLERANCE + 2 * (line.error or 0.0), list(zip(given, busy, strict=True))


@needs(*DELAYED)
@pytest.mark.parametrize("engine", ["flink", "spark"])
def test_the_time_of_calls_on_checkpoints_follows_a_slow_directory(
    engine: str, weft: Weft, tmp_path: Path
) -> None:
    words = ("run", "nexmark", "--engine", engine, "--nodes", "local:1", "--service", "kafka:1")
    keys = {"queries": "q5", "rate": "500", "seconds": "20s", "window": "5s", "warmup": "5s"}
    words += tuple(word for key, value in keys.items() for word in ("--set", f"{key}={value}"))
    given, found = [], []
    for microseconds in (0, 5000, 10_000, 20_000):
        storage = profile(tmp_path, f"slow{microseconds}", metadata__round_trip_us=microseconds)
        done = weft(*words, "--output", storage, "--set", "probes=proc,engine,fileops,lustre")
        assert done.returncode == 0, done.stderr
        given.append(in_calls(weft.record(), "output", data=False))
        found.append(checkpoints(weft.record()))
    assert "output" in weft("explain", "last").stdout
    line = scores.slope(given, found)
    assert abs(line.value - 1) <= TOLERANCE + 2 * (line.error or 0.0), list(zip(given, found, strict=True))


def checkpoints(record: Path) -> float:
    """Seconds of the engine's calls on the files of its checkpoints, as `weft explain` shows them."""
    counters = filecalls.counted(summarize(read(record)).counters)
    calls = filecalls.table(counters, filecalls.engine(counters), filecalls.MEASURED)
    return sum(sums.seconds for (role, _), sums in calls.items() if role == "output")
