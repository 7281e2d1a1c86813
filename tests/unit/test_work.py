"""The private working directory of a run."""

import os
from pathlib import Path

import pytest

from weft.errors import StorageError, UsageError
from weft.host import lease, settings
from weft.host.work import open_work, work_directory


def test_it_is_private_and_gone_afterwards() -> None:
    with lease.hold("run", "a test") as held, open_work("run", held) as work:
        assert work.directory == work_directory("run").directory
        assert work.directory.stat().st_mode & 0o777 == 0o700
        assert work.make("node1", "tmp").is_dir()
    assert list(settings.work().iterdir()) == []


def test_a_claimed_directory_is_gone_afterwards(tmp_path: Path) -> None:
    with lease.hold("run", "a test") as held, open_work("run", held) as work:
        assert work.claim(tmp_path / "else" / "where").is_dir()
    assert not (tmp_path / "else" / "where").exists()


def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        lease.hold("run", "a test") as held,
        open_work("run", held) as work,
        pytest.raises(StorageError, match="file"),
    ):
        work.claim(tmp_path / "file" / "below")


def test_generated_files_are_private_and_share_one_secret() -> None:
    with lease.hold("run", "a test") as held, open_work("run", held) as work:
        one, two = work.directory / "conf" / "one", work.directory / "two"
        work.write({one: "a @S@", two: "b @S@"}, "@S@")
        assert one.stat().st_mode & 0o777 == 0o600
        secret = one.read_text().removeprefix("a ")
        assert two.read_text() == f"b {secret}"
        assert len(bytes.fromhex(secret)) == 32


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root: gives a directory away")
def test_a_work_directory_of_another_user_is_refused() -> None:
    settings.work().mkdir()
    os.chown(settings.work(), 12345, 12345)
    with (
        lease.hold("run", "a test") as held,
        pytest.raises(UsageError, match="belongs to user 12345"),
        open_work("run", held),
    ):
        pass


def test_a_full_file_system_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 1 << 20}))
    with (
        lease.hold("run", "a test") as held,
        pytest.raises(StorageError, match="1 MiB free"),
        open_work("run", held),
    ):
        pass
