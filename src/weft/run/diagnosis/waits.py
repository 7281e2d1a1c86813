"""Programs that wait for what never happens, or repeat what always fails: their logs say so while they run."""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from weft.facts import engines, failures
from weft.facts.failures import Failure, FailureRule, Role
from weft.run.diagnosis import texts
from weft.run.diagnosis.texts import Text

_POLL = 1.0
"""Seconds between readings of the logs."""
_STALLED = 5.0
"""Seconds between two looks after which this process did not run, as on a machine that was suspended: they do not count."""
_SETTLING = 30.0
"""Seconds that a cluster has after that to recover: what it logs meanwhile, such as Workers that it takes for dead, may be undone."""
_LATEST = 1 / 3
"""The part of its patience within which a log repeats what it waits for; afterwards it has got it."""


@dataclass
class _Seen:
    """A reason in one log: how often, and when first and last."""

    text: Text
    found: Failure
    first: float
    last: float
    times: int = 1


@dataclass(frozen=True)
class Hopeless:
    """What a program waits for."""

    found: Failure
    text: Text


@dataclass
class Waits:
    """Reads what logs get while a program runs."""

    record: Path
    engine: str
    say: Callable[[str], None]
    """Prints a line for the user."""
    positions: dict[Path, int] = field(default_factory=dict)
    """By log: up to where it was read (bytes)."""
    lines: dict[Path, int] = field(default_factory=dict)
    """By log: how many lines end before that."""
    seen: dict[tuple[Path, str], _Seen] = field(default_factory=dict)
    polled: float | None = None
    now: float = 0.0
    """Seconds in which this process ran."""
    settled: float = 0.0
    """When a cluster that had stalled has recovered, on that clock."""

    def check(self, logs: Sequence[tuple[Path, Role]]) -> Hopeless | None:
        """What a program waits for without hope, as these logs say; None if it does not, or not for long enough."""
        if not self._ticks(time.monotonic()):
            return None
        for path, of in logs:
            self._read(path, of)
        for seen in self.seen.values() if self.now >= self.settled else ():
            rule, waited = seen.found.rule, self.now - seen.first
            assert rule.patience is not None
            certain = rule.again > 1 or not rule.patience
            repeats = certain or self.now - seen.last <= rule.patience * _LATEST
            if seen.times >= rule.again and waited >= rule.patience and repeats:
                return Hopeless(seen.found, seen.text)
        return None

    def _ticks(self, clock: float) -> bool:
        """Whether it is time for another look; counts the time since the last one, if this process ran."""
        since = _POLL if self.polled is None else clock - self.polled
        if since < _POLL:
            return False
        self.polled = clock
        self.now += _POLL if since > _STALLED else since
        if since > _STALLED:
            self.settled = self.now + _SETTLING
        return True

    def _read(self, path: Path, of: Role) -> None:
        text = texts.read(path, self.record, self.positions.setdefault(path, 0), self.lines.get(path))
        *whole, _ = text.lines or ("",)
        if not whole:
            return
        self.positions[path], self.lines[path] = text.end, text.first - 1 + len(whole)
        tasks = engines.of(self.engine).tasks
        for index, line in enumerate(whole):
            if tasks.silent and re.search(tasks.silent, line):
                self.settled = self.now + _SETTLING
            self.seen = {key: seen for key, seen in self.seen.items() if not seen.found.rule.undone_by(line)}
            if tasks.ended and re.search(tasks.ended, line):
                self.seen = {key: seen for key, seen in self.seen.items() if seen.found.rule.despite}
            elif found := failures.named([line], of, _rules()):
                self._note(path, text, Failure(found.rule, found.says, found.words, index))

    def _note(self, path: Path, text: Text, found: Failure) -> None:
        if found.rule.despite:
            self.say(f"  {found.words}, its heap was full; its tasks are repeated")
        key = path, found.rule.name
        if key in self.seen:
            self.seen[key].times, self.seen[key].last = self.seen[key].times + 1, self.now
        else:
            self.seen[key] = _Seen(text, found, self.now, self.now)


@cache
def _rules() -> tuple[FailureRule, ...]:
    return tuple(rule for rule in failures.listed() if rule.patience is not None)
