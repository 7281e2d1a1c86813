"""uv itself, as a checkout starts it: what a lock does not have is not installed, and none of its code runs; each lock fits each Python."""

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import installing
import pytest

from tests.sourcearchive import source_archive
from weft.host import settings

ROOT = settings.SOURCE
OLDEST = {"requirements-explainers.lock": "3.12.0"}
"""Where that is not the Python of Debian 12, the oldest with which weft is tested: tools that weft is compared with need a newer one."""
DEBIAN, NEWEST = "3.11.2", "3.14.0"


@pytest.fixture(scope="module")
def uv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installing.program(tmp_path_factory.mktemp("uv") / "uv", print)


def wheel(folder: Path) -> bytes:
    path = folder / "odd-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("odd.py", "print('it is there')\n")
        archive.writestr("odd-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: odd\nVersion: 1\n")
        archive.writestr(
            "odd-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr("odd-1.dist-info/RECORD", "odd.py,,\n")
    return path.read_bytes()


def installed(
    uv: Path, folder: Path, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> "subprocess.CompletedProcess[str]":
    """Installation of what a lock says about `content`, from the files of a folder, into an environment there."""
    (folder / "requirements.lock").write_text(f"odd==1 --hash=sha256:{hashlib.sha256(content).hexdigest()}\n")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True)
    argv = [*installing.command(uv, str(folder / "env/bin/python")), str(folder / "requirements.lock")]
    return subprocess.run(
        argv, env=installing.variables(), capture_output=True, text=True, check=False, timeout=300
    )


def test_a_wheel_of_the_lock_is_installed(uv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = installed(uv, tmp_path, wheel(tmp_path), monkeypatch)
    assert done.returncode == 0, done.stderr
    ran = subprocess.run([tmp_path / "env/bin/python", "-c", "import odd"], capture_output=True, check=True)
    assert ran.stdout == b"it is there\n"


def test_a_wheel_with_another_checksum_is_refused(
    uv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = installed(uv, tmp_path, wheel(tmp_path) + b"more", monkeypatch)
    assert done.returncode != 0
    assert "Hash mismatch for `odd==1`" in done.stderr


def test_a_source_archive_is_refused_before_anything_of_it_runs(
    uv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its build would run code, and install more packages, without any hash."""
    done = installed(uv, tmp_path, source_archive(tmp_path, tmp_path / "ran"), monkeypatch)
    assert done.returncode != 0
    assert not (tmp_path / "ran").exists()
    assert "building from source is disabled for all packages" in done.stderr


@pytest.mark.parametrize("lock", sorted(path.name for path in ROOT.glob("requirements*.lock")))
@pytest.mark.parametrize("newest", [False, True])
def test_a_lock_has_packages_for_the_oldest_and_the_newest_python(
    uv: Path, tmp_path: Path, lock: str, newest: bool
) -> None:
    """A package may need a later patch release than the one that wrote the lock had to have."""
    version = NEWEST if newest else OLDEST.get(lock, DEBIAN)
    argv = [*installing.command(uv, sys.executable), str(ROOT / lock)]
    dry = ["--dry-run", "--python-version", version, "--target", str(tmp_path / "none")]
    done = subprocess.run(
        [*argv, *dry], env=installing.variables(), capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
