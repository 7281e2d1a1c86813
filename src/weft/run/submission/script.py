"""The script of the job that runs this command: pure text."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from weft.adapters.nodes.jobnodes import JobNodes
from weft.host.schedulers import known
from weft.host.schedulers.base import Script
from weft.host.site.profile import Profile


def script(
    nodes: JobNodes,
    profile: Profile,
    command: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    name: str,
    stem: str = "JOB",
    directory: Path | None = None,
) -> str:
    """Directives, modules, variables, and the command; `folder` is for its output, `stem` the name of its files there.

    `directory` is that in which the command starts.
    """
    directives, extra = nodes.directives_of(profile)
    own = f"weft-{name}"
    parts = Script(directives, extra, profile.modules, environment, command, folder, own, stem, directory)
    return known.KINDS[nodes.scheduler].script(parts)
