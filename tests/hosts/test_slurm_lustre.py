"""A Slurm whose nodes mounted an emulated Lustre before any job, as a site's do."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.hosts.conftest import SiteWeft
from tests.hosts.slurmd import Slurm, slurm
from tests.needs import SLURM, require
from weft.host.programs import native


@dataclass(frozen=True)
class Lustre:
    """What is mounted, and what the one metadata server behind it counts."""

    mounted: Path
    stored: Path


@pytest.fixture(scope="module")
def lustre(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lustre]:
    home = tmp_path_factory.mktemp("lustre", numbered=True)
    site = Lustre(home / "mounted", home / "stored")
    for path in (site.mounted, site.stored):
        path.mkdir()
    binary = native.build(print) / "latencyfs"
    words = [binary, "--source", site.stored, "--profile", "lustre", "--mountpoint", f"all={site.mounted}"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as daemon:
        assert daemon.stdout
        assert "ready" in daemon.stdout.readline()
        try:
            yield site
        finally:
            daemon.terminate()


@pytest.fixture(scope="module")
def cluster(lustre: Lustre, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    """Begun after the mount, which each node's own mount namespace then has too."""
    require(*SLURM)
    assert lustre.mounted.is_mount()
    with slurm(tmp_path_factory.mktemp("slurm", numbered=True)) as live:
        yield live


@pytest.mark.long
@pytest.mark.parametrize("workload", ["terasort:20MB", "wordcount:5MB", "groupby:500", "sql-join:20000"])
@pytest.mark.parametrize("engine", ["dask", "ray"])
def test_engines_of_python_compute_every_workload_they_have(
    weft: SiteWeft, lustre: Lustre, engine: str, workload: str
) -> None:
    words = ("run", workload, "--engine", engine, "--nodes", "slurm:3,cores=1")
    result = weft.result(*words, "--scratch", f"mount:{lustre.mounted}")
    assert result["verdict"] == "VALID", result
    assert weft.head()["slurm"]["nodes"] == ["n1", "n2", "n3"]
    places = json.loads((weft.record() / "resolved.json").read_text())["places"]
    assert all(Path(path).is_relative_to(lustre.mounted) for path in places["scratch"]["paths"].values())
    assert list(lustre.stored.iterdir()) == []
