"""Calibrations: which fit a run, what a run used of them, how they are kept, and what the command refuses."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from tests.fakes import fake_nodes
from tests.unit.calibration_fakes import CALIBRATION, DAY, HOST, NETWORK, NOW, STORAGE, of, stored
from tests.unit.test_model_attribution import WINDOW, readings
from weft.analysis.explain import datatime, limits
from weft.analysis.explain.datatime import Moved
from weft.analysis.explain.fitting import Used, chosen, misfit
from weft.analysis.explain.gauges import gauges
from weft.analysis.explain.timeparts import Limit
from weft.analysis.read.calibration import Calibration, LimitedLink, SchedulerRates
from weft.cli import app
from weft.errors import UsageError
from weft.facts import jobmetrics
from weft.host import settings
from weft.report.sections import ceilings as tables
from weft.report.sections import explain as drawn
from weft.run.calibration import linkrates, measures
from weft.run.ceilings import store

RUNNER = CliRunner()
OTHER = {"name": "elsewhere", "boot": "b"}


@pytest.mark.parametrize(
    ("change", "later", "why"),
    [
        ({}, DAY, ""),
        ({"name": "container", "boot": "c"}, DAY, ""),
        ({}, 31 * DAY, "31 days old, more than 30"),
        ({"boot": "b"}, DAY, "started again"),
        ({"kernel": "6.9"}, DAY, "kernel 6.8, now 6.9"),
        ({"processor": "Z80"}, DAY, "processor Epyc, now Z80"),
        ({"cores": 8}, DAY, "4 cores, now 8"),
        ({"memory": HOST.memory // 2}, DAY, "8 GB of memory, now 4 GB"),
        ({**OTHER, "processor": "Z80"}, DAY, "elsewhere is another machine"),
        ({**OTHER, "kernel": "6.9"}, DAY, "elsewhere is another machine"),
    ],
)
def test_a_calibration_is_refused_where_it_is_stale_or_of_another_machine(
    change: dict[str, object], later: float, why: str
) -> None:
    found = misfit(CALIBRATION, [HOST.model_copy(update=change)], NOW + later)
    assert why in found
    assert bool(found) == bool(why)


def test_a_host_that_was_not_measured_fits_if_it_is_like_one_that_was() -> None:
    assert misfit(CALIBRATION, [HOST, HOST.model_copy(update=OTHER)], NOW) == ""


def test_ceilings_are_of_the_same_storage_on_the_same_file_system() -> None:
    roles = {
        "scratch": stored(),
        "input": stored(file_system="xfs /dev/sdb"),
        "output": stored(settings={"kind": "memory"}),
    }
    found = chosen([CALIBRATION], [HOST], NOW, NETWORK, roles)
    assert found.roles == {"scratch": 0}
    assert found.storage("scratch") == STORAGE
    assert set(found.refused) == {"input", "output"}


def test_the_newest_calibration_of_each_storage_counts() -> None:
    older = CALIBRATION.model_copy(update={"created": NOW - DAY, "machine": "older"})
    without = CALIBRATION.model_copy(update={"storages": (), "links": ()})
    found = chosen([without, older], [HOST], NOW, NETWORK, {"scratch": stored()})
    assert found.calibration is not None
    assert found.calibration.machine == CALIBRATION.machine
    assert found.storage("scratch") == STORAGE
    assert found.calibration.links == CALIBRATION.links


LINKS = tuple(
    LimitedLink(rate=rate, connections=connections, wanted=wanted, got=got)
    for rate, connections, wanted, got in [
        ("", 1, 0, 8e9),
        ("50mbit", 1, 5e7, 4.9e7),
        ("50mbit", 16, 5e7, 5.05e7),
        ("10gbit", 1, 1e10, 7.5e9),
    ]
)


def test_what_arrived_over_limited_links_is_in_the_record_of_runs_with_the_same_rate() -> None:
    measured = CALIBRATION.model_copy(update={"rates": LINKS})
    found = chosen([measured], [HOST], NOW, {**NETWORK, "rate": "50mbit"}, {})
    assert found.calibration is not None
    assert found.calibration.rates == LINKS[1:3]
    sentence = limits.Ceilings(found).sentence
    assert (
        "Links of 50mbit: measured were 98.0% with 1 connection and 101.0% with 16 connections." in sentence
    )
    other = chosen([measured], [HOST], NOW, NETWORK, {})
    assert other.calibration is not None
    assert other.calibration.rates == ()


def test_the_table_of_limited_links_names_rates_that_the_cpus_cannot_drive() -> None:
    (section,) = (
        one
        for one in tables.sections(CALIBRATION.model_copy(update={"rates": LINKS}))
        if one.anchor == "rates"
    )
    (table,) = section.blocks
    assert [row[0] for row in table.rows] == ["no limit", "50mbit", "10gbit"]
    assert table.rows[1][1:] == ("0.049 Gbit/s  98.0%", "0.051 Gbit/s  101.0%")
    assert "10gbit with 1 connection: near or above what the CPUs drive" in table.note
    assert tables.out_of_reach(LINKS) == ["10gbit with 1 connection"]


def test_a_limit_counts_headers_and_so_does_what_arrived() -> None:
    link = linkrates.limited("1gbit", 1, 1e9 / 8 * 1448 / 1514)
    assert link.share == pytest.approx(1)
    assert linkrates.limited("", 16, 5.0).wanted == 0
    assert {linkrates.nodes(rate).count for rate in linkrates.RATES} == {2}


def test_a_network_of_another_rate_has_no_ceiling() -> None:
    found = chosen([CALIBRATION], [HOST], NOW, {**NETWORK, "rate": "1gbit"}, {})
    assert found.calibration is not None
    assert found.calibration.links == ()
    assert "network" in found.refused


@pytest.mark.parametrize("known", [[], [CALIBRATION.model_copy(update={"created": NOW - 99 * DAY})]])
def test_without_a_fitting_calibration_there_is_a_reason_and_no_gauge(known: list[Calibration]) -> None:
    found = chosen(known, [HOST], NOW, NETWORK, {"scratch": stored()})
    assert found.calibration is None
    assert list(found.refused) == ["machine"]
    assert gauges(readings({}), WINDOW, {}, found) == []
    assert limits.Ceilings(found).sentence.startswith("No measured peaks: ")


def used() -> Used:
    return chosen([CALIBRATION], [HOST], NOW, NETWORK, {"scratch": stored()})


def measured(rates: dict[str, float]) -> dict[str, Limit]:
    samples = readings({("node1", "", name): rate for name, rate in rates.items()})
    return {gauge.name: gauge for gauge in gauges(samples, WINDOW, {"node1": 2, "node2": 2}, used())}


def test_a_gauge_is_an_observed_rate_over_its_ceiling() -> None:
    (gauge,) = measured({"fileops.scratch.open.count": 31_000}).values()
    assert (round(gauge.observed), round(gauge.ceiling), round(gauge.share, 3)) == (31_000, 45_000, 0.689)
    assert gauge.parts == ("metadata: scratch",)
    assert limits.at(gauge) == ", the server at 69 % of its rate"


def test_a_page_shows_its_gauges_and_which_calibration_they_are_of() -> None:
    ceilings = limits.ceilings(
        readings({("node1", "", "fileops.scratch.open.count"): 31_000}),
        jobmetrics.empty().tasks,
        WINDOW,
        {},
        used(),
    )
    limit = ceilings.of_part("metadata: scratch")
    assert limit is not None
    assert drawn.gauge(limit) == "31,000 of 45,000 operations a second (69 %), peak 31,000"
    assert limits.advice(limit)[0].startswith("more slots, or fewer calls: the server is at 69 %")
    assert limits.advice(limit.model_copy(update={"share": 0.9}))[0].startswith(
        "fewer calls or a faster service"
    )
    (launched,) = limits.advice(limit.model_copy(update={"unit": "tasks", "service": "the scheduler"}))
    assert launched == "the scheduler is at 69 % of its rate, so the start of each task is waited for"
    assert ceilings.of_part("processor") is None
    assert ceilings.sentence.startswith("Measured peaks by the calibration of here, ")


def test_operations_of_several_kinds_share_the_server() -> None:
    (gauge,) = measured({"fileops.scratch.open.count": 22_500, "fileops.scratch.stat.count": 45_000}).values()
    assert gauge.share == pytest.approx(0.5 + 0.5)
    assert gauge.ceiling == pytest.approx(67_500)


def test_stats_of_names_that_do_not_exist_have_a_ceiling_of_their_own() -> None:
    done = {"fileops.scratch.stat.count": 9100, "fileops.scratch.stat.errors": 100}
    (gauge,) = measured(done).values()
    assert gauge.share == pytest.approx(9000 / 90_000 + 100 / 1000)


@given(st.floats(0.1, 1e6), st.integers(1, 9))
def test_seconds_without_calls_do_not_lower_a_gauge(rate: float, busy: int) -> None:
    always = readings({("node1", "", "fileops.scratch.open.count"): rate})
    some = readings({("node1", "", "fileops.scratch.open.count"): rate}, until=busy)
    one, other = (gauges(samples, WINDOW, {}, used())[0] for samples in (always, some))
    assert one.observed == pytest.approx(other.observed)


def test_cpus_and_links_have_gauges() -> None:
    found = measured({"cpu_user": 1.5, "cpu_system": 0.5, "net_send": 5e8})
    assert found["CPUs"].share == pytest.approx(0.5)
    assert found["network: sent by node1"].share == pytest.approx(0.5)


def test_tasks_are_compared_with_the_scheduler_of_the_same_engine() -> None:
    rates = SchedulerRates(engine="spark", slots=4, tasks_per_second=of(200))
    known = [CALIBRATION.model_copy(update={"schedulers": (rates,)})]
    begun = np.repeat(np.arange(10), 50) + 0.5
    for engine, ceilings in (("spark", [200]), ("flink", [])):
        found = chosen(known, [HOST], NOW, NETWORK, {}, engine)
        assert [gauge.ceiling for gauge in gauges(readings({}), WINDOW, {}, found, begun)] == ceilings
    (gauge,) = gauges(readings({}), WINDOW, {}, chosen(known, [HOST], NOW, NETWORK, {}, "spark"), begun)
    assert gauge.share == pytest.approx(0.25)


def test_a_storage_that_each_host_has_does_more_on_more_hosts() -> None:
    own = STORAGE.model_copy(update={"scope": "host"})
    here = Used(
        calibration=CALIBRATION.model_copy(update={"storages": (own,)}), hosts=3, roles={"scratch": 0}
    )
    (gauge,) = gauges(readings({("node1", "", "fileops.scratch.open.count"): 1000}), WINDOW, {}, here)
    assert gauge.ceiling == pytest.approx(3 * 45_000)
    assert gauge.service == "the storage"


def test_data_calls_are_split_by_latency_and_bandwidth() -> None:
    whole = datatime.split([Moved("read", 10.0, 1000, 1e6)], STORAGE)
    # 1,000 reads of 1 MB: 1,000 x 2 ms of latency, 1 GB at 200 MB/s, and 3 s that neither explains
    assert whole == pytest.approx({"latency": 0.2, "bandwidth": 0.5, "beyond both": 0.3})
    assert datatime.split([Moved("read", 1.0, 1000, 1e6)], STORAGE)["latency"] == pytest.approx(1.0)
    assert datatime.split([Moved("sync", 1.0, 10, 0)], STORAGE) == {}


@given(st.floats(1e-3, 1e4), st.floats(0, 1e6), st.floats(0, 1e9))
def test_the_shares_of_data_calls_sum_to_all_of_them(seconds: float, calls: float, each: float) -> None:
    found = datatime.split([Moved("read", seconds, calls, each), Moved("sync", seconds, 1, 0)], STORAGE)
    assert not found or sum(found.values()) == pytest.approx(1.0)
    assert all(share >= 0 for share in found.values())


def test_callers_and_pairs_are_spread_over_nodes() -> None:
    assert [measures.spread(callers, 3) for callers in (1, 4, 16)] == [[1, 0, 0], [2, 1, 1], [6, 5, 5]]
    counts = [len(measures.pairs(fake_nodes(count))) for count in (1, 2, 3, 9)]
    assert counts == [0, 1, 3, 4]


def test_a_calibration_is_kept_by_machine_and_date_and_read_again() -> None:
    path = store.keep(CALIBRATION)
    assert path.parent.parent == settings.state() / "calibrations"
    assert store.newest() == CALIBRATION
    path.with_name("0.json").write_text("{")
    path.with_name("1.json").write_text(json.dumps({**json.loads(path.read_text()), "format": 99}))
    assert store.all_of() == [CALIBRATION]


def test_only_the_latest_calibrations_of_a_machine_are_kept() -> None:
    for day in range(25):
        store.keep(CALIBRATION.model_copy(update={"created": NOW + day * DAY}))
    assert len(store.all_of()) == 20
    assert store.newest().created == NOW + 24 * DAY


def test_the_latest_calibration_is_shown() -> None:
    error = RUNNER.invoke(app, ["calibrate", "--show"]).exception
    assert isinstance(error, UsageError)
    assert "weft calibrate" in error.hint
    store.keep(CALIBRATION)
    assert (
        Calibration.model_validate_json(RUNNER.invoke(app, ["calibrate", "--show", "--json"]).stdout)
        == CALIBRATION
    )
    text = RUNNER.invoke(app, ["calibrate", "--show"]).stdout
    assert "45,000" in text
    assert "Refused for runs on this machine: " in " ".join(text.split())
    assert "one service for all nodes" in text


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["--show", "--nodes", "local:1"], "--show measures nothing"),
        (["--scratch", "dsk"], "dsk"),
        (["--nodes", "moon:1"], "moon"),
        (["--scratch", "disk:/nowhere/at/all"], "/nowhere/at/all"),
        (["--scratch", "disk", "--scratch", "disk"], "twice"),
        (["--scratch", "null"], "has no files"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_anything_starts(arguments: list[str], what: str) -> None:
    error = RUNNER.invoke(app, ["calibrate", *arguments]).exception
    assert isinstance(error, UsageError)
    assert what in error.message


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.9997, "1 s"), (0.9994, "999 ms"), (9.997e-4, "1 ms"), (45e-6, "45 us"), (2.1e-3, "2.1 ms")]
)  # fmt: skip
def test_a_latency_has_three_digits_and_never_an_exponent(seconds: float, words: str) -> None:
    assert tables.latency(seconds) == words
