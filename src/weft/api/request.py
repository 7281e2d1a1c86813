"""Converts the command line to a study: the name of a workload or a file, overridden by flags."""

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from weft.adapters.workloads import KINDS
from weft.api.flags import Flags
from weft.errors import UsageError
from weft.host.own import trouble
from weft.host.site import profile
from weft.spec.executing import executing
from weft.spec.keys import STUDY_KEYS, put
from weft.spec.study import Study, read, study_from
from weft.text.nearest import nearest


def study_of(what: str | dict[str, Any], flags: Flags, *, site: bool = True) -> Study:
    """A study from a workload's name or table, a TOML file, or a folder with study.toml. `site`: with its profile's defaults."""
    if isinstance(what, str) and _is_file(what):
        name, table = read(Path(what))
        own = {key: table.pop(key) for key in STUDY_KEYS if key in table}
        study = _over(table, own, flags, name=name, where=what)
        if not flags.trust:
            _require_trusted(Path(what), study, flags)
        return study
    if isinstance(what, str) and re.split("[:,]", what)[0] not in KINDS:
        raise UsageError(f"unknown workload {what!r}", hint=nearest(what, KINDS.listed))
    name = what if isinstance(what, str) else str(what["kind"])
    return (_with_defaults if site else _without_defaults)({"workload": what}, flags, name)


def _require_trusted(path: Path, study: Study, flags: Flags) -> None:
    """Raises UsageError for a file that another user wrote or can change, if keys of it run programs."""
    file = path / "study.toml" if path.is_dir() else path
    why = trouble(file)
    own = {f"{table}{key}" for key in flags.overrides() for table in ("", "workload.", "engine.conf.")}
    keys = [one for _, spec in study.cells() for one in executing(spec).items()] if why else []
    found = dict.fromkeys(f"{key} = {value}" for key, value in keys if key not in own)
    if found:
        raise UsageError(
            f"{why}, and {file} runs what its author chose, as you",
            tail=list(found),
            hint="read these values, and what the files that they name do; then add --trust",
        )


def _with_defaults(table: dict[str, Any], flags: Flags, name: str) -> Study:
    """A study with the defaults of the site profile, where the command line says nothing of their keys.

    A TOML file does not get them: the same text always means the same run. A default engine or scratch is left out where
    the workload cannot use it; nodes are not, because the run would then be on this machine.
    """
    found = defaults(flags)
    for without in ((), ("scratch",), ("engine",)):
        if set(without) <= found.keys():
            chosen = {key: value for key, value in found.items() if key not in without}
            with suppress(UsageError):
                return _over({**table, **chosen}, {}, flags, name=name)
    nodes = {key: value for key, value in found.items() if key == "nodes"}
    return _over({**table, **nodes}, {}, flags, name=name)


def _without_defaults(table: dict[str, Any], flags: Flags, name: str) -> Study:
    return _over(table, {}, flags, name=name)


def defaults(flags: Flags) -> dict[str, str]:
    """By key of a spec: the site profile's default, where the command line says nothing of the key."""
    site, own = profile.load(), {word.partition("=")[0].split(".")[0] for word in flags.set}
    chosen = {"scratch": site.scratch.default, "nodes": site.nodes, "engine": site.engine}
    given = {key for key in chosen if getattr(flags, key) is not None} | own
    given |= {"nodes"} if flags.slurm is not None else set()
    return {key: value for key, value in chosen.items() if value and key not in given}


def _is_file(what: str) -> bool:
    """Whether it is a path; `trace:/some/file` is a workload and its first key."""
    kind, colon, _ = what.partition(":")
    if colon and kind in KINDS:
        return False
    return what.endswith(".toml") or "/" in what or Path(what, "study.toml").exists()


def _over(base: dict[str, Any], own: dict[str, Any], flags: Flags, *, name: str, where: str = "") -> Study:
    """A study overridden by flags."""
    for key, value in flags.overrides().items():
        put(base, key, value)
    if flags.probes:
        base["probes"] = [*_words(base.get("probes")), *(f"+{probe}" for probe in flags.probes)]
    if flags.partition or flags.account or flags.time:
        _require_slurm(base)
    if flags.repeat is not None:
        own["repeat"] = flags.repeat
    if flags.labels:
        own["labels"] = [*_words(own.get("labels")), *flags.labels]
    study = study_from({**base, **own}, name=name, where=where)
    _require_effect(study, flags)
    return study


def _require_effect(study: Study, flags: Flags) -> None:
    """Raises UsageError for a key of the command line that the matrix sets in each cell: it would change no run."""
    cells = [study.settings(cell) for cell, _ in study.cells()] if study.matrix else []
    for key in flags.overrides() if cells else ():
        if all(any(key == own or key.startswith(f"{own}.") for own in cell) for cell in cells):
            raise UsageError(
                f"{key} is set by the matrix of {study.name} in each run, so that the command line changes nothing",
                hint="omit it, or change the list in the file",
            )


def _words(value: Any) -> list[str]:
    """A list in any of its forms."""
    if isinstance(value, str):
        return value.split(",")
    return list(value) if isinstance(value, (list, tuple)) else [] if value is None else [value]


def _require_slurm(base: dict[str, Any]) -> None:
    if base["nodes"].get("kind") != "slurm":
        raise UsageError(
            f"-p, -A and -t belong to a Slurm job, not to nodes {base['nodes'].get('kind')}",
            hint="add -N 4, or --nodes slurm:4",
        )
