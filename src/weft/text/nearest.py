"""Hints for misspelled words."""

import difflib
from collections.abc import Sequence


def nearest(word: str, known: Sequence[str]) -> str:
    """A hint with the nearest known word, and all of them."""
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    listed = f"known: {', '.join(known)}"
    return f"did you mean {close[0]!r}? {listed}" if close else listed
