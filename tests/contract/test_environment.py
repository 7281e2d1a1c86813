"""Environments are made once, whole or again; needs a few seconds each, so it is not a unit test."""

import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    """A lock file without packages."""
    path = tmp_path / "requirements.lock"
    path.write_text("# nothing\n")
    return path


def start(
    lock: Path, *words: str, path: str = os.environ["PATH"], **more: str
) -> "subprocess.CompletedProcess[str]":
    environment = {"PATH": path, "WEFT_CACHE": str(lock.parent / "cache"), "HOME": str(lock.parent), **more}
    argv = ["/bin/sh", str(ROOT / "tools" / "python"), str(lock), *words]
    return subprocess.run(argv, env=environment, capture_output=True, text=True, check=False, cwd=lock.parent)


def environment_of(lock: Path) -> Path:
    digest = hashlib.sha256(lock.read_bytes()).hexdigest()[:12]
    return lock.parent / "cache" / f"env-{digest}-py{sys.version_info[0]}.{sys.version_info[1]}"


def test_it_is_made_once_and_found_again(lock: Path) -> None:
    first = start(lock, "-c", "import sys; print(sys.prefix)")
    assert first.stdout.strip().startswith(str(lock.parent / "cache" / "env-")), first.stderr
    assert "setting up" in first.stderr
    assert "ready" in first.stderr
    again = start(lock, "-c", "import sys; print(sys.prefix)", path="/usr/bin:/bin")
    assert (again.stdout, again.stderr) == (first.stdout, "")


def test_half_an_environment_is_made_again(lock: Path) -> None:
    made = environment_of(lock)
    (made / "bin").mkdir(parents=True)
    (made / "left-by-a-killed-start").touch()
    done = start(lock, "-c", "print('runs')")
    assert done.stdout == "runs\n", done.stderr


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A wheel with one module, which needs nothing else."""
    path, about = tmp_path / "thing-1.0-py3-none-any.whl", "thing-1.0.dist-info"
    files = {
        "thing.py": "NAME = 'thing'\n",
        f"{about}/METADATA": "Metadata-Version: 2.1\nName: thing\nVersion: 1.0\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: weft\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},,\n" for name in [*files, f"{about}/RECORD"])
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in {**files, f"{about}/RECORD": record}.items():
            wheel.writestr(name, text)
    return path


def test_a_package_that_matches_its_hash_is_installed(lock: Path, package: Path) -> None:
    digest = hashlib.sha256(package.read_bytes()).hexdigest()
    lock.write_text(f"thing @ file://{package} --hash=sha256:{digest}\n")
    done = start(lock, "-c", "import thing; print(thing.NAME)", PIP_NO_INDEX="1")
    assert done.stdout == "thing\n", done.stderr


def test_a_package_that_does_not_match_its_hash_is_refused(lock: Path, package: Path) -> None:
    lock.write_text(f"thing @ file://{package} --hash=sha256:{'0' * 64}\n")
    done = start(lock, "-c", "print('runs')", PIP_NO_INDEX="1")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "DO NOT MATCH THE HASHES" in done.stderr
    assert "hint:" in done.stderr
    assert not list((lock.parent / "cache").glob("*/.complete"))
