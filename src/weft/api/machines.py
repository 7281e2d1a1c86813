"""The machines that predictions are made on: of a file, of a calibration, or the one where a record was measured."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from weft.analysis.predict import calibrated, published
from weft.analysis.predict.calibrated import HOSTED
from weft.analysis.predict.emulated import of_profile, of_submission
from weft.analysis.predict.machine import Machine
from weft.analysis.predict.machinefile import parse
from weft.analysis.predict.projection import Recorded
from weft.analysis.predict.storagemodel import StorageModel
from weft.analysis.read.calibration import Calibration
from weft.api import benchmarked
from weft.errors import UsageError, why
from weft.facts.io500.submissions import PREFIX
from weft.facts.roles import ROLES
from weft.host import machine as own
from weft.host import settings
from weft.record.record import Stored
from weft.text import entry
from weft.text.nearest import nearest

_DEFAULTS = "defaults"
_CEILINGS = "calibration.json"
"""A record's copy of the calibration that fits it."""


def of_name(name: str) -> Machine:
    """A machine by the name of a submission to IO500, by a result of IO500, or as `of_file`. Raises UsageError."""
    if name.startswith(PREFIX):
        return published.of_name(name.removeprefix(PREFIX))
    if name.endswith(".txt"):
        return published.of_figures(name, benchmarked.read(Path(name))[1])
    return of_file(name)


def of_file(name: str) -> Machine:
    """A machine by the path of its file or calibration, or the name of one that comes with weft. Raises UsageError."""
    path = Path(name) if name.endswith((".toml", ".json")) else settings.machines() / f"{name}.toml"
    try:
        text = entry.of(path.resolve()).data().decode()
    except (OSError, UnicodeDecodeError) as error:
        known = sorted(each.stem for each in settings.machines().glob("*.toml"))
        raise UsageError(
            f"machine file {path} is not readable: {why(error)}", hint=nearest(name, [*known, PREFIX])
        ) from error
    return _with_profiles(_calibrated(text, path) if path.suffix == ".json" else parse(text, str(path)))


def _calibrated(text: str, path: Path) -> Machine:
    try:
        return calibrated.machine(Calibration.model_validate_json(text))
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise UsageError(
            f"{path} is not a calibration: {key or 'the file'}: {first['msg']}",
            hint="weft calibrate writes one",
        ) from error


def of_record(stored: Stored, recorded: Recorded) -> Machine:
    """The machine where a record was measured, as far as the record and this host know it."""
    hosted = recorded.kind in HOSTED
    here = stored.head.host == os.uname().nodename
    processors = (own.cores() if here else recorded.processors) if hosted else 0
    found = Machine(
        _named(stored),
        cores=recorded.cores,
        memory=recorded.memory,
        processors=processors,
        capped=recorded.kind == "virtual",
    )
    return _with_profiles(_with_ceilings(found, stored), _changed(recorded))


def _named(stored: Stored) -> str:
    """The host of a record is that which wrote it, where a log only was imported."""
    if stored.head.imported is not None:
        return "the log's cluster"
    return stored.head.host or "the record's machine"


def _with_ceilings(machine: Machine, stored: Stored) -> Machine:
    """With the calibration that a record keeps a copy of, if it does."""
    try:
        table = stored.json(_CEILINGS)
        kept = table.get("calibration") if isinstance(table, dict) else None
        found = calibrated.machine(Calibration.model_validate(kept)) if kept else None
    except (OSError, ValueError):
        return machine
    if found is None:
        return machine
    return replace(
        machine,
        storages=found.storages,
        launches=found.launches,
        link=found.link,
        round_trip=found.round_trip,
        processors=machine.processors and (found.processors or machine.processors),
    )


def _changed(recorded: Recorded) -> Mapping[str, Mapping[str, str]]:
    """Values of latencyfs's profiles that the run changed, by profile."""
    found = {}
    for role in ROLES:
        layer = recorded.spec.get(role)
        while isinstance(layer, Mapping):
            if layer.get("kind") == "delayed":
                found[str(layer.get("profile"))] = dict(layer.get("values") or {})
            layer = layer.get("on")
    return found


def _with_profiles(machine: Machine, changed: Mapping[str, Mapping[str, str]] | None = None) -> Machine:
    """With the emulated file systems, whose figures are those that latencyfs delays by."""
    profiles = {
        path.stem: path for path in sorted(settings.profiles().glob("*.toml")) if path.stem != _DEFAULTS
    }
    storages = {
        f"delayed:{name}": _profile(path, (changed or {}).get(name, {})) for name, path in profiles.items()
    }
    submissions = {
        f"delayed:{name}": of_submission(name.removeprefix(PREFIX), values)
        for name, values in (changed or {}).items()
        if name.startswith(PREFIX) and values
    }
    return replace(machine, storages={**storages, **submissions, **machine.storages})


def _profile(path: Path, changed: Mapping[str, str]) -> StorageModel:
    try:
        return of_profile(
            path.read_text(encoding="utf-8"),
            (settings.profiles() / f"{_DEFAULTS}.toml").read_text(encoding="utf-8"),
            changed,
        )
    except (OSError, tomllib.TOMLDecodeError, KeyError) as error:
        raise UsageError(
            f"profile {path} is not readable: {why(error)}", hint="weft doctor checks this copy"
        ) from error
