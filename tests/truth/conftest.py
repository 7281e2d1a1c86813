"""Runs whose answer is known beforehand, and what `weft explain` says of them."""

from tests.local.conftest import weft

__all__ = ["weft"]
