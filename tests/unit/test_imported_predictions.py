"""What is predicted of a log, of which nobody knows what its application did but by its name."""

from pathlib import Path

from tests.unit.test_imported_endings import spark
from weft.api import growing, machines, related
from weft.host import settings
from weft.record.record import Stored
from weft.run.imports.importing import import_log


def named(folder: Path, file: str) -> Stored:
    """A log of an application that has the name of one of weft's workloads."""
    log = folder / file
    log.write_text(spark().replace('"App Name":"PythonPi"', '"App Name":"groupby"'))
    return import_log(log, settings.runs())


def test_an_application_of_the_same_name_is_no_workload_of_weft(tmp_path: Path) -> None:
    stored = named(tmp_path, "app-1")
    found = growing.read(stored)
    assert stored.head.workload == "groupby"
    assert not found.growth.each
    assert not found.growth.by_slots(found.work)


def test_another_log_of_the_same_name_is_no_run_of_the_same_work(tmp_path: Path) -> None:
    one, other = named(tmp_path, "app-1"), named(tmp_path, "app-2")
    assert growing.read(other).name != growing.read(one).name
    assert related.of(one, ("workload", "engine", "host")) == []


def test_the_machine_of_a_log_is_not_the_one_that_imported_it(tmp_path: Path) -> None:
    stored = named(tmp_path, "app-1")
    assert machines.of_record(stored, growing.read(stored)).name == "the log's cluster"
