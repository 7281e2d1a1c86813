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
) -> str:
    """Directives, modules, variables, and the command; `folder` is for its output, `stem` the name of its files there."""
    directives, extra = nodes.directives_of(profile)
    parts = Script(directives, extra, profile.modules, environment, command, folder, f"weft-{name}", stem)
    return known.KINDS[nodes.scheduler].script(parts)
