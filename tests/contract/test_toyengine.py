"""An engine is its adapter, its line in KINDS, and the folder of its facts: everything else looks them up."""

import importlib
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.prediction_jobs import at, groupby
from weft.adapters import engines as adapters
from weft.analysis.explain import stacks
from weft.analysis.predict.candidates import Situation, candidates
from weft.analysis.predict.target import Growth
from weft.analysis.read.sources import Sources
from weft.doctor import ports
from weft.facts import engines, threadkinds
from weft.host import settings
from weft.run.imports.importing import import_log

TOY = Path(__file__).parent / "toyengine"
MAP = (settings.SOURCE / "docs" / "map.md").read_text()


@pytest.fixture
def brook(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The engine, as if its files were in `src`."""
    name = "tests.contract.toyengine.engines.brook"
    monkeypatch.setitem(adapters.KINDS, "brook", importlib.import_module(name).BrookEngine)
    monkeypatch.setattr(engines, "__path__", [*engines.__path__, str(TOY / "facts")])
    monkeypatch.setattr(engines, "ALL", engines.listed())
    cached = (threadkinds._engines, threadkinds._of_program, stacks._rules, stacks._category, stacks._around)
    for each in cached:
        each.cache_clear()
    yield
    for each in cached:
        each.cache_clear()


def test_it_has_no_more_files_than_the_map_lists() -> None:
    section = MAP.partition("## Adding an engine")[2].partition("\n## ")[0]
    listed = re.findall(r"^\d\. `([^`]+)`", section, flags=re.MULTILINE)
    assert len(listed) <= 6
    own = {
        str(path.relative_to(TOY)).replace("brook", "NAME")
        for path in TOY.rglob("*.*")
        if path.suffix != ".pyc"
    }
    assert own <= {path.replace("facts/engines/", "facts/").removeprefix("adapters/") for path in listed}


@pytest.mark.usefixtures("brook")
def test_its_log_is_recognised_and_read(tmp_path: Path) -> None:
    log = tmp_path / "job"
    log.write_text("brook log\ntask\ntask\n")
    record = import_log(log, tmp_path / "runs")
    assert record.head.engine == "brook"
    assert Sources(record).metrics().tasks.height == 2


@pytest.mark.usefixtures("brook")
def test_its_threads_and_its_code_have_kinds() -> None:
    assert threadkinds.kind("BrookTask", "brook-serve-1") == "server"
    assert "task@BrookTask=java" in threadkinds.preload_rules()
    assert stacks.categorise(["com/brook/Task.run", "com/brook/Sort.quick"]) == "sort"


@pytest.mark.usefixtures("brook")
def test_its_ports_are_examined() -> None:
    assert ports.default_ports(1)[0][7999] == "brook's master"


@pytest.mark.usefixtures("brook")
def test_its_settings_are_advice() -> None:
    work = replace(groupby(), engine="brook")
    asked = Situation(work, at(4, growth=Growth()), {"nodes": {"kind": "virtual"}}, memory=64 << 30)
    found = {one.settings for one in candidates(asked) if one.family == "partitions"}
    assert "brook.partitions=32" in found
