"""List, label and remove records.

The newest is last. Two small files of each are read.
"""

import csv
import dataclasses
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from weft.analysis.compare.headline import Headline, headlines, unreadable
from weft.cli import completing
from weft.cli.command import CliCommand, CliGroup
from weft.cli.flags import AsJson, OfStudy
from weft.errors import RecordError, UsageError
from weft.host import settings
from weft.host.programs.removal import remove_tree
from weft.record import record
from weft.record.record import Stored
from weft.record.selection import Selection, moment
from weft.text.console import console
from weft.text.entry import Entry
from weft.text.numbers import NONE, seconds, size
from weft.text.units import show_size

runs = typer.Typer(
    cls=CliGroup,
    help=f"{__doc__}\nExample: weft runs --last 10 --engine spark",
    invoke_without_command=True,
    rich_markup_mode=None,
)
OfEngine = Annotated[
    str,
    typer.Option(
        "--engine", autocompletion=completing.of("engines"), help="only of this engine", show_default=False
    ),
]
OfWorkload = Annotated[
    str,
    typer.Option(
        "--workload",
        autocompletion=completing.of("workloads"),
        help="only of this workload",
        show_default=False,
    ),
]
WithLabel = Annotated[
    str,
    typer.Option(
        "--label",
        metavar="WORD",
        autocompletion=completing.label,
        help="only with this label",
        show_default=False,
    ),
]
_LABEL = re.compile(record.LABEL)
_WHEN = "7d, 2026-01-31, or 2026-01-31T12:00"
Since = Annotated[str, typer.Option(metavar="TIME", help=f"only later ones: {_WHEN}", show_default=False)]
Before = Annotated[str, typer.Option(metavar="TIME", help=f"only earlier ones: {_WHEN}", show_default=False)]
Last = Annotated[int | None, typer.Option(metavar="N", min=1, help="only the N newest", show_default=False)]
Names = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN ...", autocompletion=completing.run, help="names of records, or parts of them"
    ),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="do not ask")]


@runs.callback()
def listed(
    ctx: typer.Context,
    engine: OfEngine = "",
    workload: OfWorkload = "",
    of_study: OfStudy = "",
    label: WithLabel = "",
    since: Since = "",
    before: Before = "",
    last: Last = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="print the list as CSV")] = False,
    as_json: AsJson = False,
) -> None:
    if ctx.invoked_subcommand is not None:
        _require_behind(ctx.invoked_subcommand, ctx.params)
        return
    wanted = _selection(engine, workload, of_study, label, since, before, last)
    found = headlines(wanted.of(record.all_records(settings.runs())))
    if wanted == Selection():
        found += [unreadable(path, why) for path, why in record.broken(settings.runs()).items()]
    if as_json:
        print(json.dumps([_table(line) for line in found], indent=1))
    elif as_csv:
        out = csv.DictWriter(sys.stdout, _COLUMNS, extrasaction="ignore", lineterminator="\n")
        out.writeheader()
        out.writerows({**_table(line), **line.storages, "labels": " ".join(line.labels)} for line in found)
    elif found:
        console().print(_listed(found))
    else:
        of = "" if wanted == Selection() else " that fit"
        print(f"no runs{of} in {settings.runs()}")


@runs.command(cls=CliCommand)
def label(
    word: Annotated[str, typer.Argument(metavar="WORD", help="letters, digits and . : + - _")],
    names: Names,
    remove: Annotated[bool, typer.Option("--remove", help="take it away instead")] = False,
) -> None:
    """Add a label to records, by which `weft runs`, `weft compare` and others find them.

    Example: weft runs label before-upgrade last
    """
    if not _LABEL.fullmatch(word):
        raise UsageError(f"{word!r} is no label", hint="use letters, digits and . : + - _, at most 64")
    chosen = [record.find(settings.runs(), name) for name in names]
    if running := [stored.directory.name for stored in chosen if stored.verdict == "RUNNING"]:
        raise UsageError(
            f"{', '.join(running)} is still running, and would lose the label",
            hint="label it when it has ended; `weft run --label WORD` does it from the start",
        )
    for stored in chosen:
        kept = [one for one in stored.head.labels if one != word]
        _relabel(stored, kept if remove else [*kept, word])
        print(f"{stored.directory.name}  {' '.join(kept if remove else [*kept, word]) or 'no label'}")


@runs.command(cls=CliCommand)
def rm(names: Names, yes: Yes = False) -> None:
    """Remove records, after a question.

    Example: weft runs rm 20260131-093012-terasort-spark-1a2b
    """
    _remove([_named(name) for name in names], yes=yes)


@runs.command(cls=CliCommand)
def prune(
    keep: Annotated[
        int, typer.Option(metavar="N", min=0, help="leave the N newest of them", show_default=False)
    ] = 0,
    engine: OfEngine = "",
    workload: OfWorkload = "",
    of_study: OfStudy = "",
    label: WithLabel = "",
    since: Since = "",
    before: Before = "",
    yes: Yes = False,
) -> None:
    """Remove all records that fit, after a question. Records with a label stay, unless --label names it.

    Example: weft runs prune --before 90d --keep 20
    """
    wanted = _selection(engine, workload, of_study, label, since, before, None)
    if wanted == Selection() and not keep:
        raise UsageError(
            "this would remove every record", hint="add --keep 20, --before 90d, or another filter"
        )
    fitting = wanted.of(record.all_records(settings.runs()))
    old = fitting[: max(0, len(fitting) - keep)]
    ended = [one for one in old if one.verdict != "RUNNING" and not _may_live(one)]
    _remove([one.directory for one in ended if label or not one.head.labels], yes=yes)


