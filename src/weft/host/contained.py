"""What holds the processes of a run on this machine, so that none survives it.

weft moves itself into a new control group and leaves it at the end: everything that it starts is born in that groups.
Where a group cannot be created there is none, nor where Slurm tracks the processes of a job. Orphans are then found as
weft's children, as long as weft lives (`subreaper`).
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from weft.host import adopted, settings, signals
from weft.host.lease import Lease
from weft.host.programs import groups


@contextmanager
def contained(lease: Lease) -> Iterator[None]:
    """Every process that starts during the `with` block ends with it."""
    before = None if "SLURM_PROCID" in settings.slurm() else groups.current()
    own = None if before is None else _entered(before / f"weft-{lease.name}", lease)
    try:
        yield
    finally:
        with signals.held():
            if own is not None and before is not None:
                with suppress(OSError):  # what is left is reported with the lease
                    groups.join(before)
                groups.kill(own)
                groups.remove(own)
            adopted.end()


def _entered(own: Path, lease: Lease) -> Path | None:
    if not os.access(own.parent, os.W_OK):
        return None
    lease.note("cgroup", path=str(own))
    try:
        own.mkdir()
        groups.join(own)
    except OSError:  # some may be written, but not divided
        with suppress(OSError):
            own.rmdir()
        return None
    return own
