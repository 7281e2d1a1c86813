"""Why programs on Dask fail: each cause is caused on a real cluster, and named by the first line, with no other."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.local.causes import Cause, params, persistent, require_named
from tests.local.conftest import Weft

SMALL = ("--engine", "dask", "--nodes", "local:2", "--set", "probes=null")
BEGIN = "from distributed import Client\n"
CALL = "\nwith Client() as client:\n    print(client.submit(work, 0).result())\n"
CAUSES = [
    Cause("exception", "", r"ZeroDivisionError: integer division or modulo by zero \(exception.py, line 5; in work, line 2\)",
          f"{BEGIN}def work(x): return 1 // x\n{CALL}"),
    Cause("module", "python-module-task", "the Python of the workers has no module nowhere",
          f"{BEGIN}def work(x): import nowhere\n{CALL}"),
    Cause("exit", "workers-died", "worker processes died again and again while they ran the task work-",
          f"{BEGIN}import os\ndef work(x): os._exit(7)\n{CALL}"),
    Cause("memory", "worker-memory", "a worker process used more memory than its limit, and its nanny ended it",
          f"{BEGIN}import time\ndef work(x):\n    kept = bytearray(b'x') * 1_000_000_000\n    time.sleep(30)\n{CALL}",
          with_=("workers-died",)),
]  # fmt: skip


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Weft]:
    home: Path = tmp_path_factory.mktemp("dask")
    with persistent(home, *SMALL, "--set", "engine.worker_memory=500MB") as weft:
        yield weft


@pytest.mark.long
@pytest.mark.parametrize("cause", params(CAUSES))
def test_the_first_line_names_the_cause(cluster: Weft, cause: Cause) -> None:
    require_named(cluster, cause)
