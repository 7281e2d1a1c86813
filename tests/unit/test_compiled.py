"""Modules of weft are compiled once."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import weft


def test_where_python_is_asked_to_write_no_bytecode(tmp_path: Path) -> None:
    shutil.copytree(
        Path(weft.__file__).parent, tmp_path / "weft", ignore=shutil.ignore_patterns("__pycache__")
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-P", "-m", "weft", "--version"]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    assert list((tmp_path / "weft" / "cli").rglob("*.pyc"))
