"""The arithmetic of attribution on real runs: what runs at the same time, in several cores, twice, or in a process of its own."""

from pathlib import Path

import pytest

from tests.local.conftest import Weft
from tests.needs import DELAYED, JAVA, VIRTUAL, needs
from tests.truth.answers import explained, in_calls, profile
from tests.truth.programs import jar, spin

pytestmark = [pytest.mark.long, *[needs(*VIRTUAL, *JAVA, *DELAYED)]]

SLOTS = ("--nodes", "virtual:1,cores=2")


def test_of_two_stages_at_once_each_has_its_own_time(weft: Weft, tmp_path: Path) -> None:
    """Two tasks of one executor: one computes for 8 s, the other one waits for the metadata server of its files."""
    storage = profile(tmp_path, "two", metadata__round_trip_us=5000)
    program = jar("SparkTwo", "spark", tmp_path, "Spin")
    found, without = (
        explained(weft, "submit", *SLOTS, "--scratch", storage, "--", str(program), "8", files)
        for files in ("400", "0")
    )
    # the JVMs make and remove directories too, outside of tasks
    given = in_calls(found.record, "scratch", data=False) - in_calls(without.record, "scratch", data=False)
    assert given > 4
    assert found.seconds("metadata: scratch") == pytest.approx(given, rel=0.1)
    by_stage = sorted(
        (row["parts"] for row in found.table["stages"]), key=lambda parts: parts.get("CPU", 0.0)
    )
    waits, computes = by_stage[-2:]
    assert waits["metadata: scratch"] == pytest.approx(given, rel=0.1)
    assert computes["CPU"] > 8
    assert computes.get("metadata: scratch", 0.0) < 0.1 * given
    assert found.share("unclassified") < 0.1


def test_a_task_of_two_cores_leaves_no_slot_empty(weft: Weft, tmp_path: Path) -> None:
    words = (*SLOTS, "--conf", "spark.task.cpus=2", "--", str(spin("spark", tmp_path)), *["4"] * 4)
    found = explained(weft, "submit", *words)
    assert found.table["slots"] == 1
    job = found.slot_time - found.seconds("no task: application start")
    empty = sum(found.seconds(f"no task: {why}") for why in ("stragglers", "too few tasks", "scheduling"))
    assert empty < 0.1 * job


def test_a_speculative_copy_leaves_a_straggler_one(weft: Weft, tmp_path: Path) -> None:
    """One task computes for 25 s and three for 1 s, so that Spark starts a copy of the first."""
    often = (
        "spark.speculation=true",
        "spark.speculation.interval=500ms",
        "spark.speculation.minTaskRuntime=1s",
    )
    conf = [word for setting in often for word in ("--conf", setting)]
    words = ("--nodes", "virtual:2,cores=2", *conf, "--", str(spin("spark", tmp_path)), "25", "1", "1", "1")
    found = explained(weft, "submit", *words)
    assert any("ran speculatively" in words for words in weft.result("show", "last")["recoveries"])
    assert found.largest_of_empty() == "no task: stragglers"


def test_reducers_that_fetch_little_do_not_wait_for_the_network(weft: Weft) -> None:
    """10 MB on one host: most of the time until the last fetch is the start of the JVM, and the wait for map tasks."""
    words = ("--nodes", "virtual:1,cores=2", "--size", "10MB", "--engine", "hadoop")
    found = explained(weft, "run", "terasort", *words)
    assert found.share("network") < 0.03
