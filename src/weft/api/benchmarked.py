"""A result of IO500 that a centre has: its result_summary.txt, as figures of a file system."""

from pathlib import Path

from weft.errors import UsageError, why
from weft.facts.io500 import figures, profile, summary
from weft.facts.io500.figures import Figures
from weft.facts.io500.summary import ResultSummary
from weft.text import entry

_OF_MDTEST = ("mdtest-easy-write.txt", "mdtest_easy_write.txt")
"""Files in the same directory that say how many processes there were."""
_LARGEST = 1 << 20
"""Bytes; a result has two thousand."""


def read(path: Path) -> tuple[ResultSummary, Figures]:
    """What a file says, and what weft takes from it. Raises UsageError that names what is damaged or missing."""
    try:
        text = entry.of(path.resolve()).data(_LARGEST).decode(errors="replace")
    except OSError as error:
        raise UsageError(
            f"{path} is not readable: {why(error)}", hint="name a result_summary.txt of IO500"
        ) from error
    found = summary.read(text, str(path))
    processes, nodes = _launched(path)
    known = figures.of_summary(found, str(path), processes, nodes)
    profile.values(known)
    return found, known


def _launched(path: Path) -> tuple[int, int]:
    """Processes and nodes; 0 if no file says."""
    for name in _OF_MDTEST:
        beneath = entry.of(path.resolve()).sibling(name)
        if beneath.exists() and (counts := summary.launched(beneath.data().decode(errors="replace"))):
            return counts
    return 0, 0
