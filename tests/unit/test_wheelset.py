"""A lock of wheels: one of each package fits a Python on a machine; they are unpacked without running what is in them."""

import hashlib
import io
import platform
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from weft.errors import MissingError
from weft.host.provision import wheelset
from weft.host.provision.distribution import DASK, DUCKDB, RAY, SAIL
from weft.host.provision.wheelset import Wheel, WheelSet


def wheel(file: str) -> Wheel:
    return Wheel("0" * 64, 1, file)


@pytest.mark.parametrize(
    ("file", "minor", "machine", "fits"),
    [
        ("a-1-py3-none-any.whl", 11, "x86_64", True),
        ("a-1-py2.py3-none-any.whl", 14, "aarch64", True),
        ("a-1-cp311-cp311-manylinux_2_17_x86_64.manylinux_2_28_x86_64.whl", 11, "x86_64", True),
        ("a-1-cp311-cp311-manylinux_2_17_x86_64.whl", 12, "x86_64", False),
        ("a-1-cp311-cp311-manylinux_2_17_x86_64.whl", 11, "aarch64", False),
        ("a-1-cp36-abi3-manylinux2014_aarch64.whl", 12, "aarch64", True),
        ("a-1-cp313-abi3-manylinux2014_aarch64.whl", 12, "aarch64", False),
        ("a-1-cp314-cp314t-manylinux_2_28_x86_64.whl", 14, "x86_64", False),
        ("a-1-cp311-cp311-musllinux_1_2_x86_64.whl", 11, "x86_64", False),
        ("a-1-cp311-cp311-win_amd64.whl", 11, "x86_64", False),
    ],
)
def test_what_fits(file: str, minor: int, machine: str, *, fits: bool) -> None:
    assert wheel(file).fits(minor, machine) is fits


@pytest.mark.parametrize("minor", [11, 12, 13, 14])
@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_lock_of_dask_is_complete(minor: int, machine: str) -> None:
    fitting = [each.package for each in DASK.locked if each.fits(minor, machine)]
    assert sorted(fitting) == sorted({each.package for each in DASK.locked})
    assert {"dask", "distributed", "numpy", "pandas", "pyarrow", "python-dateutil"} <= set(fitting)


@pytest.mark.parametrize("minor", [11, 12, 13, 14])
@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("of", [DUCKDB, SAIL, RAY], ids=lambda of: of.name)
def test_the_locks_of_other_engines_are_complete(of: WheelSet, minor: int, machine: str) -> None:
    fitting = [each for each in of.locked if each.fits(minor, machine)]
    assert {each.package for each in fitting} == {each.package for each in of.locked}
    assert any(each.version == of.version for each in fitting)
    assert {each.package for each in of.locked if each.source} <= {"pyspark-client"}


def test_a_source_archive_is_unpacked_as_the_packages_that_it_states(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheelset, "_HERE", tmp_path)
    texts = {
        "setup.py": "raise SystemExit('this runs')",
        "pure/__init__.py": "raise SystemExit('this runs')",
        "pure/deep/more.py": "MORE = 1",
        "pure/../../out.py": "OUT = 1",
        "tests/test_pure.py": "",
        "pure_one.egg-info/top_level.txt": "pure\n",
        "pure_one.egg-info/PKG-INFO": "Name: pure-one\nVersion: 1.5\n",
    }
    archive = tmp_path / "pure_one-1.5.tar.gz"
    with tarfile.open(archive, "w:gz") as made:
        for name, text in texts.items():
            member = tarfile.TarInfo(f"pure_one-1.5/{name}")
            member.size = len(text)
            made.addfile(member, io.BytesIO(text.encode()))
        link = tarfile.TarInfo("pure_one-1.5/pure/link.py")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        made.addfile(link)
    checksum = hashlib.sha256(archive.read_bytes()).hexdigest()
    (tmp_path / "toy.lock").write_text(f"{checksum} {archive.stat().st_size} {archive.name}\n")
    archive.rename(tmp_path / checksum)
    each = WheelSet(name="toy", version="1", unpacked=1)
    assert [(one.package, one.version, one.source) for one in each.wheels] == [("pure-one", "1.5", True)]
    each.unpack(tmp_path, tmp_path / "home")
    found = {str(p.relative_to(tmp_path / "home" / "lib")) for p in (tmp_path / "home").rglob("*")}
    kept = {
        name for name in found if not name.endswith(".pyc") and (tmp_path / "home" / "lib" / name).is_file()
    }
    assert kept == {
        "pure/__init__.py",
        "pure/deep/more.py",
        "pure_one.egg-info/top_level.txt",
        "pure_one.egg-info/PKG-INFO",
    }
    assert not (tmp_path / "out.py").exists()


def locked(path: Path, *files: str) -> WheelSet:
    """A set in that directory, whose wheels have a module, a script and a licence."""
    lines = []
    for file in files:
        archive = path / file
        with zipfile.ZipFile(archive, "w") as made:
            name = file.partition("-")[0]
            made.writestr(f"{name}/__init__.py", "raise SystemExit('this runs')\n")
            program = zipfile.ZipInfo(f"{name}/server")
            program.external_attr = 0o100755 << 16
            made.writestr(program, "")
            made.writestr(f"{name}-1.data/scripts/{name}", "#!/bin/sh\n")
            made.writestr(f"{name}-1.data/purelib/{name}/more.py", "MORE = 1\n")
        checksum = hashlib.sha256(archive.read_bytes()).hexdigest()
        lines.append(f"{checksum} {archive.stat().st_size} {file}\n")
        archive.rename(path / checksum)
    (path / "toy.lock").write_text("".join(lines))
    return WheelSet(name="toy", version="1", unpacked=1)


def test_wheels_are_unpacked_and_compiled_and_nothing_of_them_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheelset, "_HERE", tmp_path)
    each = locked(tmp_path, "one-1-py3-none-any.whl", "two-1-py3-none-any.whl")
    assert [wanted.name for wanted in each.files(tmp_path)] == [wheel.file for wheel in each.wheels]
    each.unpack(tmp_path, tmp_path / "home")
    found = {str(p.relative_to(tmp_path / "home")) for p in (tmp_path / "home").rglob("*.py*") if p.is_file()}
    sources = {f"lib/{name}/{file}.py" for name in ("one", "two") for file in ("__init__", "more")}
    assert {name for name in found if name.endswith(".py")} == sources
    assert len([name for name in found if name.endswith(".pyc")]) == len(sources)
    assert not [path for path in tmp_path.iterdir() if len(path.name) == 64]
    own = tmp_path / "home" / "lib" / "one"
    assert [oct((own / name).stat().st_mode & 0o111) for name in ("server", "more.py")] == ["0o111", "0o0"]


def test_another_python_is_refused_with_the_package_that_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheelset, "_HERE", tmp_path)
    each = locked(tmp_path, f"fast-1-cp310-cp310-manylinux_2_28_{platform.machine()}.whl")
    with pytest.raises(MissingError, match=f"no wheel of fast for Python 3.{sys.version_info[1]}"):
        assert each.wheels
