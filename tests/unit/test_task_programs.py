"""weft's jobs for engines of Python functions, without an engine."""

import importlib
from pathlib import Path

import numpy as np
import pytest

import weft

PROGRAMS = Path(weft.__file__).parent / "adapters" / "engines" / "programs"


def test_a_part_of_a_sort_may_have_no_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PROGRAMS))
    records = importlib.import_module("weft_tasks.records")
    (tmp_path / "_temporary").mkdir()
    block = np.arange(200, dtype=np.uint8).reshape(2, 100)[::-1]
    assert records.write(0, [block[:0], block[:0]], tmp_path) == 0
    assert records.write(1, [block, block[:0]], tmp_path) == 2
    assert (tmp_path / "part-00000").read_bytes() == b""
    assert (tmp_path / "part-00001").read_bytes() == bytes(range(200))
