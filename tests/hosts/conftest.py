"""What the tests of a site share: a real Slurm for the session, and the command line of a user of it."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.hosts.slurmd import NODES, Slurm, slurm
from tests.local.conftest import Weft
from tests.needs import SLURM, require


@dataclass
class SiteWeft(Weft):
    """The command line on the login node of a Slurm."""

    slurm: Slurm

    @property
    def environment(self) -> dict[str, str]:
        own = {
            "WEFT_SITE": str(self.home / "site.toml"),
            "WEFT_WORK": str(self.slurm.local / self.home.name),
        }
        return {**super().environment, **self.slurm.environment, **directories(super().environment), **own}

    def leftovers(self) -> list[str]:
        """The same, with what lies in the nodes' own directories."""
        local = [self.slurm.local, *(self.slurm.own(name) for name in NODES)]
        return super().leftovers() + [str(path) for one in local for path in one.glob(f"{self.home.name}/*")]

    def words(self, *words: str) -> list[str]:
        """The command itself, for something else to start."""
        return [sys.executable, "-m", "weft", *words]

    def record(self) -> Path:
        """The newest record; job scripts are beside them."""
        return max((self.home / "runs").glob("2*"))

    def job(self) -> int:
        """The number of the one job that is queued or runs."""
        (number,) = self.slurm.jobs()
        return int(number)


def directories(environment: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in environment.items() if key.startswith(("WEFT_", "PYTHONPATH"))}


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    require(*SLURM)
    with slurm(tmp_path_factory.mktemp("slurm", numbered=True)) as live:
        yield live


@pytest.fixture
def weft(tmp_path: Path, cluster: Slurm) -> Iterator[SiteWeft]:
    command = SiteWeft(tmp_path, cluster)
    yield command
    command.end()
    cluster.wait_until_idle()
    command.require_nothing_left()
