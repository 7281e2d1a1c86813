"""An engine's source archive is unpacked by every Python that weft supports."""

import io
import tarfile
from pathlib import Path

import pytest

from weft.host.provision.pythonarchive import PythonArchive


@pytest.mark.parametrize("filters", [True, False], ids=["new", "old"])
def test_a_source_archive_is_unpacked_as_the_users_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, filters: bool
) -> None:
    archive, target, extract = tmp_path / "00", tmp_path / "engine", tarfile.TarFile.extract
    with tarfile.open(archive, "w") as tar:
        for name in ("engine-1/jars/a.jar", "engine-1/left-out"):
            member = tarfile.TarInfo(name)
            member.size, member.uid, member.gid = 2, 12345, 12345
            tar.addfile(member, io.BytesIO(b"ab"))
    if not filters:  # as Python 3.11.2, which Debian 12 has
        monkeypatch.delattr(tarfile, "data_filter", raising=False)

        def without(archive: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> None:
            extract(archive, member, path)

        monkeypatch.setattr(tarfile.TarFile, "extract", without)
    target.mkdir()
    engine = PythonArchive("engine", "1", "engine", "engine.tar", 1, "00", {"engine-1/jars/": "lib/"}, 1)
    engine.unpack(tmp_path, target)
    assert not archive.exists()
    assert [path.relative_to(target).as_posix() for path in target.rglob("*")] == ["lib", "lib/a.jar"]
    assert (target / "lib/a.jar").stat().st_uid == target.stat().st_uid
