"""Creates the page of a record."""

import os
from pathlib import Path
from urllib.parse import quote

from weft import __version__
from weft.analysis.summary.gather import summarize
from weft.analysis.summary.summary import Summary
from weft.errors import RecordError
from weft.record.record import Stored, page_path
from weft.report.draw.blocks import build
from weft.report.draw.html import HtmlPage, render
from weft.report.pages.contents import makers
from weft.report.sections import verdict
from weft.report.sections.explain import to_try
from weft.report.sections.failure import hint
from weft.text import entry
from weft.text.numbers import maybe
from weft.text.units import show_seconds, show_size

NAME = "report.html"


def write(stored: Stored, output: Path | None = None) -> Path:
    """Write a run's page, by default to its record if that is this user's: what the record alone says.

    Raises RecordError only if the file is not writable.
    """
    return of(summarize(stored), stored, output or page_path(stored.directory, NAME))


def of(summary: Summary, stored: Stored, path: Path) -> Path:
    """Write the page of a summary, with links to the files of its record. Raises RecordError if the file is not writable."""
    base = quote(f"{os.path.relpath(stored.directory, path.parent)}/", safe="/")
    return save(text(summary, base), path)


def save(page: str, path: Path) -> Path:
    """Write atomically."""
    try:
        entry.write(path, page)
    except OSError as error:
        raise RecordError(
            f"cannot write {path}: {error.strerror}", hint="choose another path with --out FILE"
        ) from error
    return path


def text(summary: Summary, base: str | None = None) -> str:
    """A run's page. `base`: what leads to the record from where it will be; without it, logs are no links."""
    return render(
        HtmlPage(
            title=": ".join(filter(None, [summary.program, summary.id])),
            badge=summary.verdict,
            tone=verdict.tone(summary),
            sentences=[verdict.sentence(summary), *_where(summary)],
            trying=_to_do(summary),
            tiles=tiles(summary),
            notes=notes(summary),
            base=base,
            warnings=warnings(summary),
            footer=footer(summary),
            data=summary.json_text(indent=None),
            sections=build(makers(), summary),
        )
    )


def _to_do(summary: Summary) -> list[str]:
    """What to do about a failure, or what to try; nothing where nothing helps."""
    if found := hint(summary):
        return [found]
    known = summary.explanation
    return to_try(known) if known and known.trying else []


def _where(summary: Summary) -> list[str]:
    """Without what to try, which has a box of its own."""
    found = verdict.where(summary)
    if summary.stream or summary.explanation is None or summary.explanation.trying is None:
        return found
    return found[: len(found) - len(to_try(summary.explanation))]


def tiles(summary: Summary) -> list[tuple[str, str]]:
    """The most important numbers."""
    ran, result = summary.seconds("run"), summary.result
    pairs = [
        ("measured", maybe(show_seconds, result)),
        ("run phase" if result is not None else "run phase (no result)", maybe(show_seconds, ran)),
        ("per node", f"{show_size(summary.throughput_per_node)}/s" if summary.throughput_per_node else ""),
        ("in", show_size(summary.bytes_in) if summary.bytes_in else ""),
        ("out", show_size(summary.bytes_out) if summary.bytes_out else ""),
        ("nodes", summary.nodes_asked),
        ("node-hours", maybe(lambda hours: f"{hours:.2g}", summary.node_hours)),
        ("scratch", summary.storages.get("scratch", "")),
    ]
    return [(name, value) for name, value in pairs if value]


def notes(summary: Summary) -> list[str]:
    """What the two times of a run are."""
    if summary.result is None or summary.seconds("run") is None:
        return []
    own = "the time of the work by the program's own clock" if summary.own_clock else "the run phase"
    return [
        f"measured: {own}; throughput is calculated from it. Run phase: with the program's start and end; parts and node-hours are calculated from it."
    ]


def warnings(summary: Summary) -> list[str]:
    """What a reader must know before the numbers."""
    found = [f"Emulated storage: {words}" for words in summary.emulated]
    found += [f"{summary.unsecured}."] if summary.unsecured else []
    recovered = len(summary.lost) + len(summary.recoveries)
    if recovered:
        verb = "; the time includes them" if summary.verdict == "VALID" else ""
        found.append(f"{recovered} losses or recoveries during the run, listed below{verb}.")
    return found


def probes(summary: Summary) -> str:
    """What observed, and why, where nobody asked for it."""
    named = [
        f"{name} (because {summary.probes_added[name]})" if name in summary.probes_added else name
        for name in summary.probes
    ]
    return ", ".join(named) or "none"


def footer(summary: Summary) -> list[str]:
    """Who measured what, when and with which versions."""
    return [
        f"Record {summary.id}, created {summary.created} on {summary.host} by weft {summary.weft} with {summary.engine_named}, spec {summary.key}.",
        f"Report by weft {__version__}, from the record only; probes: {probes(summary)}.",
        "The element #data of this page contains its numbers as JSON.",
    ]
