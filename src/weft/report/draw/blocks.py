"""The content of a page: sections of simple blocks that both HTML and a terminal can show.

A section is made by a small function of what it reports on. To add one, write the function and put it in the list of
`pages/contents.py` for runs, of `pages/study.py` for studies; that of a probe is a file in `sections/probes/`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeVar

from weft.report.draw.families import classes

Tone = Literal["plain", "quiet", "good", "bad", "warn"]
Subject = TypeVar("Subject")


@dataclass(frozen=True)
class Words:
    """A paragraph."""

    kind: ClassVar[str] = "words"
    text: str
    tone: Tone = "plain"


@dataclass(frozen=True)
class Facts:
    """Names with their values."""

    kind: ClassVar[str] = "facts"
    pairs: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Listing:
    """Sentences, one per line."""

    kind: ClassVar[str] = "listing"
    items: Sequence[str]
    tone: Tone = "plain"


class Number(str):
    """The title of a column of numbers, which are right-aligned. Other titles are plain strings."""

    __slots__ = ()


@dataclass(frozen=True)
class Table:
    """Rows of texts under titles; `note` explains them."""

    kind: ClassVar[str] = "table"
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""

    @property
    def right(self) -> list[bool]:
        """Of each column: whether it is right-aligned."""
        return [isinstance(title, Number) for title in self.columns]


@dataclass(frozen=True)
class Bar:
    """Parts of a whole: name, size and size as text, in order. `families`: of each, what its colour means."""

    kind: ClassVar[str] = "bar"
    parts: Sequence[tuple[str, float, str]]
    families: Sequence[str]

    @property
    def classes(self) -> list[str]:
        """Of a page, for the colour of each part."""
        return classes(self.families)


@dataclass(frozen=True)
class CommandBlock:
    """A command that a reader can copy, and what it does."""

    kind: ClassVar[str] = "command"
    title: str
    text: str


@dataclass(frozen=True)
class Gauges:
    """Values below a limit: name, share of the limit, and both as text."""

    kind: ClassVar[str] = "gauges"
    rows: Sequence[tuple[str, float, str]]


@dataclass(frozen=True)
class Chart:
    """A chart as SVG that is drawn when the page needs it, and equivalent lines of text for a terminal."""

    kind: ClassVar[str] = "chart"
    title: str
    draw: Callable[[], str]
    plain: Sequence[str]
    note: str = ""
    legend: Mapping[str, str] | None = None
    """Colour class by meaning."""


@dataclass(frozen=True)
class Folded:
    """A long text: expanded on demand, or initially if `open`; a terminal shows it only if open."""

    kind: ClassVar[str] = "folded"
    title: str
    text: str
    open: bool = False


Block = Words | Facts | Listing | Table | Bar | CommandBlock | Gauges | Chart | Folded


@dataclass(frozen=True)
class Section:
    """A titled part of a page; shown only if it has blocks. `anchor` is its link target, the same in every report.

    `folded`: a page shows it on demand.
    """

    anchor: str
    title: str
    blocks: Sequence[Block] = ()
    unseen: Mapping[str, str] = field(default_factory=dict)
    """What was not observed, and why: listed in one line at the end of the page."""
    folded: bool = False


Maker = Callable[[Subject], Section]


def build(makers: Sequence[Maker[Subject]], subject: Subject) -> list[Section]:
    """All sections of a page with content; one that fails is replaced by a message.

    The last section lists what was not observed.
    """
    made = [_made(maker, subject) for maker in makers]
    unseen = {name: why for section in made for name, why in section.unseen.items()}
    words = "; ".join(f"{name} ({why})" for name, why in unseen.items())
    last = [Section("unseen", "Not observed", [Words(f"{words}.", "quiet")])] if unseen else []
    return [section for section in made if section.blocks] + last


def _made(maker: Maker[Subject], subject: Subject) -> Section:
    try:
        return maker(subject)
    except Exception as error:  # noqa: BLE001 - an incomplete page is better than none
        title = maker.__name__.replace("_", " ").capitalize()
        words = f"This section could not be created from this record ({type(error).__name__}: {error})."
        return Section(maker.__name__, title, [Words(words, "bad")])
