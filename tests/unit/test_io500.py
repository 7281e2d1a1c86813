"""IO500's submissions: the table, the profiles that are made of it, and what predictions take from both."""

import tomllib
from dataclasses import replace

import pytest
from pydantic import ValidationError

from tests.unit.prediction_jobs import at, groupby, model
from weft.adapters.storage.delayed import DelayedStorage
from weft.analysis.predict import curve, published
from weft.analysis.predict.machine import service
from weft.analysis.predict.storagemodel import UNLIMITED, StorageModel
from weft.api import machines
from weft.cli import completing
from weft.errors import UsageError
from weft.facts.io500 import figures, percentiles, profile, submissions
from weft.facts.io500.kinds import KINDS
from weft.facts.io500.phases import CREATE, CREATE_IN_ONE, PHASES, READ_IN_ONE, STAT
from weft.host import settings
from weft.host.work import WorkDirectory
from weft.report.draw.blocks import Table
from weft.report.pages import io500

EVERY = submissions.all_of()
WHOLE = [one for one in EVERY.values() if {*PHASES} - {"find"} <= {*one.rates}]


def test_each_row_has_its_figures_once_and_says_where_from() -> None:
    assert len(EVERY) == 330
    assert len({one.path for one in EVERY.values()}) == len(EVERY)
    assert all(one.path.endswith("/result_summary.txt") and one.rates for one in EVERY.values())
    assert [one.name for one in EVERY.values() if one.processes and one.nodes > one.processes] == []


def test_a_row_is_what_its_file_says() -> None:
    """Helios, the first file of the repository."""
    one = submissions.of("helios")
    assert (one.kind.name, one.year, one.nodes, one.processes) == ("lustre", 2024, 80, 640)
    assert one.rates[CREATE] == pytest.approx(119113.15)
    assert one.rates["ior-easy-write"] == pytest.approx(352.803032 * 2**30)
    assert one.took(CREATE) == pytest.approx(640 / 119113.15)


def test_kinds_are_by_the_names_that_submitters_give() -> None:
    named = {"EXAScaler": "lustre", "lustre02": "lustre", "Spectrum scale": "gpfs", "OCI-SpectrumScale": "gpfs",
             "BeeGFS-NVMesh": "beegfs", "GekkoFS": "gekkofs", "Vast": "other"}  # fmt: skip
    by_name = {one.file_system: one.kind.name for one in EVERY.values()}
    assert {name: by_name[name] for name in named} == named


@pytest.mark.parametrize(
    ("name", "hint"),
    [("helois", "did you mean 'helios'"), ("aurora", "aurora-2023-300-31200"), ("zzz", "lists all 330")],
)
def test_an_unknown_name_suggests_near_ones(name: str, hint: str) -> None:
    with pytest.raises(UsageError, match=f"no submission to IO500 is named '{name}'") as caught:
        submissions.of(name)
    assert hint in caught.value.hint


@pytest.mark.parametrize("name", percentiles.PERCENTILES)
def test_a_profile_is_what_the_command_writes(name: str) -> None:
    assert (settings.profiles() / f"{name}.toml").read_text() == percentiles.text(name), "run tools/profiles"


@pytest.mark.parametrize("name", percentiles.PERCENTILES)
def test_every_value_of_a_profile_names_its_row_or_says_what_it_is(name: str) -> None:
    table = tomllib.loads(percentiles.text(name))
    rated = {"metadata.rate", "directory.rate", "op.lookup", "op.open", "op.unlink", "data.shared_bandwidth"}
    for key, one in table["values"].items():
        assert ("/result_summary.txt" in one["source"]) >= (key in rated), key
        assert key in rated or len(one["source"]) > 20


def test_percentiles_are_in_order_and_calls_take_less_where_rates_are_high() -> None:
    slow, middle, fast = (figures.of_percentile("lustre", percent) for percent in (10, 50, 90))
    for phase in PHASES:
        assert slow.rates[phase].value <= middle.rates[phase].value <= fast.rates[phase].value
        assert slow.took[phase].value >= middle.took[phase].value >= fast.took[phase].value
    half = sum(one.rates[CREATE] <= middle.rates[CREATE].value for one in submissions.of_kind("lustre"))
    assert half == len(submissions.of_kind("lustre")) / 2


def test_a_profile_gives_back_the_rates_that_it_is_made_of() -> None:
    for one in WHOLE:
        found = profile.values(figures.of_submission(one))
        rate, in_one = found["metadata.rate"].value, found["directory.rate"].value
        seen = {
            CREATE: rate / _work(found, "create", "close"),
            STAT: rate / _work(found, "getattr"),
            CREATE_IN_ONE: in_one / found["op.create"].value[2],
            READ_IN_ONE: min(rate / _work(found, "open", "close"), in_one / found["op.open"].value[2]),
        }
        assert seen == pytest.approx({phase: one.rates[phase] for phase in seen}, rel=1e-3), one.name


def _work(found: profile.Values, *names: str) -> float:
    return float(sum(found[f"op.{name}"].value[1] for name in names))


def test_one_call_alone_takes_no_longer_than_among_others() -> None:
    for one in WHOLE:
        found = figures.of_submission(one)
        low, high = profile.bounds(found)
        assert 0 < low <= profile.alone(found).value <= high
        if one.processes:
            assert profile.alone(found).value <= found.took[CREATE].value / 2
    none = [kind.name for kind in KINDS.values() if kind.alone is None]
    assert none == ["beegfs", "daos", "gekkofs"]
    for name in none:
        assert "no figure of one process" in profile.alone(figures.of_percentile(name, 50)).source


