"""A profile from a calibration: what a call takes beyond the instrument, as latencyfs's model has it."""

import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.unit.calibration_fakes import NOW, STORAGE
from weft.analysis.read.calibration import FileOperation, OperationRate, StorageRates, TransferRate
from weft.cli import app
from weft.errors import UsageError
from weft.run.calibration import imitation

MS = 1e-3
OPERATIONS: tuple[FileOperation, ...] = ("create", "open", "stat", "lookup", "unlink", "read", "write")


def measured(alone: float, peak: float, **other: float) -> StorageRates:
    """Each operation takes `alone` seconds by itself, and 64 callers do `peak` a second."""
    rows = [
        OperationRate(
            operation=name, callers=callers, per_second=rate, latency=other.get(name, alone) * callers
        )
        for name in OPERATIONS
        for callers, rate in ((1, 1 / other.get(name, alone)), (64, peak))
    ]
    large = [TransferRate(operation=way, callers=1, bytes_per_second=4.096e6) for way in ("read", "write")]
    update = {"operations": tuple(rows), "transfers": tuple(large), "created": NOW}
    return STORAGE.model_copy(update=update)


def test_a_call_takes_its_round_trips_and_its_work_what_it_took_beyond_the_instrument() -> None:
    found = imitation.values(measured(3 * MS, 2000, open=5 * MS), measured(1 * MS, 9000))
    rate, trip = found["metadata.rate"].value, found["metadata.round_trip_us"].value * 1e-6
    assert (rate, trip) == (2000, pytest.approx(2 * MS))
    for key, seconds in {
        "op.create": 2 * MS,
        "op.lookup": 2 * MS,
        "op.open": 4 * MS,
    }.items():
        trips, work = found[key].value
        assert trips * trip + work / rate == pytest.approx(seconds, rel=1e-3)
        assert work / rate == pytest.approx(1 / 2000, rel=1e-3), "the most per second is the server's"
    assert found["data.round_trip_us"].value == pytest.approx(1000.0), "less the instrument and its bytes"


def test_a_call_that_takes_no_longer_than_the_instrument_costs_nothing() -> None:
    found = imitation.values(measured(2 * MS, 2000, stat=1 * MS), measured(1 * MS, 9000))
    assert found["op.getattr"].value == [0, 0]


def test_writes_that_are_faster_than_a_request_are_held_back() -> None:
    instrument = measured(1 * MS, 9000)
    held = imitation.values(measured(3 * MS, 2000, write=1.1 * MS), instrument)
    sent = imitation.values(measured(3 * MS, 2000), instrument)
    assert held["client.dirty_bytes"].value > 0
    assert sent["client.dirty_bytes"].value == 0


def test_it_is_a_profile_with_a_source_for_each_value(tmp_path: Path) -> None:
    text = imitation.text("mine", measured(3 * MS, 2000), measured(1 * MS, 9000))
    read = tomllib.loads(text)
    assert read["name"] == "mine"
    assert all(one["source"] for one in read["values"].values())


def test_a_storage_without_file_operations_is_refused() -> None:
    with pytest.raises(UsageError, match="no file operations"):
        imitation.values(STORAGE, STORAGE)


@pytest.mark.parametrize(
    "words",
    [["--profile", "mine.json"], ["--profile", "nowhere/mine.toml"], ["--show", "--profile", "a.toml"]],
)
def test_a_profile_has_a_file_and_one_storage(words: list[str]) -> None:
    done = CliRunner().invoke(app, ["calibrate", *words])
    assert isinstance(done.exception, UsageError)
