"""What is repeated while a run goes on: its errors are seen, it ends with the block, and is never done twice at once."""

import threading
import time

import pytest

from weft.host.ticking import every

LIMIT = 60.0
"""Seconds after which a test gives up waiting."""


def test_an_error_of_the_action_is_raised_at_the_end_of_the_block() -> None:
    begun = threading.Event()

    def action() -> None:
        begun.set()
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"), every(0.001, action):
        assert begun.wait(LIMIT)


def test_an_error_of_the_thread_ends_it_and_is_raised_when_the_action_is_done_at_once() -> None:
    begun, threads = threading.Event(), list[int]()

    def action() -> None:
        threads.append(threading.get_ident())
        if not begun.is_set():
            begun.set()
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"), every(0.001, action) as act:
        assert begun.wait(LIMIT)
        end = time.monotonic() + LIMIT
        with pytest.raises(ValueError, match="no"):
            while time.monotonic() < end:
                act()
    assert len([one for one in threads if one != threading.get_ident()]) == 1


def test_nothing_is_called_after_the_block() -> None:
    before, begun, calls = set(threading.enumerate()), threading.Event(), list[bool]()
    over = False

    def action() -> None:
        begun.set()
        time.sleep(0.05)  # it is still busy when the block ends
        calls.append(over)

    with every(0.001, action):
        assert begun.wait(LIMIT)
    over = True
    assert calls
    assert not any(calls)
    assert set(threading.enumerate()) <= before, "nobody is left who could call it"


def test_it_is_never_done_twice_at_once() -> None:
    threads, inside, most = set[int](), list[int](), 0

    def action() -> None:
        nonlocal most
        threads.add(threading.get_ident())
        inside.append(1)
        most = max(most, len(inside))
        time.sleep(0.001)
        inside.pop()

    with every(0.001, action) as act:
        end = time.monotonic() + LIMIT
        for _ in range(100):
            act()
        while len(threads) < 2 and time.monotonic() < end:
            act()
            time.sleep(0.001)  # so that the other one gets the lock
    assert len(threads) == 2
    assert most == 1
