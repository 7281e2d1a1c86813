"""What all tests share: directories of their own, and marks by folder."""

from pathlib import Path

import hypothesis
import pytest
from xdist.scheduler import LoadScopeScheduling

# no test fails because a machine is slow, and the same tree gives the same answer
hypothesis.settings.register_profile("weft", deadline=None, derandomize=True)
hypothesis.settings.load_profile("weft")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "local: starts real engines on this machine")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "local" in item.path.parts:
            item.add_marker(pytest.mark.local)


class Together(LoadScopeScheduling):  # type: ignore[misc] # xdist has no types
    """Gives a worker all tests that share something: a module's cluster, the one Slurm, the contract's run."""

    def _split_scope(self, nodeid: str) -> str:
        path = Path(nodeid.partition("::")[0])
        return str(path.parent if path.parent.name in {"hosts", "contract"} else path)


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Together:
    return Together(config, log)


@pytest.fixture(autouse=True)
def own_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test sees records, leases or scratch of anybody else."""
    for variable in ("WEFT_RUNS", "WEFT_STATE", "WEFT_WORK"):
        monkeypatch.setenv(variable, str(tmp_path / variable.removeprefix("WEFT_").lower()))
    monkeypatch.delenv("SPARK_HOME", raising=False)
    return tmp_path
