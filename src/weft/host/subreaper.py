"""Makes weft the parent of every descendant whose own parent has ended, whatever its environment and session are."""

import ctypes

_CHILD_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER, prctl(2)."""
_adopting = False


def adopt() -> None:
    """From now on; for a process of weft that is nothing else."""
    global _adopting  # noqa: PLW0603 - it is a property of the process
    _adopting = ctypes.CDLL(None).prctl(_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def adopting() -> bool:
    """Whether `adopt` was called."""
    return _adopting
