"""What of a run nobody wrote, and what was written by another name: a line each, before it begins."""

import sys
from collections.abc import Iterator

from weft.adapters.storage import KINDS
from weft.api.flags import Flags
from weft.api.request import defaults
from weft.facts import filesystems
from weft.host import settings
from weft.host.schedulers.slurm import allocation, commands
from weft.host.site.profile import load
from weft.spec.study import Study
from weft.text.verbosity import CHOSEN


def say_chosen(study: Study, flags: Flags) -> None:
    """Print these lines."""
    for line in () if CHOSEN.quiet else (*_defaults(study, flags), *_named(flags), *_here(study)):
        print(line, file=sys.stderr)


def _defaults(study: Study, flags: Flags) -> Iterator[str]:
    scratch = load().scratch
    for key, value in defaults(flags).items():
        if study.base.get(key) == value:
            surveyed = key == "scratch" and scratch.nodes
            reach = f", surveyed on up to {scratch.nodes} nodes" if surveyed else ""
            yield f"{key} {value}: the default of {settings.site()}{reach}; --{key} changes it"


def _named(flags: Flags) -> Iterator[str]:
    """Of a directory on a file system that was named by it."""
    for role in ("input", "output", "scratch"):
        name, _, path = (getattr(flags, role) or "").partition(":")
        if name in KINDS.names:
            word = filesystems.of(name).word
            pool = f"; pool:{path} keeps many files in a few large ones" if role == "scratch" else ""
            yield f"{role} {name}:{path} is mount:{path}, a directory on {word}{pool}"


def _here(study: Study) -> Iterator[str]:
    """Of a run that nobody sent elsewhere, where this may be a login node."""
    asked = "nodes" in study.base or any(key.partition(".")[0] == "nodes" for key in study.matrix)
    if not asked and commands.installed() and not allocation.inside():
        yield "nodes local:2, on this machine: -N 4 runs it on 4 nodes of Slurm, as a job"
