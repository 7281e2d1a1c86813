"""An action that is repeated while the main work runs."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def every(seconds: float, action: Callable[[], None]) -> Iterator[Callable[[], None]]:
    """Run `action` periodically, in a thread, for the length of a `with` block; never after its end.

    Gives what does it at once as well, never twice at the same moment. What `action` raises in the thread ends it, and is
    raised when it is done at once, and at the end.
    """
    done, one = threading.Event(), threading.Lock()
    failed: list[Exception] = []

    def act() -> None:
        if failed:
            raise failed[0]
        with one:
            action()

    def loop() -> None:
        while not done.wait(seconds):
            try:
                act()
            except Exception as error:  # noqa: BLE001 - raised again in the main thread
                failed.append(error)
                return

    thread = threading.Thread(target=loop, daemon=True)
    thread.start()
    try:
        yield act
    finally:
        done.set()
        thread.join()
    if failed:
        raise failed[0]
