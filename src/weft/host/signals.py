"""Signals that end a command: the handler only notes them, and the code that waits raises.

An exception from a handler comes between any two instructions: inside Popen while its lock is held, which nobody releases
then, or between a process's start and the moment when somebody knows of it. So `sleep` and `check` raise, once, in the
main thread. Cleanup is not cut short: nothing is raised in `held`, nor while an exception is being handled, which is when
`finally` blocks and the ends of `with` blocks clean up. So no `except` block may wait for longer than a moment.
"""

import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType

from weft.errors import Stopped

POLL = 0.1
"""Seconds between two looks for a signal while something else is waited for."""
_STUCK = 5.0
"""Seconds after which a second signal is raised at once: nobody has looked since the first."""
EXIT_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 143, signal.SIGUSR2: 143}
"""By signal that ends a command: what it exits with. Grid Engine and LSF send SIGUSR2 before they kill a job."""


@dataclass
class _Noted:
    """The state of the handler."""

    number: int | None = None
    """The signal that came."""
    since: float = 0.0
    raised: bool = False
    held: int = 0
    """Number of enclosing `with held()` blocks in the main thread."""
    prompt: int = 0
    """Number of enclosing `with prompt()` blocks in the main thread."""
    woken: int = -1
    """Readable when a signal has arrived; -1 before `watch`."""
    wake: int = -1
    """The end of the same pipe that the handler writes to."""


_noted = _Noted()


def watch() -> None:
    """Note signals that end a command, from now on."""
    global _noted  # noqa: PLW0603 - handlers belong to the process, and so does their state
    if _noted.woken < 0:
        woken, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        _noted = _Noted(woken=woken, wake=wake)
    signal.set_wakeup_fd(_noted.wake, warn_on_full_buffer=False)
    for number in EXIT_CODES:
        signal.signal(number, _note)


def watch_again() -> None:
    """The same after an import: a library may have installed handlers of its own. Nothing before `watch`."""
    if _noted.woken >= 0 and _is_main():
        watch()


def over() -> None:
    """Ignore these signals: the command has printed how it ended, and while Python ends there are no handlers."""
    for number in EXIT_CODES:
        signal.signal(number, signal.SIG_IGN)


def _note(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signature of a handler
    now = time.monotonic()
    if not _noted.number:
        _noted.number, _noted.since = number, now
        if _noted.prompt and not cleaning():
            _raise()
    elif not _noted.raised and now - _noted.since > _STUCK and not cleaning():
        _raise()


def cleaning() -> bool:
    """Whether the main thread cleans up: in `held`, or while an exception is being handled."""
    return _noted.held > 0 or sys.exception() is not None


def check() -> None:
    """Raise Stopped where a signal has come, in the main thread, once."""
    if _noted.number and not _noted.raised and _is_main() and not cleaning():
        _raise()


def _raise() -> None:
    _noted.raised = True
    raise Stopped(EXIT_CODES[signal.Signals(_noted.number or signal.SIGTERM)])


@contextmanager
def held() -> Iterator[None]:
    """Cleanup, for the length of a `with` block: a signal that arrives meanwhile is raised after it."""
    if not _is_main():
        yield
        return
    _noted.held += 1
    try:
        yield
    finally:
        _noted.held -= 1
    check()


@contextmanager
def prompt() -> Iterator[None]:
    """Reading and computing, for the length of a `with` block: a signal is raised where it comes, since nothing is begun there."""
    if not _is_main():
        yield
        return
    _noted.prompt += 1
    try:
        check()
        yield
    finally:
        _noted.prompt -= 1


def sleep(seconds: float) -> None:
    """As `time.sleep`, but a signal ends it at once and is raised."""
    check()
    if _noted.woken < 0 or not _is_main():
        time.sleep(seconds)
        return
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if select.select([_noted.woken], [], [], left)[0]:
            with suppress(BlockingIOError):
                os.read(_noted.woken, 1 << 10)
            check()


def until(done: Callable[[], bool], seconds: float, pause: float = POLL) -> bool:
    """Wait until something is done, at most so many seconds, and say whether it is."""
    end = time.monotonic() + seconds
    while not done():
        if (left := end - time.monotonic()) <= 0:
            return False
        sleep(min(pause, left))
    return True


@dataclass
class Request:
    """Whether a signal has come that ends nothing but a wait."""

    yes: bool = False

    def wait(self, seconds: float) -> bool:
        """Wait so long for the signal, and say whether it has come."""
        return until(lambda: self.yes, seconds)


def expect(number: signal.Signals) -> Request:
    """From now on a signal asks for something of its own, and is not raised."""
    asked = Request()

    def note(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signature of a handler
        asked.yes = True

    signal.signal(number, note)
    return asked


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()
