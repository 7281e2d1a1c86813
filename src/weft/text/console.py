"""Standard output and standard error, for tables, reports and progress."""

import errno
import os
import sys
from collections.abc import Iterable
from typing import IO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from weft.text.closed import silence
from weft.text.printable import printable

WIDTH = 150
"""Columns if the output is not a terminal."""


class Printing(Console):
    """A console whose text has no control characters but its own."""

    @property
    def file(self) -> IO[str]:
        """The file itself: what is before it would remove this console's own controls too, and Live adds one more."""
        found = self._file or (sys.stderr if self.stderr else sys.stdout)
        while (below := getattr(found, "rich_proxied_file", None)) is not None:
            found = below
        return found

    @file.setter
    def file(self, new_file: IO[str]) -> None:
        self._file = new_file

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)

    def on_broken_pipe(self) -> None:
        """Leave to the caller what it means: rich would end the program here, with 1."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))

    def _check_buffer(self) -> None:
        """Write what is to be shown. Progress that cannot be written is not shown, and nothing ends because of it."""
        try:
            super()._check_buffer()
        except OSError as error:
            if not self.stderr:
                raise
            del self._buffer[:]
            self.quiet = silence(self.file, error)


def console(*, stderr: bool = False) -> Console:
    """The output; wide if it is not a terminal."""
    # a word between two colons is a text of others, such as a label
    found = Printing(highlight=False, emoji=False, stderr=stderr)
    return found if stderr or found.is_terminal else Printing(highlight=False, emoji=False, width=WIDTH)
