"""The probe of Lustre's counters: formats, samples, what it keeps, and its section in the report."""

import dataclasses
import json
from pathlib import Path

import pytest

from tests.fakes import fake_layout
from tests.unit.report_fakes import make_record, measure
from weft.adapters.probes import lustre
from weft.adapters.probes.lustre import HOST, CounterFile, LustreProbe, of_lctl, parse, readings
from weft.analysis.summary.gather import summarize
from weft.layout.node import Node
from weft.layout.places import Place
from weft.layout.plan import Layout
from weft.record import sampletable
from weft.record.samples import Measure
from weft.report.draw.blocks import Listing, Words
from weft.report.draw.blocks import Table as Shown
from weft.report.sections.probes.lustre import lustre_counters
from weft.text.entry import Entry

LLITE = """snapshot_time             1.5 secs.nsecs
read_bytes                2 samples [bytes] 4096 4096 8192 33554432
open                      3 samples [usec] 100 300 600 140000
"""
MD = "intent_lock               2 samples [reqs]\n"


def layout(tmp_path: Path, counters: str = "") -> Layout:
    nodes = [Node("node1", "10.0.0.1", 1, 1 << 30, tmp_path)]
    observed = {"lustre": counters} if counters else {}
    place = Place("delayed", "d", {"node1": "/x"}, shared=False, emulated="not real", observed=observed)
    return dataclasses.replace(
        fake_layout(nodes), places={"scratch": place}, directory=tmp_path, record=tmp_path / "record"
    )


def test_counters_are_read_with_and_without_sums() -> None:
    assert parse(LLITE) == {
        "read_bytes": {"count": 2, "unit": "bytes", "sum": 8192},
        "open": {"count": 3, "unit": "usec", "sum": 600},
    }
    assert parse(MD) == {"intent_lock": {"count": 2, "unit": "reqs", "sum": 0}}
    assert parse("torn li") == {}


def test_clients_of_one_node_add_up() -> None:
    found = readings(
        [CounterFile("scratch", "node1", "llite", LLITE), CounterFile("scratch", "node1", "llite", LLITE)]
    )
    assert {Measure(sample.counter, *sample[6:]): (sample.node, sample.value) for sample in found} == {
        measure("lustre.scratch.llite.read_bytes.count"): ("node1", 4),
        measure("lustre.scratch.llite.read_bytes.bytes"): ("node1", 16384),
        measure("lustre.scratch.llite.open.count"): ("node1", 6),
        measure("lustre.scratch.llite.open.seconds"): ("node1", pytest.approx(0.0012)),
    }


def test_lctl_prints_a_file_below_its_name() -> None:
    text = f"llite.scratch-ffff8800.stats=\n{LLITE}mdc.scratch-MDT0000-mdc-ffff.stats=\n{MD}"
    assert of_lctl(text) == [CounterFile(HOST, HOST, "llite", LLITE), CounterFile(HOST, HOST, "mdc", MD)]


def test_without_counters_it_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lustre, "real", list)
    assert "no storage of this run" in (LustreProbe().missing(layout(tmp_path)) or "")
    assert LustreProbe().missing(layout(tmp_path, str(tmp_path))) is None


def test_it_keeps_the_last_readings_and_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lustre, "real", list)
    counters, record = tmp_path / "counters", tmp_path / "record"
    for directory in (counters, record):
        directory.mkdir()
    laid = layout(tmp_path, str(counters))
    with LustreProbe().watch(laid):
        (counters / "llite.node1.stats").write_text(LLITE)
        (counters / ".llite.node1.part").write_text("torn")
        (counters / "faults.json").write_text(
            '{"faults": [{"spec": "eio:read:0.1", "seen": 9, "injected": 1}]}'
        )
    kept = json.loads((record / "lustre" / "scratch.json").read_text())
    assert kept["emulated"] == "not real"
    assert kept["clients"] == {"node1": {"llite": parse(LLITE)}}
    assert sorted(path.name for path in (record / "lustre" / "scratch").iterdir()) == [
        "faults.json",
        "llite.node1.stats",
    ]
    sampletable.finish(record)
    assert "lustre.llite.count" in sampletable.load(Entry(record))["counter"].to_list()
    assert "emulated" in json.loads((record / "sources.json").read_text())["lustre.llite.count"]["source"]


def test_the_report_names_what_is_emulated_and_which_faults_struck(tmp_path: Path) -> None:
    stored = make_record(tmp_path / "run", head={"probes": ["lustre"]})
    found = {
        "emulated": "not real",
        "clients": {node: {"llite": parse(LLITE)} for node in ("node1", "node2")},
        "faults": {"faults": [{"spec": "eio:read:0.1", "seen": 9, "injected": 2}]},
    }
    (stored.directory / "lustre" / "scratch").mkdir(parents=True)
    (stored.directory / "lustre" / "scratch" / "faults.json").write_text(json.dumps(found["faults"]))
    (stored.directory / "lustre" / "scratch.json").write_text(json.dumps(found))
    words, table, faults = lustre_counters(summarize(stored)).blocks
    assert isinstance(words, Words)
    assert words.text == "scratch: not real."
    assert isinstance(table, Shown)
    assert table.rows[0][:4] == ("scratch", "open", "seen by the client", "6")
    assert isinstance(faults, Listing)
    assert faults.items == ["fault eio:read:0.1: injected 2 times"]


def test_a_record_without_them_says_how_to_ask(tmp_path: Path) -> None:
    section = lustre_counters(summarize(make_record(tmp_path / "run", head={"probes_missing": {}})))
    assert section.blocks == ()
    assert "add it with --probe lustre" in section.unseen["Lustre's counters"]
