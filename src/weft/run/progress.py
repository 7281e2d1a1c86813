"""Progress of a run for its user: one line per phase, with an estimate from earlier runs of the same kind."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from rich.console import Console
from rich.status import Status
from rich.text import Text

from weft.host.ticking import every
from weft.text.console import console
from weft.text.units import show_seconds
from weft.text.verbosity import CHOSEN

REDRAW = 0.5
"""Seconds between redraws of the running line."""


class Progress:
    """Lines on standard error, with a running clock if that is a terminal."""

    def __init__(
        self,
        output: Console | None = None,
        expected: Mapping[str, float] | None = None,
        meanwhile: Mapping[str, Callable[[], None]] | None = None,
    ) -> None:
        self.console = output or console(stderr=True)
        self.expected = dict(expected or {})
        self.meanwhile = dict(meanwhile or {})
        """By phase: what is done once in a thread of its own, from the beginning of the first such phase on."""
        self.detail = ""
        self.share = 0
        """Percents of the running phase."""

    def say(self, text: str) -> None:
        """One line, unless only results and errors are asked for."""
        if not CHOSEN.quiet:
            self.warn(text)

    def step(self, text: str) -> None:
        """One line, if each step is asked for."""
        if CHOSEN.verbose:
            self.say(text)

    def warn(self, text: str) -> None:
        """One line, in any case."""
        self.console.print(text, highlight=False, markup=False, soft_wrap=True)

    def fraction(self, done: int, total: int) -> None:
        """How far the running phase has come, by its own count: never less than before, never all of it."""
        self.share = max(self.share, min(99, done * 100 // max(1, total)))
        self.detail = f"{self.share} %"

    @contextmanager
    def phase(self, name: str, detail: Callable[[], str] = str) -> Iterator[None]:
        """Show a phase while it runs, and its time when it has ended. `detail`: what it does, if it does not say so itself."""
        begin = time.monotonic()
        self.detail, self.share = "", 0
        if action := self.meanwhile.pop(name, None):
            threading.Thread(target=action).start()
        try:
            if self.console.is_terminal and not CHOSEN.quiet:
                with (
                    self.console.status(name, refresh_per_second=1 / REDRAW) as status,
                    every(REDRAW, lambda: self._show(status, name, begin, detail)),
                ):
                    yield
            else:
                yield
        except BaseException:
            self.say(f"  {name:<8} failed after {show_seconds(time.monotonic() - begin)}")
            raise
        self.say(f"  {name:<8} {show_seconds(time.monotonic() - begin)}")

    def _show(self, status: Status, name: str, begin: float, detail: Callable[[], str]) -> None:
        passed = time.monotonic() - begin
        left = self.expected.get(name, 0.0) - passed
        estimate = f", about {show_seconds(left)} left" if left > 0.5 else ""
        # a name of a stage may look like markup
        status.update(Text(f"{name}  {show_seconds(passed)}{estimate}  {self.detail or detail()}"))


def forwarded(path: Path, begin: int, stream: TextIO) -> int:
    """Print what a file has after `begin`; returns the new position. One that cannot be read now may be a second later, as on NFS."""
    try:
        with path.open("rb") as file:
            file.seek(begin)
            text = file.read()
    except OSError:
        return begin
    stream.buffer.write(text)
    stream.flush()
    return begin + len(text)
