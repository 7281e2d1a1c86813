"""Types of file systems, as the mount table names them: on whose machines their files are, and what people call them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Scope = Literal["parallel", "network", "node-local", "memory"]


@dataclass(frozen=True)
class FileSystemType:
    """What is known of a type."""

    word: str
    scope: Scope = "node-local"

    @property
    def remote(self) -> bool:
        """Whether its files are on other machines, so that several can mount it, and its calls wait for a network."""
        return self.scope in {"parallel", "network"}


_WORDS: Mapping[Scope, Mapping[str, tuple[str, ...]]] = {
    "parallel": {
        "Lustre": ("lustre",),
        "GPFS": ("gpfs",),
        # the second is its device, which some tools show as its type
        "BeeGFS": ("beegfs", "beegfs_nodev"),
        "OrangeFS": ("pvfs2", "orangefs"),
        "DVS": ("dvs",),
        "DataWarp": ("dwfs",),
        "CephFS": ("ceph", "fuse.ceph-fuse"),
        "Weka": ("wekafs",),
        "PanFS": ("panfs",),
        "GlusterFS": ("glusterfs", "fuse.glusterfs"),
        "MooseFS": ("fuse.mfs",),
    },
    "network": {"NFS": ("nfs", "nfs4"), "SMB": ("cifs", "smb3"), "AFS": ("afs",)},
    "memory": {"tmpfs": ("tmpfs",), "ramfs": ("ramfs",)},
}

TYPES: Mapping[str, FileSystemType] = {
    name: FileSystemType(word, scope)
    for scope, words in _WORDS.items()
    for word, names in words.items()
    for name in names
}
"""By the type in /proc/mounts. All others are local to a node, such as ext4, xfs and most of FUSE."""


def of(name: str) -> FileSystemType:
    """A type by its name in the mount table."""
    return TYPES.get(name) or FileSystemType(name)
