"""When a cluster that nobody uses ends: a clock that is set by hand."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from weft.clusters import registry
from weft.clusters.idle import Idleness
from weft.host.programs import cleanup
from weft.record import record as records

BEGIN = 1000.0


@dataclass
class Fake:
    """A cluster: what its last command left, how many applications run, and how often that was asked."""

    used: int | None = 0
    applications: int = 0
    asked: list[int] = field(default_factory=list)

    def quiet(self) -> bool:
        self.asked.append(self.applications)
        return self.applications == 0

    def idleness(self, limit: float) -> Idleness:
        return Idleness(limit, BEGIN, lambda: self.used, self.quiet)


def first(idleness: Idleness, seconds: range) -> int | None:
    """The first of some seconds after the beginning at which it is over."""
    return next((second for second in seconds if idleness.over(BEGIN + second)), None)


def test_it_is_over_when_the_limit_has_passed_since_it_is_ready() -> None:
    assert first(Fake().idleness(600), range(1000)) == 600


def test_a_command_begins_it_again() -> None:
    fake = Fake()
    idleness = fake.idleness(600)
    assert first(idleness, range(500)) is None
    fake.used = 1
    assert first(idleness, range(500, 2000)) == 1100


def test_an_application_that_no_command_of_weft_started_counts() -> None:
    fake = Fake(applications=1)
    idleness = fake.idleness(600)
    assert first(idleness, range(5000)) is None
    fake.applications = 0
    found = first(idleness, range(5000, 9000))
    assert found is not None
    assert 5000 + 600 - 30 <= found <= 5000 + 600


def test_engines_are_asked_seldom_and_once_more_at_the_end() -> None:
    fake = Fake()
    assert first(fake.idleness(3600), range(4000)) == 3600
    assert len(fake.asked) == 3600 // 30
    late = Fake()
    idleness = late.idleness(3600)
    late.applications = 1
    assert not idleness.over(BEGIN + 3600)


def test_it_is_used_as_long_as_a_command_runs() -> None:
    fake = Fake(used=None)
    idleness = fake.idleness(600)
    assert first(idleness, range(5000)) is None
    fake.used = 1
    assert first(idleness, range(5000, 9000)) == 5600


def test_a_clock_that_is_set_ends_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither a phase, nor a limit of time or of use, nor what waits for processes to end reads it."""
    steps = iter(range(0, -(10**9), -(10**6)))
    monkeypatch.setattr("time.time", lambda: next(steps))
    record = records.create(tmp_path, "one", "", {})
    with record.phase("run"):
        pass
    assert 0 <= record.head.phases["run"] < 60
    assert cleanup.removed("none", []) == []


def test_a_command_is_seen_while_it_runs_and_its_end_is_kept() -> None:
    with registry.reserved("mine"), registry.used("mine"):
        pass  # before it answers there is nothing to note it in
    with registry.reserved("mine"):
        registry._path("mine", ".use").touch()
        with registry.used("mine"), registry.used("mine"):
            assert registry.last_use("mine") is None
        first_use = registry.last_use("mine")
        with registry.used("mine"):
            pass
        assert None not in {first_use, registry.last_use("mine")}
        assert first_use != registry.last_use("mine")
    assert list(registry.log("mine").parent.iterdir()) == []
