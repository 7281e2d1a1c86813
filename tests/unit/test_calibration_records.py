"""Calibrations in records: which one a run keeps, and what pages show of it."""

import json
from pathlib import Path

import polars
import pytest

from tests.fakes import fake_layout
from tests.unit.calibration_fakes import CALIBRATION, NOW, STORAGE
from tests.unit.report_fakes import make_record
from tests.unit.test_model_attribution import job, task
from weft.analysis.explain.fitting import Used
from weft.analysis.explain.limits import Ceilings
from weft.analysis.summary.gather import summarize
from weft.analysis.summary.summary import Summary
from weft.errors import WorkloadError
from weft.facts import jobmetrics
from weft.host import settings
from weft.layout.plan import Layout
from weft.record import record as records
from weft.record.record import Record
from weft.report.pages import page
from weft.run.calibration import schedulers
from weft.run.ceilings import machines, store, used
from weft.spec.model import Spec
from weft.spec.parse import parse


def of_record(folder: Path, text: str | None) -> Summary:
    stored = make_record(folder)
    if text is not None:
        (folder / used.FILE).write_text(text)
    return summarize(stored)


def test_a_page_shows_the_gauges_of_the_calibration_in_its_record(tmp_path: Path) -> None:
    known = Used(calibration=CALIBRATION, roles={"scratch": 0})
    summary = of_record(tmp_path / "run", known.model_dump_json())
    assert summary.explanation is not None
    gauges = {gauge.name: gauge for gauge in summary.explanation.gauges}
    assert gauges["network: sent by node1"].observed == pytest.approx(1e6, rel=0.01)
    assert gauges["CPUs"].ceiling == 4
    text = page.text(summary)
    assert 'class="gauges"' in text
    assert "Measured peaks by the calibration of here" in text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "No measured peaks: this machine was not calibrated when this ran."),
        ('{"refused": {"machine": "the calibration is refused: it is old"}}', "it is old."),
        ("{", ""),
        ('{"calibration": 7}', ""),
    ],
)
def test_without_ceilings_the_page_says_why_and_has_no_gauges(
    text: str | None, why: str, tmp_path: Path
) -> None:
    summary = of_record(tmp_path / "run", text)
    assert summary.explanation is not None
    assert summary.explanation.gauges == ()
    assert summary.explanation.calibration.endswith(why)
    assert bool(why) or any("calibration" in gap for gap in summary.gaps)
    assert 'class="gauges"' not in page.text(summary)


SPEC = parse({"workload": "terasort", "nodes": "virtual:2", "scratch": "delayed:lustre", "input": "disk"})


def noted(spec: Spec, layout: Layout) -> tuple[Used, Record]:
    record = records.create(settings.runs(), "RUN", "", {})
    used.note(spec, layout, record)
    return Used.model_validate_json((record.directory / used.FILE).read_text()), record


def test_a_run_on_a_machine_that_was_never_calibrated_says_so() -> None:
    found, record = noted(SPEC, fake_layout())
    assert found.calibration is None
    assert (
        "never calibrated"
        in json.loads((record.directory / "record.json").read_text())["calibration_refused"]["machine"]
    )


def test_a_run_keeps_the_calibration_of_its_machine_and_storages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines, "file_system", lambda node, path: "ext4 /dev/sda")
    monkeypatch.setattr(used.time, "time", lambda: NOW)
    layout = fake_layout()
    own = {"settings": machines.settings_of(SPEC.scratch), "file_system": "ext4 /dev/sda"}
    here = {"hosts": tuple(machines.hosts(layout.nodes)), "storages": (STORAGE.model_copy(update=own),)}
    store.keep(CALIBRATION.model_copy(update=here))
    found, record = noted(SPEC, layout)
    assert found.roles == {"scratch": 0}
    assert set(found.refused) == {"input", "output"}
    assert record.head.calibration == {"machine": "here", "created": NOW}


def test_a_storage_is_recognized_by_its_settings_whatever_its_directory() -> None:
    specs = [parse({"workload": "terasort", "scratch": text}) for text in ("disk", "disk:/tmp", "memory")]
    one, other, third = (machines.settings_of(spec.scratch) for spec in specs)
    assert one == other == {"kind": "disk"}
    assert third["kind"] == "memory"


@pytest.mark.parametrize(
    ("scratch", "on", "all_share"),
    [
        ("delayed:lustre", "fuse", True),
        ("disk", "ext4 /dev/sda", False),
        ("disk", "lustre mgs:/scratch", True),
        ("pool+delayed:lustre", "ext4 /dev/sda", False),
    ],
)
def test_a_storage_multiplies_with_hosts_unless_all_share_its_service(
    scratch: str, on: str, *, all_share: bool
) -> None:
    assert machines.shared(parse({"workload": "terasort", "scratch": scratch}).scratch, on) is all_share


def test_the_rate_of_a_scheduler_is_tasks_by_the_time_that_they_took() -> None:
    metrics = job([task(0, 1.0 + number / 100, 1.02 + number / 100) for number in range(100)])
    found = schedulers.rate("spark", 4, metrics, "a test")
    assert found.tasks_per_second.value == pytest.approx(100 / 1.01)
    with pytest.raises(WorkloadError, match="left no times"):
        schedulers.rate("spark", 4, jobmetrics.empty(), "a test")


def test_waiting_for_blocks_is_split_by_what_the_network_must_take() -> None:
    metrics = job([task(0, 0, 1, remote_blocks=1000, remote_bytes=500_000_000)])
    ceilings = Ceilings(Used(calibration=CALIBRATION), (), None, blocks(metrics.tasks))
    assert ceilings.wire(10.0) == pytest.approx({"latency": 0.05, "bandwidth": 0.5, "beyond both": 9.45})
    assert Ceilings(Used()).wire(10.0) == {}


def blocks(tasks: polars.DataFrame) -> tuple[float, float]:
    return float(tasks["remote_blocks"].sum()), float(tasks["remote_bytes"].sum())
