"""Which commit of weft runs."""

from collections.abc import Sequence

from weft.errors import WeftError
from weft.host import settings, shell

CHANGED = "+"
"""Ends a commit from which files differ, or may differ where git does not answer."""
APART = (":(exclude)evidence", ":(exclude)*.md", ":(exclude)*.jsonl")
"""Rows of evidence and texts: they do not change what a run does."""


def commit() -> str:
    """Of the checkout, or the one that an installed weft was built from; empty if neither is known."""
    if settings.shipped():
        return settings.about().get("commit", "").replace("-changed", CHANGED)
    known = _git(["rev-parse", "--short=12", "HEAD"])
    if not known:
        return ""
    differ = _git(["status", "--porcelain", "--", ".", *APART])
    return known if differ == "" else known + CHANGED


def _git(arguments: Sequence[str]) -> str | None:
    """What it prints; None where it is missing, fails, or does not end, as on a parallel file system under load."""
    if not (settings.SOURCE / ".git").exists():
        return None
    try:
        # without its lock: a git that is killed with its job would leave it, and nobody could commit
        argv = ["git", "--no-optional-locks", "-C", str(settings.SOURCE), *arguments]
        done = shell.run(argv, check=False)
    except WeftError:
        return None
    return done.out.strip() if done.code == 0 else None
