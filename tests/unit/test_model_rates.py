"""Cumulative counters as rates."""

import polars
import pytest

from tests.unit.report_fakes import BEGIN, readings
from weft.analysis.read import rates
from weft.record import sampletable
from weft.record.samples import Sample


def frame(found: list[Sample]) -> polars.DataFrame:
    return polars.DataFrame(found, sampletable.SCHEMA, orient="row")


def test_a_sum_becomes_a_rate_and_a_level_stays() -> None:
    found = rates.of_nodes(frame(readings()), BEGIN)
    cpu = found.filter((polars.col("node") == "node1") & (polars.col("counter") == "cpu_user"))
    assert cpu["value"].to_list() == pytest.approx([0.5] * 10)
    assert cpu["t"].to_list()[0] == pytest.approx(2.9)
    memory = found.filter((polars.col("node") == "node1") & (polars.col("counter") == "memory"))
    assert memory["value"].to_list()[-1] == pytest.approx(1e9 + 10)


def test_a_sum_that_falls_is_no_negative_rate() -> None:
    found = rates.of_nodes(
        frame([Sample(t, "n", "", "disk_read", v) for t, v in ((0, 9), (1, 5), (2, 6))]), 0
    )
    assert found["value"].to_list() == [0.0, 1.0]


def test_readings_an_instant_apart_are_no_rate() -> None:
    found = rates.of_nodes(
        frame([Sample(t, "n", "", "disk_read", v) for t, v in ((0, 0), (1, 5), (1.01, 6))]), 0
    )
    assert found["value"].to_list() == [5.0]


def test_a_long_run_is_thinned_without_losing_bytes() -> None:
    found = rates.of_nodes(frame([Sample(float(t), "n", "", "net_send", t * 7.0) for t in range(5000)]), 0)
    assert found.height <= rates.POINTS + 1
    assert found["value"].to_list() == pytest.approx([7.0] * found.height)


def test_a_long_run_is_thinned_for_each_host_and_each_probe_that_reads_in_turn_with_others() -> None:
    found = rates.of_nodes(
        frame([Sample(t + late, node, "", "net_send", t * 7.0) for t in range(700) for node, late in (("a", 0.0), ("b", 0.3))]), 0
    )  # fmt: skip
    for node in ("a", "b"):
        own = found.filter(polars.col("node") == node)
        assert 200 <= own.height <= rates.POINTS + 1
        assert own["value"].to_list() == pytest.approx([7.0] * own.height)


def test_no_samples_are_no_rates() -> None:
    nothing = polars.DataFrame(schema=sampletable.SCHEMA)
    assert rates.of_nodes(nothing, 0).is_empty()
