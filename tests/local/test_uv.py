"""uv itself, as a checkout starts it: what a lock does not have is not installed, and none of its code runs."""

import hashlib
import io
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import installing
import pytest


@pytest.fixture(scope="module")
def uv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installing.program(tmp_path_factory.mktemp("uv") / "uv", print)


def source(folder: Path, ran: Path) -> bytes:
    """A source archive whose build leaves a file."""
    archive = folder / "odd-1.tar.gz"
    contents = {
        "PKG-INFO": "Metadata-Version: 2.1\nName: odd\nVersion: 1\n",
        "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
        "backend.py": f"open({str(ran)!r}, 'w')\n",
    }
    with tarfile.open(archive, "w:gz") as tar:
        for name, text in contents.items():
            member = tarfile.TarInfo(f"odd-1/{name}")
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text.encode()))
    return archive.read_bytes()


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
    done = installed(uv, tmp_path, source(tmp_path, tmp_path / "ran"), monkeypatch)
    assert done.returncode != 0
    assert not (tmp_path / "ran").exists()
    assert "building from source is disabled for all packages" in done.stderr
