"""Sections as terminal text: the same content as the page."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Literal

from rich import markup
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from weft.analysis.explain.limits import FULL
from weft.analysis.explain.timeparts import Explanation
from weft.analysis.summary.summary import Summary
from weft.report.draw import families
from weft.report.draw.blocks import (
    Bar,
    Block,
    Chart,
    CommandBlock,
    Facts,
    Folded,
    Gauges,
    Listing,
    Section,
    Table,
    Tone,
    Words,
    build,
)
from weft.report.pages.contents import makers
from weft.report.pages.page import footer, tiles, warnings
from weft.report.sections import verdict
from weft.report.sections.explain import TITLE, bar, blocks, first_screen
from weft.text.numbers import NONE
from weft.text.printable import printable

_STYLES: dict[Tone, str] = {"plain": "", "quiet": "dim", "good": "green", "bad": "red", "warn": "yellow"}
_BAR = 60
_GAUGE = 20


def escape(text: str) -> str:
    """A text of others between markup, of which nothing is markup or controls the terminal."""
    return markup.escape(printable(text))


def verbatim(text: str) -> Text:
    """A text of others by itself. Escaped, it would have other backslashes: `\\[` one less, and one at its end twice."""
    return Text(printable(text))


def show(summary: Summary, out: Console) -> None:
    """One run."""
    style = _STYLES[verdict.tone(summary)]
    out.print(f"[bold {style} reverse] {escape(summary.verdict)} [/]  {escape(summary.id)}")
    out.print(verbatim(verdict.sentence(summary)), style="bold")
    for words in verdict.where(summary):
        out.print(verbatim(words))
    for words in warnings(summary):
        out.print(verbatim(words), style="yellow")
    out.print("   ".join(f"[dim]{escape(name)}[/] {escape(value)}" for name, value in tiles(summary)))
    sections(build(makers(), summary), out)
    out.print()
    for line in footer(summary)[:2]:
        out.print(verbatim(line), style="dim")


def explain(explanation: Explanation, out: Console) -> None:
    """Where the slot time of one run went."""
    sections([Section("explain", TITLE, blocks(explanation))], out)


def _gauges(rows: Sequence[tuple[str, float, str]], out: Console) -> None:
    grid = Grid.grid(padding=(0, 2))
    for name, share, words in rows:
        full = round(min(share, 1.0) * _GAUGE)
        colour = "red" if share >= FULL else "blue"
        grid.add_row(
            f"  {escape(name)}", f"[{colour}]{'█' * full}[/][dim]{'░' * (_GAUGE - full)}[/]", escape(words)
        )
    out.print(grid)


def explain_briefly(explanation: Explanation, out: Console) -> None:
    """The same in a few lines, for the end of a run."""
    out.print(verbatim(f"  {explanation.sentence}"), style="" if explanation.verdict else "yellow")
    _show(bar(explanation), out)
    for words in first_screen(explanation)[1:]:
        out.print(verbatim(f"  {words}"))


def sections(found: Sequence[Section], out: Console) -> None:
    """Sections one after the other."""
    for section in found:
        out.print()
        out.print(verbatim(section.title), style="bold underline")
        folded = [block.title for block in section.blocks if isinstance(block, Folded) and not block.open]
        for block in section.blocks:
            _show(block, out)
        if folded:
            out.print(verbatim(f"  in the record: {', '.join(folded)}"), style="dim")


def _show(block: Block, out: Console) -> None:
    match block:
        case Words(text, tone):
            out.print(verbatim(f"  {text}"), style=_STYLES[tone])
        case Listing(items, tone):
            _lines([f"- {item}" for item in items], out, "  ", _STYLES[tone])
        case Facts(pairs):
            out.print(_facts(pairs))
        case Table():
            _table(block, out)
        case Bar():
            _bar(block, out)
        case CommandBlock(title, text):
            out.print(f"  {escape(title)}: [bold]{escape(text)}[/]")
        case Gauges(rows):
            _gauges(rows, out)
        case Chart(title, _, plain):
            out.print(f"  [bold]{escape(title)}[/]")
            _lines(plain, out)
        case Folded(title, text, True):
            out.print(f"  [bold]{escape(title)}[/]")
            _lines(text.splitlines(), out, style="dim")


def _lines(lines: Sequence[str], out: Console, indent: str = "    ", style: str = "") -> None:
    for line in lines:
        out.print(verbatim(f"{indent}{line}"), style=style)


def _facts(pairs: Sequence[tuple[str, str]]) -> Grid:
    grid = Grid.grid(padding=(0, 2))
    for pair in pairs:
        grid.add_row(f"  [dim]{escape(pair[0])}[/]", verbatim(pair[1]))
    return grid


def _table(table: Table, out: Console) -> None:
    """A table without columns that are empty in all rows."""
    filled = [
        any(cell not in {"", NONE} for cell in cells) for cells in zip_longest(*table.rows, fillvalue="")
    ]
    kept = [index for index, says in enumerate(filled) if says]
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    grid.add_column("")
    for index in kept:
        justify: Literal["left", "right"] = "right" if table.right[index] else "left"
        grid.add_column(verbatim(table.columns[index]), justify=justify, overflow="fold")
    for row in table.rows:
        grid.add_row("", *(verbatim(row[index]) for index in kept))
    out.print(grid)
    if table.note:
        out.print(verbatim(f"  {table.note}"), style="dim")


def _bar(bar: Bar, out: Console) -> None:
    parts, whole = bar.parts, sum(size for _, size, _ in bar.parts) or 1.0
    colours = families.styles(bar.families)
    lengths = [round(size / whole * _BAR) for _, size, _ in parts]
    out.print(
        "  "
        + "".join(f"[{colour}]{'█' * length}[/]" for colour, length in zip(colours, lengths, strict=True))
    )
    words = (
        f"[{colour}]■[/] {escape(name)} [bold]{escape(size)}[/]"
        for colour, (name, _, size) in zip(colours, parts, strict=True)
    )
    out.print("  " + "   ".join(words))
