"""When a cluster that nobody uses ends: a clock that is set by hand."""

from dataclasses import dataclass, field

import pytest

from weft.clusters import registry
from weft.clusters.idle import Idleness

BEGIN = 1000.0


@dataclass
class Fake:
    """A cluster: when a command was last run, how many applications run, and how often that was asked."""

    used: float = BEGIN
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


def test_it_is_over_when_the_limit_has_passed_since_it_stands() -> None:
    assert first(Fake().idleness(600), range(1000)) == 600


def test_a_command_begins_it_anew() -> None:
    fake = Fake()
    idleness = fake.idleness(600)
    assert first(idleness, range(500)) is None
    fake.used = BEGIN + 499
    assert first(idleness, range(500, 2000)) == 1099


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


def test_a_clock_that_is_set_back_ends_nothing() -> None:
    fake = Fake(used=BEGIN + 100)
    idleness = fake.idleness(600)
    assert not idleness.over(BEGIN + 100)
    assert not idleness.over(BEGIN - 5000)
    assert not idleness.over(BEGIN + 699)
    assert idleness.over(BEGIN + 700)


def test_a_command_is_seen_while_it_runs_and_its_end_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [5e9]
    monkeypatch.setattr("weft.clusters.registry.time.time", lambda: clock[0])
    with registry.reserved("mine"), registry.used("mine"):
        pass  # before it answers there is nothing to note it in
    with registry.reserved("mine"):
        registry._path("mine", ".use").touch()
        with registry.used("mine"), registry.used("mine"):
            clock[0] += 100
            assert registry.last_used("mine") == clock[0]
        clock[0] += 50
        assert registry.last_used("mine") == clock[0] - 50
    assert list(registry.log("mine").parent.iterdir()) == []
