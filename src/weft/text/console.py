"""Standard output and standard error, for tables, reports and progress."""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from weft.text.printable import printable

WIDTH = 150
"""Columns if the output is not a terminal."""


class Printing(Console):
    """A console whose text has no control characters but its own."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)


def console(*, stderr: bool = False) -> Console:
    """The output; wide if it is not a terminal."""
    found = Printing(highlight=False, stderr=stderr)
    return found if stderr or found.is_terminal else Printing(highlight=False, width=WIDTH)
