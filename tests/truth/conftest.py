"""Runs whose answer is known beforehand, and what `weft explain` says of them."""

import pytest

from tests.local.conftest import weft

__all__ = ["stock_java", "weft"]


@pytest.fixture(autouse=True)
def stock_java(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compilers and the collector that a user's JVMs have, and not those of other tests."""
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "")
