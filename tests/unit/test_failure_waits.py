"""A program that waits for what never happens is ended, and one whose cluster stalled is not."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import fake_layout
from weft.facts.failures import named
from weft.layout.plan import Layout
from weft.run.diagnosis.waits import Waits


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """A run of Spark on two nodes of this machine."""
    (tmp_path / "logs" / "node1").mkdir(parents=True)
    return replace(fake_layout(), record=tmp_path, engine="spark")


WAITING: Mapping[str, tuple[str, str]] = {
    "kafka": (
        "26/11/24 10:00:00 WARN NetworkClient: [x] Connection to node -1 (localhost/127.0.0.1:9) could not be established.\n",
        "kafka",
    ),
    "heap": (
        "ERROR TaskSchedulerImpl: Lost executor 1 on 10.0.0.1: Command exited with code 52\n" * 3,
        "heap-again",
    ),
}


@pytest.mark.parametrize("name", WAITING)
def test_what_can_never_happen_is_not_waited_for(
    layout: Layout, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, rule = WAITING[name]
    lines: list[str] = []
    clock = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    log, waits = layout.log(layout.head, "driver"), Waits(layout.record, "spark", lines.append)
    log.write_text("")
    found = None
    for step in range(70):
        with log.open("a") as file:
            file.write(text if step == 0 or name == "kafka" else "")
        clock[0] += 1
        found = waits.check([(log, "driver")])
        if found:
            break
    assert found is not None
    assert found.found.rule.name == rule
    assert step <= 61
    assert len(lines) == (3 if name == "heap" else 0)


SILENT = "26/11/27 16:06:29 WARN Master: Removing worker-1 because we got no heartbeat in 15000 ms\n"
NO_WORKER = (
    "26/11/27 16:06:29 WARN Master: App app-1 requires more resource than any of Workers could have.\n"
)
BACK = "26/11/27 16:06:33 INFO Master: Launching executor app-1/2 on worker worker-2\n"


@pytest.mark.parametrize(
    ("stall", "before", "after", "expected"),
    [
        (0, NO_WORKER, "", 0),  # an executor that is too large is refused at once
        (20, SILENT + NO_WORKER, BACK, None),
        (20, NO_WORKER, BACK, None),
        (20, NO_WORKER, "", 30),  # the Workers do not come back
        (0, SILENT + NO_WORKER, BACK, None),  # only the hosts of the cluster stalled
    ],
)
def test_workers_that_a_stall_silenced_may_come_back(
    layout: Layout,
    stall: float,
    before: str,
    after: str,
    expected: int | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    log, waits = layout.log(layout.head, "master"), Waits(layout.record, "spark", print)
    log.write_text("")
    assert waits.check([(log, "daemon")]) is None
    log.write_text(before)
    clock[0] += 1 + stall
    found = []
    for step in range(60):
        if waits.check([(log, "daemon")]):
            found.append(step)
        clock[0] += 1
        if step == 4:
            log.write_text(before + after)
    assert found[:1] == ([] if expected is None else [expected])
    assert (named((before + after).splitlines(), "daemon") is None) is bool(after)


def test_the_time_in_which_this_process_did_not_run_is_no_patience(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    text = WAITING["kafka"][0]
    log, waits = layout.log(layout.head, "driver"), Waits(layout.record, "spark", print)
    log.write_text(text)
    assert waits.check([(log, "driver")]) is None
    clock[0] += 100  # the machine was suspended; the broker answers 3 s later
    log.write_text(text * 4)
    for _ in range(4):
        assert waits.check([(log, "driver")]) is None
        clock[0] += 1


def test_a_broker_that_answers_later_is_waited_for(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    log, waits = layout.log(layout.head, "driver"), Waits(layout.record, "spark", print)
    for step in range(200):
        with log.open("a") as file:
            file.write(WAITING["kafka"][0] if step < 20 else "26/11/24 10:00:00 INFO x\n")
        clock[0] += 1
        assert waits.check([(log, "driver")]) is None
