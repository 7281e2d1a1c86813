"""The probe of Cray DVS, on files in the form that DVS writes; no machine with DVS was available."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import fake_layout
from tests.unit.report_fakes import make_record
from weft.adapters.probes import dvs
from weft.adapters.probes.dvs import Count, DvsProbe
from weft.analysis.summary.gather import summarize
from weft.layout.node import Node
from weft.report.draw.blocks import Table
from weft.report.sections.probes.dvs import dvs_counters

STATS = """RQ_LOOKUP: {lookups} 2 0 0 0.000 0.008
RQ_OPEN: 300 0 0 0 0.000 1.250
RQ_UNLINK: 0 0 0 0 0.000 0.000
aio_read: 951107 8 0.000 15.004
open: 300 0 0.000 1.260
read_min_max: 0 65536
IPC requests: 5 0
Open files: 2
torn li"""


@pytest.fixture
def mounted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "mounts" / "0"
    folder.mkdir(parents=True)
    (folder / "mount").write_text("local-mount /scratch\nremote-path /lus\n")
    (folder / "stats").write_text(STATS.format(lookups=1000))
    monkeypatch.setattr(dvs, "ROOTS", (tmp_path / "mounts", tmp_path / "mount"))
    return folder / "stats"


@pytest.mark.usefixtures("mounted")
def test_both_kinds_of_lines_are_read() -> None:
    assert dvs.mounts() == {
        "/scratch": {
            "RQ_LOOKUP": Count(requests=True, ok=1000, errors=2, longest=0.008),
            "RQ_OPEN": Count(requests=True, ok=300, errors=0, longest=1.25),
            "RQ_UNLINK": Count(requests=True, ok=0, errors=0, longest=0),
            "aio_read": Count(requests=False, ok=951107, errors=8, longest=15.004),
            "open": Count(requests=False, ok=300, errors=0, longest=1.26),
        }
    }


def test_a_run_has_what_was_counted_during_it(mounted: Path, tmp_path: Path) -> None:
    stored = make_record(tmp_path / "record", head={"probes": ["dvs"]})
    nodes = [Node("node1", "10.0.0.1", 1, 1 << 30, tmp_path)]
    layout = replace(fake_layout(nodes), record=stored.directory)
    assert DvsProbe().missing(layout) is None
    with DvsProbe().watch(layout):
        mounted.write_text(STATS.format(lookups=1500))
    found = summarize(stored)
    assert found.readings["dvs"] == {
        "/scratch": {"RQ_LOOKUP": {"requests": True, "ok": 500, "errors": 0, "longest": 0.008}}
    }
    (table,) = dvs_counters(found).blocks
    assert isinstance(table, Table)
    assert table.rows == [("/scratch", "RQ_LOOKUP", "requests to servers", "500", "0", "0.008")]
    assert "dvs.count,1500,,,/scratch,RQ_LOOKUP," in (stored.directory / "samples.csv").read_text()


def test_a_machine_without_dvs_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dvs, "ROOTS", (tmp_path / "nowhere",))
    layout = fake_layout([Node("node1", "10.0.0.1", 1, 1 << 30, tmp_path)])
    assert DvsProbe().missing(layout) == "this machine has no file system of Cray DVS"
    away = fake_layout([Node("node1", "10.0.0.1", 1, 1 << 30, tmp_path, host="other")])
    assert "other hosts" in (DvsProbe().missing(away) or "")
