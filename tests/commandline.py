"""What a command line says: the values of its options."""

from collections.abc import Iterable
from itertools import pairwise


def option(words: Iterable[object], key: str) -> str:
    """The value of --KEY. Raises ValueError without it."""
    listed = list(words)
    return str(listed[listed.index(f"--{key}") + 1])


def after(word: str, argv: Iterable[str]) -> list[str]:
    """What follows a word, each time that it is there."""
    return [value for key, value in pairwise(argv) if key == word]
