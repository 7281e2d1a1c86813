"""Converts the command line to a study: the name of a workload or a file, overridden by flags."""

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from weft.cli.flags import Flags
from weft.errors import UsageError
from weft.host.site import profile
from weft.spec.keys import STUDY_KEYS, put
from weft.spec.study import Study, load, study_from
from weft.text.nearest import nearest
from weft.workloads import KINDS


def study_of(what: str | dict[str, Any], flags: Flags) -> Study:
    """A study from a workload's name or table, a TOML file, or a folder with study.toml."""
    if isinstance(what, str) and _is_file(what):
        study = load(Path(what))
        own = {key: getattr(study, key) for key in STUDY_KEYS}
        return _over(dict(study.base), own, flags, name=study.name, where=what)
    if isinstance(what, str) and re.split("[:,]", what)[0] not in KINDS:
        raise UsageError(f"unknown workload {what!r}", hint=nearest(what, list(KINDS)))
    name = what if isinstance(what, str) else str(what["kind"])
    return _on_surveyed({"workload": what}, flags, name)


def _on_surveyed(table: dict[str, Any], flags: Flags, name: str) -> Study:
    """A study with the scratch that a survey of this machine chose, where the command line says nothing of scratch.

    A TOML file does not get it: the same text always means the same run. Nor does what cannot use that scratch.
    """
    where = "the command line"
    own = any(word.partition("=")[0].split(".")[0] == "scratch" for word in flags.set)
    chosen = None if own or flags.scratch is not None else profile.load().scratch.default
    if chosen:
        with suppress(UsageError):
            return _over({**table, "scratch": chosen}, {}, flags, name=name, where=where)
    return _over(table, {}, flags, name=name, where=where)


def _is_file(what: str) -> bool:
    """Whether it is a path; `trace:/some/file` is a workload and its first key."""
    kind, colon, _ = what.partition(":")
    if colon and kind in KINDS:
        return False
    return what.endswith(".toml") or "/" in what or Path(what, "study.toml").exists()


def _over(base: dict[str, Any], own: dict[str, Any], flags: Flags, *, name: str, where: str) -> Study:
    """A study overridden by flags."""
    for key, value in flags.overrides().items():
        put(base, key, value)
    if flags.repeat is not None:
        own["repeat"] = flags.repeat
    return study_from({**base, **own}, name=name, where=where)
