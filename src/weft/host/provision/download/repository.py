"""A file of a Maven repository: in the local one, or in those of Maven's settings."""

from collections.abc import Sequence

from weft.host.provision.download import mavensettings
from weft.host.provision.download.attempts import Refused
from weft.host.provision.download.route import DownloadAddress
from weft.host.provision.download.session import Session


def sources(path: str, to: Session) -> Sequence[DownloadAddress]:  # noqa: ARG001 - asks nobody
    """Where a path of the repository layout is, best first. Raises Refused where Maven is offline and does not have it."""
    maven = mavensettings.load()
    local = maven.local_repository() / path
    here = [DownloadAddress(local.as_uri())] if local.is_file() else []
    if maven.offline() and not here:
        raise Refused(f"{local} does not exist, and Maven's settings say offline")
    repositories = [] if maven.offline() else maven.repositories()
    if not here + repositories:
        raise Refused("no Maven repository is known: name a mirror of `*` in ~/.m2/settings.xml")
    return here + [DownloadAddress(f"{each.url}/{path}", each.route) for each in repositories]
