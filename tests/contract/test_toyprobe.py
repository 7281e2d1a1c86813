"""A probe is its adapter, its line in KINDS, and its section: everything else looks them up."""

import importlib
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import fake_layout
from tests.unit.report_fakes import make_record
from weft.adapters import probes as adapters
from weft.analysis.summary.gather import summarize
from weft.host import settings
from weft.record import record
from weft.record.record import Stored
from weft.report.draw.blocks import Table, build
from weft.report.pages import page
from weft.report.pages.contents import makers
from weft.report.sections import probes as sections
from weft.spec.parse import parse

TOY = Path(__file__).parent / "toyprobe"
MAP = (settings.SOURCE / "docs" / "map.md").read_text()


@pytest.fixture(autouse=True)
def _load(monkeypatch: pytest.MonkeyPatch) -> None:
    """The probe, as if its files were in `src`."""
    made = importlib.import_module("tests.contract.toyprobe.adapters.load").LoadProbe
    monkeypatch.setitem(adapters.KINDS, "load", made)
    monkeypatch.setattr(sections, "__path__", [*sections.__path__, str(TOY / "sections")])


@pytest.fixture
def stored(tmp_path: Path) -> Stored:
    """A record of a run with it."""
    made = make_record(tmp_path / "run", head={"probes": ["load"]})
    with adapters.KINDS["load"]().watch(replace(fake_layout(), record=made.directory)):
        pass
    return record.read(made.directory)


def test_it_has_no_more_files_than_the_map_lists() -> None:
    section = MAP.partition("## Adding a probe")[2].partition("\n## ")[0]
    listed = re.findall(r"^\d\. `([^`]+)`", section, flags=re.MULTILINE)
    assert len(listed) <= 3
    own = {str(path.relative_to(TOY)).replace("load", "NAME") for path in TOY.rglob("*.py")}
    assert own <= {
        path.replace("report/sections/probes/", "sections/").replace("adapters/probes/", "adapters/")
        for path in listed
    }


def test_a_run_can_ask_for_it() -> None:
    assert parse({"workload": "terasort", "probes": ["load"]}).probes == ("load",)


def test_a_page_shows_what_it_left(stored: Stored) -> None:
    summary = summarize(stored)
    kept = json.loads((stored.directory / "load" / "host.json").read_text())
    assert summary.readings == {"load": {"host": kept}}
    (section,) = [each for each in build(makers(), summary) if each.title == "Load"]
    assert isinstance(section.blocks[0], Table)
    assert section.blocks[0].rows == [("host", *(f"{each:.2f}" for each in kept["minutes"].values()))]


def test_its_counter_is_in_the_table_of_all(stored: Stored) -> None:
    (counter,) = [each for each in summarize(stored).counters if each.name == "load"]
    assert (counter.source, counter.blind) == ("getloadavg", "who caused it")


def test_a_page_says_that_nobody_asked_for_it(tmp_path: Path) -> None:
    text = page.text(summarize(make_record(tmp_path / "other")))
    assert "the load (add it with --probe load)" in text


@pytest.mark.parametrize(
    ("damaged", "words"),
    [
        ('{"minutes": 3}', "could not be created"),
        ("[1]", "could not be created"),
        ("{", "readings of load cannot be read"),
    ],
)
def test_what_is_damaged_is_named_and_the_rest_is_shown(stored: Stored, damaged: str, words: str) -> None:
    (stored.directory / "load" / "host.json").write_text(damaged)
    text = page.text(summarize(stored))
    assert words in text
    assert "What was run" in text
