"""The verb that lists records: runs. It is fast: it reads two small files of each record."""

import dataclasses
import json
from typing import Any

from rich.markup import escape
from rich.table import Table

from weft.analysis.compare.headline import Headline, headlines, unreadable
from weft.cli.flags import AsJson, OfStudy
from weft.host import settings
from weft.record import record
from weft.text.console import console
from weft.text.numbers import NONE, seconds, size


def runs(of_study: OfStudy = "", as_json: AsJson = False) -> None:
    """List the records, newest last.

    Example: weft runs --study scratches
    """
    found = headlines(record.all_records(settings.runs()), of_study)
    if not of_study:
        found += [unreadable(path, why) for path, why in record.broken(settings.runs()).items()]
    if as_json:
        print(json.dumps([_table(line) for line in found], indent=1))
    elif found:
        console().print(_listed(found))
    else:
        whose = f" of the study {of_study!r}" if of_study else ""
        print(f"no runs{whose} in {settings.runs()}")


def _storage(line: Headline) -> str:
    """The scratch, and the roles with another storage."""
    scratch = line.storages.get("scratch", "")
    others = (f"{role} {storage}" for role, storage in line.storages.items() if storage != scratch)
    return ", ".join(filter(None, [scratch, *others])) + (" (emulated)" if line.emulated else "")


def _listed(lines: list[Headline]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("run", "verdict", "workload", "engine", "nodes", "storage"):
        table.add_column(title, overflow="fold")
    for title in ("size", "seconds", "per node"):
        table.add_column(title, justify="right")
    styles = {"VALID": "green", "RUNNING": "yellow", "UNCHECKED": "yellow"}
    for line in lines:
        arguments = [
            escape(word or NONE) for word in (line.workload, line.engine, line.nodes, _storage(line))
        ]
        speed = f"{size(line.throughput_per_node)}/s" if line.throughput_per_node else NONE
        style = styles.get(line.verdict, "red")
        table.add_row(
            escape(line.id),
            f"[{style}]{line.verdict}[/]",
            *arguments,
            size(line.size),
            seconds(line.seconds),
            speed,
        )
    return table


def _table(line: Headline) -> dict[str, Any]:
    return {
        key: value
        for key, value in dataclasses.asdict(line).items()
        if key not in {"spec", "explanation", "facts"}
    }
