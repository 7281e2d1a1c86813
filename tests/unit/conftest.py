"""What unit tests share."""

from pathlib import Path

import pytest


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory for stand-ins, first on PATH."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return tmp_path
