"""How much is printed besides results and errors: -q and -v. Importing it is fast."""

from dataclasses import dataclass


@dataclass
class Verbosity:
    """As the command line asks for it, once for the whole process."""

    quiet: bool = False
    """No progress."""
    verbose: bool = False
    """Also each step of a run, and the traceback of an error of weft's own."""


CHOSEN = Verbosity()
