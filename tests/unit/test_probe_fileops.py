"""The probe of file operations: each component in files of its own, and what it reads of them."""

import dataclasses
import json
from pathlib import Path

from tests.fakes import fake_layout, fake_program
from tests.unit.report_fakes import measure
from weft.adapters.probes.fileops import FileopsProbe, readings
from weft.layout.node import Node
from weft.layout.plan import Layout
from weft.record import sampletable
from weft.record.samples import Measure
from weft.run.observing import _make_directories
from weft.text.entry import Entry

SUMS = {"count": 3, "errors": 1, "bytes": 0, "ns": 6_000_000, "ns_hist": [[0, 2], [4096, 1]], "size_hist": []}


def layout(tmp_path: Path) -> Layout:
    """One node with a program that says the same of every directory."""
    stats = {
        "total": {"scratch": {"open": SUMS}},
        "processes": [
            {"program": f"/usr/bin/{name}", "pid": 7, "not_covered": []} for name in ("java", "nsenter")
        ],
    }
    fake_program(tmp_path / "native", "weft-scratch", f"echo '{json.dumps(stats)}'")
    (tmp_path / "record").mkdir()
    node = Node("node1", "10.0.0.1", 1, 1, tmp_path / "node1", enters="nsenter")
    planned = fake_layout([node])
    return dataclasses.replace(
        planned, directory=tmp_path, record=tmp_path / "record", native=tmp_path / "native"
    )


def test_each_component_counts_into_files_of_its_own(tmp_path: Path) -> None:
    planned = layout(tmp_path)
    observed = dataclasses.replace(planned, preload=FileopsProbe().environment(planned))
    places = [
        observed.of(who).environment(observed.head)["WEFT_COUNT_DIR"] for who in ("engine", "generator")
    ]
    assert places == [f"{tmp_path}/node1/fileops/RUN/{who}" for who in ("engine", "generator")]
    assert set(map(Path, places)) <= set(FileopsProbe().directories(planned)["node1"])
    assert not (tmp_path / "node1").exists()


def test_it_reads_those_components_that_counted_and_says_that_others_did_not(tmp_path: Path) -> None:
    planned = layout(tmp_path)
    _make_directories([FileopsProbe()], planned)
    with FileopsProbe().watch(planned) as read:
        (tmp_path / "node1" / "fileops" / "RUN" / "engine" / "7.weftcnt").touch()
        read()
    found = sampletable.load(Entry(planned.record))
    assert set(found["component"]) == {"engine", "generator", "validator"}
    opens = found.filter(found["counter"] == "fileops.count")
    assert set(opens.select("component", "value").iter_rows()) == {("engine", 3.0)}
    processes = found.filter((found["counter"] == "fileops.processes") & (found["component"] == "engine"))
    assert processes["value"].to_list() == [0, 2, 2]


def test_what_puts_a_process_into_its_node_is_left_out(tmp_path: Path) -> None:
    """It waits for that one, and so has its sums beside its own few bytes."""
    planned = layout(tmp_path)
    _make_directories([FileopsProbe()], planned)
    (tmp_path / "node1" / "fileops" / "RUN" / "validator" / "7.weftcnt").touch()
    with FileopsProbe().watch(planned):
        pass
    kept = json.loads((planned.record / "fileops" / "node1.json").read_text())
    assert [(p["program"], p["component"]) for p in kept["processes"]] == [("/usr/bin/java", "validator")]


def test_a_reading_has_what_is_not_zero_and_the_distributions_of_reads_and_opens() -> None:
    found = dict(readings({"total": {"scratch": {"open": SUMS, "unlink": SUMS}}, "processes": [{}, {}]}))
    opened = {name: value for name, value in found.items() if name.operation == "open"}
    assert opened == {
        measure("fileops.scratch.open.count"): 3,
        measure("fileops.scratch.open.seconds"): 0.006,
        measure("fileops.scratch.open.errors"): 1,
        measure("fileops.scratch.open.ns_hist.0"): 2,
        measure("fileops.scratch.open.ns_hist.4096"): 1,
    }
    assert found[Measure("fileops.processes")] == 2
