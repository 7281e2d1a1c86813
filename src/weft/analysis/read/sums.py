"""Sums by key."""

from collections.abc import Hashable, Iterable
from typing import TypeVar

import numpy as np

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value", float, np.ndarray[tuple[int], np.dtype[np.float64]])


def sums(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, Value]:
    """By key: the sum of its values. Keys are in the order in which they come."""
    found: dict[Key, Value] = {}
    for key, value in pairs:
        found[key] = found[key] + value if key in found else value
    return found
