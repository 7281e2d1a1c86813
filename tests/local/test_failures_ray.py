"""Why programs on Ray fail: each cause is caused on a real cluster, and named by the first line, with no other."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.local.causes import Cause, params, persistent, require_named
from tests.local.conftest import Weft
from tests.needs import NATIVE, needs

SMALL = ("--engine", "ray", "--nodes", "local:2", "--set", "probes=null")
CALL = "\nray.init()\nprint(ray.get(ray.remote(work).remote(0)))\n"
CAUSES = [
    Cause("exception", "", r"ZeroDivisionError: integer division or modulo by zero \(exception.py, line \d+\)",
          f"import ray\ndef work(x): return 1 // x\n{CALL}"),
    Cause("chain", "", r"^ValueError: no number \(chain.py, line 4\), caused by ZeroDivisionError: .* \(chain.py, line 3\)$",
          f"import ray\ndef work(x):\n    try: return 1 // x\n    except ZeroDivisionError as error: raise ValueError('no number') from error\n{CALL}"),
    Cause("module", "python-module-task", "the Python of the workers has no module nowhere",
          f"import ray\ndef work(x): import nowhere\n{CALL}"),
    Cause("exit", "worker-crashed", "a worker process of Ray ended while it ran a task",
          f"import os, ray\ndef work(x): os._exit(7)\n{CALL}"),
]  # fmt: skip


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Weft]:
    home: Path = tmp_path_factory.mktemp("ray")
    with persistent(home, *SMALL) as weft:
        yield weft


@pytest.mark.long
@needs(*NATIVE)
@pytest.mark.parametrize("cause", params(CAUSES))
def test_the_first_line_names_the_cause(cluster: Weft, cause: Cause) -> None:
    require_named(cluster, cause)