def _require_behind(command: str, given: Mapping[str, Any]) -> None:
    """Raises UsageError for options before a command, which has its own: records that a filter leaves out would be removed, too."""
    if named := [name for name, value in given.items() if value]:
        option = f"--{named[0].removeprefix('as_').removeprefix('of_')}"
        raise UsageError(
            f"weft runs: {option} before {command} selects no record for it",
            hint=f"write options behind it: `weft runs {command} --help` lists them",
        )


def _selection(
    engine: str, workload: str, study: str, label: str, since: str, before: str, last: int | None
) -> Selection:
    return Selection(engine, workload, label, study, _at("--since", since), _at("--before", before), last)


def _at(option: str, text: str) -> float | None:
    try:
        return moment(text) if text else None
    except ValueError as error:
        raise UsageError(f"{option}: {text!r} is no time", hint=f"write {option} {_WHEN}") from error


def _relabel(stored: Stored, labels: Sequence[str]) -> None:
    """Only the labels change, whatever the schema of the record."""
    head = (stored.folder / "record.json").json()
    record.write_json(stored.directory / "record.json", {**head, "labels": list(labels)})


def _named(name: str) -> Path:
    """The directory of a record, also of one that is not readable."""
    try:
        stored = record.find(settings.runs(), name)
    except RecordError:
        # one that is not readable is meant by its name or its path alone: a part of them may lead elsewhere
        there = [path for path in record.broken(settings.runs()) if name in {path.name, str(path)}]
        if not there:
            raise
        return there[0]
    if stored.verdict == "RUNNING":
        raise UsageError(
            f"{stored.directory.name} is still running", hint="end it first: Ctrl-C, or `weft down`"
        )
    if _may_live(stored):
        raise UsageError(
            f"{stored.directory.name} may still run on {stored.head.host}",
            hint="if it was killed, `weft clean` there, or here when its batch job has ended, lets you remove it",
        )
    return stored.directory


def _may_live(stored: Stored) -> bool:
    """Whether a run on another host that has long written nothing, such as one in a queue, has a lease and no verdict."""
    held = settings.state() / "leases" / f"{stored.directory.name}.jsonl"
    return stored.verdict == "KILLED" and stored.head.host != os.uname().nodename and held.exists()


def _remove(found: Sequence[Path], *, yes: bool) -> None:
    if not found:
        print("no record fits")
        return
    for path in found:
        print(f"  {path.name}  {show_size(sum(about.st_size for _, about in Entry(path).below()))}")
    if not yes and not _agreed(f"remove {len(found)} record{'s' if found[1:] else ''}?"):
        raise UsageError("nothing was removed")
    for path in found:
        remove_tree(str(path))
    if left := [path.name for path in found if path.exists()]:
        raise RecordError(f"could not remove {', '.join(left)}", hint="check the owner of the files in it")
    print(f"removed {len(found)} record{'s' if found[1:] else ''}")


def _agreed(question: str) -> bool:
    if not _asks():
        raise UsageError("nobody can be asked here, so nothing was removed", hint="add --yes")
    print(f"{question} [y/N] ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _asks() -> bool:
    """Whether somebody reads the question."""
    return sys.stdin.isatty()


def _storage(line: Headline) -> str:
    """The scratch, and the roles with another storage."""
    scratch = line.storages.get("scratch", "")
    others = (f"{role} {storage}" for role, storage in line.storages.items() if storage != scratch)
    return ", ".join(filter(None, [scratch, *others])) + (" (emulated)" if line.emulated else "")


def _listed(lines: list[Headline]) -> Table:
    table, labelled = Table(box=None, pad_edge=False, header_style="dim"), any(line.labels for line in lines)
    for title in ("run", "verdict", "workload", "engine", "nodes", "storage"):
        table.add_column(title, overflow="fold")
    for title in ("size", "seconds", "per node"):
        table.add_column(title, justify="right")
    if labelled:
        table.add_column("labels", overflow="fold")
    styles = {"VALID": "green", "RUNNING": "yellow", "UNCHECKED": "yellow"}
    for line in lines:
        arguments = [
            escape(word or NONE) for word in (line.workload, line.engine, line.nodes, _storage(line))
        ]
        speed = f"{size(line.throughput_per_node)}/s" if line.throughput_per_node else NONE
        style = styles.get(line.verdict, "red")
        table.add_row(
            escape(line.id),
            f"[{style}]{escape(line.verdict)}[/]",
            *arguments,
            size(line.size),
            seconds(line.seconds),
            speed,
            *([escape(" ".join(line.labels))] if labelled else []),
        )
    return table


_COLUMNS = (
    "id", "verdict", "workload", "engine", "nodes", "input", "output", "scratch", "size", "seconds",
    "throughput_per_node", "created", "key", "study", "repeat", "labels", "reason",
)  # fmt: skip
"""Of CSV: sizes in bytes, times in seconds."""


def _table(line: Headline) -> dict[str, Any]:
    return {
        key: value
        for key, value in dataclasses.asdict(line).items()
        if key not in {"spec", "explanation", "facts"}
    }
