"""Sums of counters by phase: what appears late, what falls into which phase, and whose it is."""

import polars
import pytest

from tests.unit.report_fakes import measure
from weft.analysis.read import counters
from weft.record import sampletable
from weft.record.samples import Sample

PHASES = (("start", 10.0), ("prepare", 20.0), ("run", 30.0), ("check", 40.0))


def frame(*found: Sample) -> polars.DataFrame:
    return polars.DataFrame(found, sampletable.SCHEMA, orient="row")


def opens(*readings: tuple[float, float], component: str = "engine") -> list[Sample]:
    return [measure("fileops.scratch.open.count").at(t, "n", "", value, component) for t, value in readings]


def sums(found: polars.DataFrame, counter: str = "fileops.count") -> dict[str, float]:
    mine = found.filter((polars.col("counter") == counter) & (polars.col("value") != 0))
    return dict(mine.select("phase", "value").iter_rows())


def test_a_counter_that_appears_late_keeps_its_first_value() -> None:
    others = [Sample(t, "n", "", "fileops.processes", 1.0, "engine") for t in (10, 20, 25, 30)]
    found = counters.by_phase(frame(*others, *opens((25, 8000), (30, 9000))), PHASES)
    assert sums(found) == {"run": 9000}


def test_a_reading_just_after_a_phase_closes_it() -> None:
    found = counters.by_phase(
        frame(*opens((10, 0), (19.5, 6), (20.004, 7), (21, 7), (30.004, 9), (40, 9))), PHASES
    )
    assert sums(found) == {"prepare": 7, "run": 2}


def test_a_counter_of_the_machine_counts_from_its_first_reading() -> None:
    cpu = [
        Sample(t, "host", "", "idle", value) for t, value in ((10.0, 5000.0), (20.0, 5010.0), (30.0, 5040.0))
    ]
    assert sums(counters.by_phase(frame(*cpu), PHASES), "idle") == {"prepare": 10, "run": 30}


def test_a_counter_of_the_run_counts_from_its_first_daemon() -> None:
    found = counters.by_phase(
        frame(*opens((10.1, 500), (20, 500), (30, 700))),
        (("storage", 5.0), *PHASES),
        of_run=["fileops.count"],
    )
    assert sums(found) == {"start": 500, "run": 200}


def test_components_are_apart() -> None:
    found = counters.by_phase(
        frame(*opens((10, 0), (20, 0), (30, 3)), *opens((10, 0), (20, 8), component="generator")), PHASES
    )
    assert sums(found.filter(polars.col("component") == "engine")) == {"run": 3}
    assert sums(found.filter(polars.col("component") == "generator")) == {"prepare": 8}


def test_work_after_the_last_phase_that_is_known_is_in_it() -> None:
    assert sums(counters.by_phase(frame(*opens((10, 0), (50, 4))), PHASES[:1])) == {"start": 4}


def test_a_level_is_its_highest_of_each_phase() -> None:
    memory = [
        Sample(t, "n", "", "memory", value)
        for t, value in ((9.0, 1.0), (12.0, 7.0), (18.0, 3.0), (25.0, 5.0))
    ]
    assert sums(counters.by_phase(frame(*memory), PHASES), "memory") == {"start": 1, "prepare": 7, "run": 5}


def test_a_sum_that_falls_is_no_negative_growth() -> None:
    assert sums(counters.by_phase(frame(*opens((10, 9), (20, 5), (30, 6))), PHASES)) == {"run": 1}


@pytest.mark.parametrize("phases", [PHASES, ()])
def test_no_readings_are_no_sums(phases: tuple[tuple[str, float], ...]) -> None:
    assert counters.by_phase(frame(), phases).is_empty()


def test_without_phases_all_is_one() -> None:
    assert sums(counters.by_phase(frame(*opens((10, 1), (20, 5))), ())) == {"": 4}
