"""The script of the job that runs this command: pure text."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from weft.adapters.nodes.slurm import SlurmNodes
from weft.host.site.profile import Profile


def script(
    nodes: SlurmNodes,
    profile: Profile,
    command: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    name: str,
) -> str:
    """Directives, modules, variables, and the command; `folder` is for its output.

    The command replaces the script, so that it receives Slurm's signals and its exit code is the job's.
    """
    directives = [
        *nodes.directives(profile.slurm),
        f"--job-name=weft-{name}",
        f"--output={folder}/%j.out",
        f"--error={folder}/%j.err",
        "--no-requeue",
    ]
    lines = [
        # a login shell defines the command `module`
        "#!/bin/bash -l" if profile.modules else "#!/bin/sh",
        *(f"#SBATCH {shlex.quote(word)}" for word in directives),
        *(line if line.startswith("#") else f"#SBATCH {line}" for line in profile.slurm.extra),
        "umask 077",
        *(f"module load {shlex.quote(module)}" for module in profile.modules),
        *(f"export {key}={shlex.quote(value)}" for key, value in environment.items()),
        f"exec {shlex.join(command)}",
    ]
    return "\n".join(lines) + "\n"
