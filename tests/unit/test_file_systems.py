"""Types of file systems: mounts, calibrations and site profiles agree on whose files are on other machines."""

from pathlib import Path

import pytest

from weft.adapters.storage.disk import DiskStorage
from weft.adapters.storage.mount import MountStorage
from weft.facts import filesystems
from weft.facts.filesystems import TYPES
from weft.host.programs import mounts
from weft.host.site.survey import file_systems
from weft.run.ceilings import machines

KINDS = sorted(TYPES)
TABLE = "/dev/sda1 / ext4 rw 0 0\nserver:/x /there {} rw 0 0\n"


@pytest.mark.parametrize("kind", [*KINDS, "ext4", "xfs", "fuse.latencyfs"])
def test_all_agree_whether_other_machines_have_the_files(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = TYPES[kind].remote if kind in TYPES else False
    monkeypatch.setattr(mounts, "TABLE", tmp_path / "mounts")
    (tmp_path / "mounts").write_text(TABLE.format(kind))
    assert bool(MountStorage(path=Path("/there/me")).parallel) == remote
    assert bool(DiskStorage(path=Path("/there/me")).parallel) == remote
    assert DiskStorage().parallel == ""
    assert bool(file_systems(TABLE.format(kind).encode())) == remote
    assert machines.shared(DiskStorage(), f"{kind} server:/x") == remote


@pytest.mark.parametrize(
    ("kind", "scope", "word"),
    [
        ("beegfs_nodev", "parallel", "BeeGFS"),
        ("wekafs", "parallel", "Weka"),
        ("nfs4", "network", "NFS"),
        ("tmpfs", "memory", "tmpfs"),
        ("btrfs", "node-local", "btrfs"),
    ],
)
def test_each_type_has_a_name_for_people(kind: str, scope: str, word: str) -> None:
    assert (filesystems.of(kind).scope, filesystems.of(kind).word) == (scope, word)
