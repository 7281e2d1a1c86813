"""Runs whose answer is known: what was made slow is what the explanation names. Orders and ratios, no times."""

from pathlib import Path

import pytest

from tests.local.conftest import Weft
from tests.needs import DELAYED, JAVA, VIRTUAL, needs
from tests.truth.answers import explained
from tests.truth.pairs import EQUAL, NODES, measured
from tests.truth.programs import jar, spin

UNCLASSIFIED = {"spark": 0.1, "flink": 0.2, "hadoop": 0.2}
"""Share without a name that is accepted."""

AT_ONCE = ("--set", "engine.conf.spark.locality.wait=0s")

pytestmark = [pytest.mark.long, *[needs(*VIRTUAL, *JAVA, *DELAYED)]]


def test_many_small_blocks_on_an_emulated_lustre_wait_for_metadata(weft: Weft) -> None:
    found = explained(weft, *EQUAL)
    assert found.largest_of_tasks() == "metadata: scratch"


@pytest.mark.parametrize("engine", ["spark", "flink", "hadoop"])
def test_terasort_computes(engine: str, weft: Weft) -> None:
    found = explained(weft, "run", "terasort", *NODES, "--size", "500MB", "--engine", engine)
    assert found.largest_of_tasks() == "CPU"
    assert found.share("unclassified") <= UNCLASSIFIED[engine]


@pytest.mark.parametrize("engine", ["spark", "flink", "hadoop"])
def test_a_skewed_stage_has_a_straggler(engine: str, weft: Weft, tmp_path: Path) -> None:
    seconds = ["40", "1"] if engine == "flink" else ["40", "1", "1", "1"]
    if engine == "hadoop":
        lines = tmp_path / "seconds"
        lines.write_text("\n".join([*seconds, ""]))
        seconds = [str(lines)]
    program = str(spin(engine, tmp_path))
    found = explained(weft, "submit", *NODES, "--engine", engine, "--", program, *seconds)
    assert found.largest_of_empty() == "no task: stragglers"


def test_an_executor_that_has_no_cached_partition_waits_for_locality(weft: Weft, tmp_path: Path) -> None:
    """One caches a partition, the other one twelve: the first is idle until the other launches its last, less than Spark waits."""
    on, job = ("submit", *NODES), ("--", str(jar("SparkLocal", "spark", tmp_path, "Spin")), "8", "0.4", "12")
    kept, given = explained(weft, *on, *job), explained(weft, *on, *AT_ONCE, *job)
    assert kept.largest_of_empty() == "no task: locality"
    assert "no task: locality" not in given.by_part
    promised = kept.wall * (1 - 1 / kept.bound("no task: locality"))
    assert promised / 2 < kept.after_start - given.after_start < promised * 1.5


def test_a_small_heap_keeps_the_garbage_collector_busy(weft: Weft) -> None:
    small, large = measured("GC", weft)
    assert small.largest_of_tasks() == "GC"
    assert small.seconds("GC") > 2 * large.seconds("GC")
