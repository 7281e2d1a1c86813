"""Signals at random moments: whatever a run was doing, nothing of it is left, and it ends with one message.

WEFT_SOAK is the number of moments, WEFT_SOAK_SEED what they are drawn from: the same seed draws the same moments.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import psutil
import pytest

from tests.local.conftest import Weft
from tests.needs import DELAYED, LOOPBACK, NATIVE, VIRTUAL, needs

MOMENTS = int(os.environ.get("WEFT_SOAK", "60"))
SEED = int(os.environ.get("WEFT_SOAK_SEED", "1"))
SMALL = ("file-open", "--engine", "null", "--size", "1M", *(
    word for key in ("reads=5", "files=5", "rounds=1", "threads=1", "read_bytes=1024", "engine.workers=0s")
    for word in ("--set", key)
))  # fmt: skip
"""A run of all phases, with daemons that are nobody's engine, in three seconds."""
SCRATCH = {
    "disk": (),
    "memory": (),
    "loopback,size=64M": LOOPBACK,
    "delayed:lustre": DELAYED,
    "pool": NATIVE,
}
PHASES = ("acquire", "storage", "start", "run", "stop")
CASES = [
    pytest.param(nodes, scratch, marks=needs(*required, *(VIRTUAL if nodes.startswith("virtual") else ())))
    for nodes in ("local:2", "virtual:2,memory=1500M")
    for scratch, required in SCRATCH.items()
]
AFTERWARDS = 30.0
"""Seconds in which the cleanup watchdog of a killed run must have finished."""


@pytest.mark.long
@pytest.mark.parametrize(("nodes", "scratch"), CASES)
def test_a_signal_at_any_moment_leaves_nothing(weft: Weft, nodes: str, scratch: str) -> None:
    rng = random.Random(f"{SEED} {nodes} {scratch}")
    words = ("run", *SMALL, "--nodes", nodes, "--scratch", scratch)
    begin = time.monotonic()
    first = weft(*words)  # it builds what is missing
    assert first.returncode == 0, first.stderr
    whole = min(time.monotonic() - begin, 6.0)
    found = [
        f"{number}: {moment}: {problem}"
        for number in range(max(1, MOMENTS // len(CASES)))
        for moment in [draw(rng, whole)]
        for problem in problems(weft, words, *moment)
    ]
    assert not found, "\n".join(found)


Moment = tuple[str, float, tuple[signal.Signals, ...], float, Callable[[int, int], None]]


def draw(rng: random.Random, whole: float) -> Moment:
    """The end of a phase (or the start of the command), the seconds after it, the signals, the seconds between them, and whether they are sent as by `kill` or by a terminal."""
    after = rng.choice(("", "", *PHASES))
    seconds = rng.uniform(0, 0.08 if after else whole)
    first = rng.choice((signal.SIGINT, signal.SIGTERM, signal.SIGINT, signal.SIGTERM, signal.SIGKILL))
    more = rng.choice(((), (), (signal.SIGINT,), (signal.SIGTERM, signal.SIGINT), (signal.SIGKILL,)))
    return after, seconds, (first, *more), rng.choice((0.0, 0.01, 0.3)), rng.choice((os.kill, os.killpg))


def problems(weft: Weft, words: tuple[str, ...], after: str, seconds: float, numbers: tuple[signal.Signals, ...], between: float, send: Callable[[int, int], None]) -> Iterator[str]:  # fmt: skip
    """What is wrong after a command that got these signals."""
    printed = weft.home / "printed"
    with printed.open("w") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "weft", *words],
            env=weft.environment,
            cwd=weft.home,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    while f"\n  {after} " not in f"\n{printed.read_text()}" and after and process.poll() is None:
        time.sleep(0.002)
    time.sleep(seconds)
    for number in numbers:
        with suppress(ProcessLookupError):
            send(process.pid, number)
        time.sleep(between)
    code, text = process.wait(120), printed.read_text()
    end = time.monotonic() + (AFTERWARDS if signal.SIGKILL in numbers else 0)
    while (left := traces(weft)) and time.monotonic() < end:
        time.sleep(0.1)
    if left:
        yield f"left {left}; exit code {code}\n{text}"
        weft("gc")
    if "Traceback" in text or "Exception" in text:
        yield text
    before_weft = code in {-signal.SIGINT, -signal.SIGTERM} and not text
    if code not in {0, 130, 143, -signal.SIGKILL} and not before_weft:
        yield f"exit code {code}\n{text}"
    ends = [line for line in text.splitlines() if line.startswith(("stopped", "error", "hint"))]
    if code in {130, 143} and (len(ends) != 1 or not ends[0].startswith("stopped")):
        yield f"exit code {code}, but {ends}\n{text}"


def traces(weft: Weft) -> list[str]:
    """Everything of a run that can be left on this machine, except processes that are ending."""
    return [
        one
        for one in weft.leftovers()
        if not one.startswith("process") or psutil.pid_exists(int(one.split()[1]))
    ]
