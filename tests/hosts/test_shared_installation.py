"""One read-only installation from a bundle, used by two users of a Slurm at once: both runs are valid, and it stays as it is."""

import hashlib
import json
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.slurmd import NODES, Slurm, slurm
from tests.local import bare
from tests.needs import NATIVE, SLURM, needs

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(3600),
    needs(*SLURM, *NATIVE, "setpriv", "readelf"),
]
RUNS = {"nobody": ("slurm:1", "spark"), "daemon": ("slurm:2", "flink")}
"""By user: nodes and engine. Together they take all nodes."""


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """Where other users can look, as they cannot in pytest's directories."""
    path = Path(tempfile.mkdtemp(prefix="weft-users-", dir="/var/tmp"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope="module")
def cluster(home: Path) -> Iterator[Slurm]:
    with slurm(home / "slurm") as live:
        for path in (live.local, *(live.own(name) for name in NODES)):
            path.chmod(0o1777)
        yield live


@pytest.fixture(scope="module")
def prefix(home: Path) -> Path:
    """Made by `install`, from the bundle of a weft that pip installed from its wheel."""
    bundle = bare.bundle(home, ",".join(engine for _, engine in RUNS.values()))
    subprocess.run(["tar", "-C", home, "-xf", bundle], check=True)
    (root,) = home.glob("weft-[0-9]*")
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    subprocess.run([root / "install", home / "shared"], env=environment, check=True)
    shutil.rmtree(root)
    bundle.unlink()
    return home / "shared"


def contents(prefix: Path) -> dict[str, tuple[object, ...]]:
    """Of everything below: its owner, mode, times of change, and the checksum of its bytes."""
    found: dict[str, tuple[object, ...]] = {}
    for path in [prefix, *prefix.rglob("*")]:
        stat, digest = path.lstat(), ""
        if path.is_symlink():
            digest = str(path.readlink())
        elif path.is_file():
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        found[str(path)] = (stat.st_uid, stat.st_mode, stat.st_mtime_ns, stat.st_ctime_ns, digest)
    return found


def _writable(path: Path) -> bool:
    return not path.is_symlink() and bool(path.stat().st_mode & 0o222)


def run(prefix: Path, cluster: Slurm, home: Path, user: str) -> dict[str, Any]:
    """The head of the record of a run, as that user on the login node."""
    (nodes, engine), known = RUNS[user], pwd.getpwnam(user)
    own = home / f"of-{user}"
    own.mkdir(mode=0o700)
    os.chown(own, known.pw_uid, known.pw_gid)
    environment = {
        "HOME": str(own),
        "USER": user,
        "PATH": cluster.environment["PATH"],
        "SLURM_CONF": cluster.environment["SLURM_CONF"],
        "WEFT_WORK": str(cluster.local / user),
    }
    become = ["setpriv", f"--reuid={known.pw_uid}", f"--regid={known.pw_gid}", "--init-groups", "--"]
    words = ["run", "terasort", "--size", "20MB", "--nodes", nodes, "--engine", engine, "--json"]
    done = subprocess.run(
        [*become, prefix / "bin" / "weft", *words],
        cwd=own, env=environment, capture_output=True, text=True, check=False, timeout=900,
    )  # fmt: skip
    assert done.stdout, done.stderr
    result = json.loads(done.stdout)
    assert result["verdict"] == "VALID", f"{result}\n{done.stderr}"
    record = Path(result["record"])
    assert record.is_relative_to(own)
    assert {path.stat().st_uid for path in record.rglob("*")} == {known.pw_uid}
    head: dict[str, Any] = json.loads((record / "record.json").read_text())
    return head


def test_two_users_of_a_slurm_use_one_installation_at_once_and_nothing_below_it_changes(
    prefix: Path, cluster: Slurm, home: Path
) -> None:
    before = contents(prefix)
    assert [path for path in [prefix, *prefix.rglob("*")] if _writable(path)] == []
    with ThreadPoolExecutor() as pool:
        heads = list(pool.map(lambda user: run(prefix, cluster, home, user), RUNS))
    jobs = [head["slurm"] for head in heads]
    assert [job["JobState"] for job in jobs] == ["COMPLETED", "COMPLETED"]
    assert set(jobs[0]["nodes"]).isdisjoint(jobs[1]["nodes"])
    assert max(job["StartTime"] for job in jobs) < min(job["EndTime"] for job in jobs), "not at once"
    assert contents(prefix) == before


def test_the_comparison_sees_what_was_written_and_dated_back(tmp_path: Path) -> None:
    file = tmp_path / "engine.jar"
    file.write_text("jar")
    before, stat = contents(tmp_path), file.stat()
    file.write_text("rat")
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    after = contents(tmp_path)
    assert [path for path in before if before[path] != after[path]] == [str(file)]
    (tmp_path / "new").touch()
    assert set(contents(tmp_path)) - set(before) == {str(tmp_path / "new")}
