"""The cleanup watchdog of this machine: it waits until weft ends, and releases what weft could not release itself.

It is a shell until then, which costs a megabyte; what it becomes is weft again, which releases the lease as `weft clean` does.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from weft.host import lease, shell, signals

_PROGRAM = "import sys; from weft.host.watchdog import main; main(sys.argv[1])"
_WAIT = 'trap "" INT TERM HUP; read -r done && exit 0; exec "$@"'
"""Read a line, or the end of the input that comes with the end of weft. The command is passed as arguments."""
_TRIES = 50
"""How often the lock of the lease is requested, every 100 ms: the kernel releases it while it ends weft."""


@contextmanager
def watched(name: str) -> Iterator[None]:
    """If weft dies during the `with` block, the lease of this name is released nevertheless."""
    process = shell.guard(["sh", "-c", _WAIT, "sh", sys.executable, "-P", "-c", _PROGRAM, name])
    try:
        yield
    finally:
        with signals.held():
            shell.dismiss(process)


def main(name: str) -> None:
    """Release a lease whose owner is dead."""
    for _ in range(_TRIES):
        for dead in lease.dead_leases(name):
            dead.release()
            return
        time.sleep(0.1)
