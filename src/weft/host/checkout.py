"""Which commit of weft runs."""

from collections.abc import Sequence

from weft.errors import MissingError
from weft.host import settings, shell

CHANGED = "+"
"""Ends a commit from which files differ."""
APART = (":(exclude)evidence", ":(exclude)*.md", ":(exclude)*.jsonl")
"""Rows of evidence and texts: they do not change what a run does."""


def commit() -> str:
    """Of the checkout, or the one that an installed weft was built from; empty if neither is known."""
    if settings.shipped():
        return settings.about().get("commit", "").replace("-changed", CHANGED)
    known = _git(["rev-parse", "--short=12", "HEAD"])
    return known + (CHANGED if known and _git(["status", "--porcelain", "--", ".", *APART]) else "")


def _git(arguments: Sequence[str]) -> str:
    if not (settings.SOURCE / ".git").exists():
        return ""
    try:
        # without its lock: a git that is killed with its job would leave it, and nobody could commit
        argv = ["git", "--no-optional-locks", "-C", str(settings.SOURCE), *arguments]
        done = shell.run(argv, check=False)
    except MissingError:
        return ""
    return done.out.strip() if done.code == 0 else ""
