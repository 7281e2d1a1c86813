"""Reports from records, wherever a record was copied to."""

from pathlib import Path

from weft.record.record import Stored


def write(stored: Stored) -> Path:
    """Write the report of a run to its record, even if the record is damaged, and return its path."""
    # a run's own imports stay light
    from weft.report.pages.page import write as write_page  # noqa: PLC0415

    return write_page(stored)
