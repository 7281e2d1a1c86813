"""Makes weft the parent of every descendant whose own parent has ended, whatever its environment and session are."""

import ctypes
from pathlib import Path

_CHILD_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER, prctl(2)."""
_adopting = False


def adopt() -> None:
    """From now on; for a process of weft that is nothing else, and has no child of a shell whose place it took (`exec weft`)."""
    global _adopting  # noqa: PLW0603 - it is a property of the process
    if any(file.read_text(encoding="utf-8").split() for file in Path("/proc/self/task").glob("*/children")):
        return
    _adopting = ctypes.CDLL(None).prctl(_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def adopting() -> bool:
    """Whether `adopt` was called."""
    return _adopting
