"""Processes that weft adopted are reaped while other threads of it wait for their own."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn

import pytest

from weft.host import adopted, subreaper


@pytest.mark.parametrize("gone", [FileNotFoundError, ProcessLookupError])
def test_a_process_for_which_another_thread_waited_meanwhile_is_no_error(
    gone: type[OSError], monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(*_: object, **__: object) -> NoReturn:
        raise gone

    monkeypatch.setattr(subreaper, "_adopting", True)
    monkeypatch.setattr(os, "waitid", lambda *_: SimpleNamespace(si_pid=4_000_000))
    monkeypatch.setattr(Path, "read_text", read)
    adopted.reap()
