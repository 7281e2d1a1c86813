"""Something done again and again beside the main work."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def every(seconds: float, action: Callable[[], None]) -> Iterator[Callable[[], None]]:
    """Do `action` every so many seconds, in a thread, for the length of a `with`; never after its end.

    Gives what does it at once as well, never twice at the same moment.
    """
    done, one = threading.Event(), threading.Lock()

    def act() -> None:
        with one:
            action()

    def loop() -> None:
        while not done.wait(seconds):
            act()

    thread = threading.Thread(target=loop, daemon=True)
    thread.start()
    try:
        yield act
    finally:
        done.set()
        thread.join()
