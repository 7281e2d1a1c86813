"""The verb that makes a record from the log of another cluster: import."""

from pathlib import Path
from typing import Annotated

import typer

from weft.api.results import summary_of
from weft.cli.flags import AsJson
from weft.errors import UsageError
from weft.host import settings
from weft.record.record import page_path
from weft.report.pages import page, terminal
from weft.run.imports.importing import import_read
from weft.run.imports.unpack import LIMIT
from weft.text.console import console
from weft.text.units import parse_size


def import_(
    log: Annotated[
        Path,
        typer.Argument(
            metavar="LOG",
            help="an event log of Spark (file or eventlog_v2_ directory), a .jhist file of MapReduce, a job archive of Flink",
        ),
    ],
    limit: Annotated[
        str, typer.Option(metavar="SIZE", help="refuse a log that is larger when it is decompressed")
    ] = f"{LIMIT >> 30}GiB",
    as_json: AsJson = False,
) -> None:
    """Make a record from a log of another cluster.

    Of Spark, MapReduce or Flink.

    Nobody checked the job's result, so the verdict is UNCHECKED; it is INVALID if the log says that the job failed or has no end.
    What the log does not say is unclassified.

    Example: weft import /var/log/spark/app-20261122171827-0000.zstd
    """
    stored, metrics = import_read(log, settings.runs(), _size(limit))
    summary = summary_of(stored, metrics)
    written = page.save(page.text(summary), page_path(stored.directory, page.NAME))
    if as_json:
        print(summary.json_text())
        return
    print(f"{summary.verdict}  {stored.directory}\n  report {written}", flush=True)
    if summary.reason:
        print(f"  {summary.reason}")
    for gap in summary.gaps:
        print(f"  {gap}")
    if summary.explanation:
        terminal.explain_briefly(summary.explanation, console())


def _size(text: str) -> int:
    try:
        return parse_size(text)
    except ValueError as error:
        raise UsageError(f"--limit: {error}", hint="write --limit 200GB") from error
