"""How the work ended that an engine's own log is about: only a record of work that was done says what would make it faster."""

import polars

from weft.facts.jobmetrics import JobMetrics

_LONGEST = 240
"""Characters of an engine's message in a reason."""


def first_line(text: str | None) -> str:
    """A message without its stack trace."""
    return next((line.strip() for line in (text or "").splitlines() if line.strip()), "")[:_LONGEST]


def failure(metrics: JobMetrics) -> str:
    """Why the work was not done, as a sentence without its full stop; empty if no log says so.

    A job without an end is no sign of it: engines leave out events when they have too many.
    """
    failed = metrics.jobs.filter(polars.col("failure") != "")
    for job, text in failed.select("job", "failure").head(1).iter_rows():
        count = metrics.jobs.height
        reason = first_line(text).rstrip(".")
        if count == 1:
            return f"Its job did not succeed: {reason}"
        return f"{failed.height} of its {count} jobs did not succeed; job {job}: {reason}"
    apps = metrics.applications
    for text in apps.filter(polars.col("failure") != "")["failure"].head(1):
        return first_line(text)
    if apps["end"].null_count() or apps.is_empty():
        return "The log has no end of the application: it was killed, or it still ran when the log was copied"
    return ""
