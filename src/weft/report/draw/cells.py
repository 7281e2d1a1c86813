"""Cells of a table that a page shows as more than their text, and a terminal as their text."""

from collections.abc import Sequence
from typing import Self
from urllib.parse import quote

from weft.report.draw.families import classes


class Linked(str):
    """A file of the record: a link where the page is on the same machine as the record."""

    __slots__ = ()

    @property
    def target(self) -> str:
        """Its path below the record, as a part of an address."""
        return quote(self, safe="/")


class Shares(str):
    """A text after a small bar of shares of a whole, each with the colour of its family; of one share, a square."""

    __slots__ = ("parts",)
    parts: Sequence[tuple[str, float]]

    @classmethod
    def of(cls, text: str, parts: Sequence[tuple[str, float]]) -> Self:
        """`parts`: families with their shares."""
        made = cls(text)
        made.parts = parts
        return made

    @property
    def coloured(self) -> list[tuple[str, float]]:
        """Classes of colours, with the shares."""
        shown = classes([family for family, _ in self.parts])
        return [(name, share) for name, (_, share) in zip(shown, self.parts, strict=True)]