def test_rates_that_are_not_published_are_named() -> None:
    found = figures.of_submission(submissions.of("helios"))
    without = replace(found, rates={phase: one for phase, one in found.rates.items() if phase != STAT})
    with pytest.raises(UsageError, match="has no rate of mdtest-easy-stat"):
        profile.values(without)
    only = {phase: found.rates[phase] for phase in (CREATE, STAT, "mdtest-easy-delete", READ_IN_ONE)}
    values = profile.values(replace(found, rates=only, took={}, of_node={}))
    assert values["directory.rate"].value == values["data.shared_bandwidth"].value == 0


@pytest.mark.parametrize("name", ["helios", "aurora-2023-300-31200", "bluestorm", "miyabi-g-2025-200", "scc"])
def test_a_submission_is_a_machine_with_its_file_system(name: str) -> None:
    found = machines.of_name(f"io500:{name}")
    one = submissions.of(name)
    there = service("mount:/scratch/me", found)
    assert there.rate == pytest.approx(one.rates[CREATE], abs=1)
    assert there.latencies[0] * 0.999 <= there.latency <= there.latencies[1] * 1.001
    assert there.emulator == 0
    assert service(one.kind.name, found).latency == there.latency
    assert service("pool+mount:/scratch/me", found).latencies == ()
    assert any("cores" in words for words in found.unknown)


def test_a_percentile_is_a_machine_too() -> None:
    found = machines.of_name("io500:lustre-fast")
    assert service("mount:/l", found).rate == pytest.approx(
        figures.of_percentile("lustre", 90).rates[CREATE].value, abs=1
    )
    assert not {*percentiles.PERCENTILES} & {*EVERY}


def test_an_emulated_submission_is_known_wherever_it_is_named() -> None:
    found = service("pool+delayed:io500:helios", machines.of_name("cori"))
    assert found.name == "pool+delayed:io500:helios"
    assert service("delayed:io500:helios", machines.of_name("cori")).emulator > 0
    with pytest.raises(UsageError, match="helois"):
        service("delayed:io500:helois", machines.of_name("cori"))


def test_many_names_in_one_directory_are_slower_than_in_many() -> None:
    one = StorageModel("one", latency=1e-6, directory_rate=100.0, directory_weights={"open": 1.0})
    many = replace(one, directory_rate=UNLIMITED)
    work = groupby(opens=20.0)
    crowded, free = (model(work).at(at(4, each)).seconds for each in (one, many))
    # 64 directories of each of Spark's nodes: 16 x 16 x 20 opens at 100 a second in each of 256 directories
    assert crowded == pytest.approx(free)
    slow = replace(one, directory_rate=1.0)
    assert model(work).at(at(4, slow)).seconds > 1.5 * free


def test_another_machine_has_a_wide_interval_around_what_is_not_known_of_it() -> None:
    start = model()
    there = published.of_name("helios")
    known = at(4, service("mount:/l", there))
    (here,) = curve.points(start, lambda _: known, [4])
    (elsewhere,) = curve.points(start, lambda _: replace(known, machine=there), [4])
    assert elsewhere.seconds == here.seconds
    assert elsewhere.high / elsewhere.low > 10 * here.high / here.low
    certain = replace(known, storages={"scratch": replace(service("mount:/l", there), latencies=())})
    (point,) = curve.points(start, lambda _: certain, [4])
    assert here.high > point.high
    assert here.low < point.low


def test_an_emulation_of_a_submission_is_checked_before_anything_runs() -> None:
    with pytest.raises(ValidationError, match="no submission to IO500 is named 'helois'"):
        DelayedStorage(profile="io500:helois")
    one = DelayedStorage(profile="io500:helios")
    place = one.sketch("scratch", [], WorkDirectory("run", settings.work()))
    assert place.emulated.endswith("profile io500:helios; no real Lustre was used")
    assert one.figures != DelayedStorage(profile="lustre").figures != ""


def test_names_are_completed() -> None:
    assert completing.machines("c") == ["clemson", "comet", "cori"]
    assert completing.machines("io") == ["io500:"]
    assert completing.machines("io500:helio") == ["io500:helios"]
    assert completing.storage("memory,pool+delayed:lustre-2") == ["memory,pool+delayed:lustre-2014"]
    assert completing.storage("delayed:io500:helio") == ["delayed:io500:helios"]
    assert completing.storage("mem") == ["memory"]
    assert completing.storage("nul") == [], "a kind that no user writes"


def test_the_listing_has_every_name() -> None:
    (table,) = io500.section(EVERY.values()).blocks
    assert isinstance(table, Table)
    assert [row[0] for row in table.rows] == list(EVERY)


@pytest.mark.parametrize(
    ("profile", "name"), [("lustre-2014", "Lustre"), ("gpfs", "GPFS"), ("orangefs", "OrangeFS")]
)
def test_what_is_imitated_has_its_name_in_the_warning(profile: str, name: str) -> None:
    place = DelayedStorage(profile=profile).sketch("scratch", [], WorkDirectory("run", settings.work()))
    assert place.emulated == f"latencyfs with the profile {profile}; no real {name} was used"
