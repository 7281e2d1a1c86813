"""The example notebook runs on a persistent cluster, in Jupyter's own kernel."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.local.conftest import Weft
from tests.local.test_readme import ROOT

pytestmark = [pytest.mark.long, pytest.mark.timeout(1200)]
EXECUTE = """
import sys
import nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
nbformat.write(notebook, sys.argv[2])
"""


@pytest.fixture
def weft(tmp_path: Path) -> Weft:
    return Weft(tmp_path)


def test_the_example_notebook_runs_and_the_cluster_ends_without_a_rest(weft: Weft, tmp_path: Path) -> None:
    done = weft("up", "--nodes", "local:2", "--name", "mine")
    assert done.returncode == 0, done.stderr
    try:
        lock, out = ROOT / "requirements-notebook.lock", tmp_path / "executed.ipynb"
        argv = [ROOT / "tools" / "python", lock, "-c", EXECUTE, ROOT / "examples" / "notebook.ipynb", out]
        own = {**os.environ, **weft.environment}
        executed = subprocess.run(argv, cwd=tmp_path, env=own, capture_output=True, text=True, check=False)
        assert executed.returncode == 0, executed.stderr
    finally:
        ended = weft("down", "mine")
    assert ended.returncode == 0, ended.stderr
    assert weft.leftovers() == []
    cells = {cell["id"]: cell for cell in json.loads(out.read_text())["cells"]}
    assert "'4." in "".join(cells["connect"]["outputs"][0]["data"]["text/plain"])
    assert "0: " in "".join(cells["group"]["outputs"][0]["data"]["text/plain"])
    assert "persistent" in weft.head()["workload"]
