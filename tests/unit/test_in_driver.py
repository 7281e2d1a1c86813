"""A program of Spark that sets a master of its own: its tasks run in the driver's process, whatever cluster there is."""

import json
from pathlib import Path

import pytest

from tests.unit.report_fakes import EVENTS, make_record, write_log
from weft.analysis.explain.sentences import FAILED_RUN, IN_DRIVER
from weft.analysis.predict import projection
from weft.analysis.summary.gather import summarize
from weft.errors import UsageError
from weft.record.record import Stored


def local(directory: Path, **head: object) -> Stored:
    """A record as `.master("local[*]")` leaves it: Spark's only executor is named after the driver."""
    stored = make_record(directory, head=head)
    text = json.dumps(EVENTS).replace('"Executor ID": "0"', '"Executor ID": "driver"')
    write_log(directory / "engine", json.loads(text.replace('"Executor ID": "1"', '"Executor ID": "driver"')))
    return stored


def test_the_explanation_says_that_nothing_ran_on_the_cluster(tmp_path: Path) -> None:
    found = summarize(local(tmp_path / "r")).explanation
    assert found
    assert IN_DRIVER in found.sentence
    assert (found.no_gain, found.findings) == (IN_DRIVER, ())
    cluster = summarize(make_record(tmp_path / "cluster")).explanation
    assert cluster
    assert (IN_DRIVER in cluster.sentence, cluster.no_gain) == (False, "")


def test_so_it_does_of_a_run_that_failed(tmp_path: Path) -> None:
    found = summarize(
        local(tmp_path / "r", verdict="INVALID", reason="the driver's heap was full")
    ).explanation
    assert found
    assert found.no_gain == f"{FAILED_RUN} {IN_DRIVER}"


def test_it_says_nothing_of_other_nodes(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="in the driver's process, none on the cluster"):
        projection.read(local(tmp_path / "r"))


def test_a_log_of_a_laptop_may_be_of_its_driver_alone(tmp_path: Path) -> None:
    found = summarize(local(tmp_path / "r", imported={"file": "app-1", "sha256": "0"})).explanation
    assert found
    assert not found.no_gain
