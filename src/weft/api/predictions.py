"""A measured run elsewhere."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from weft.analysis.predict import prediction
from weft.analysis.predict.candidates import Experiment
from weft.analysis.predict.prediction import Prediction, Scenario
from weft.analysis.predict.projection import Recorded
from weft.api import again, growing, machines, related
from weft.errors import UsageError
from weft.facts.storages import split_list
from weft.host import settings, signals
from weft.record import record
from weft.run.progress import Progress
from weft.text.fields import MOST


def predict(
    run: str = "last",
    *,
    nodes: str = "1..64",
    scratch: str | None = None,
    storages: Mapping[str, str] = MappingProxyType({}),
    machine: str | None = None,
    size: float | None = None,
    partitions: int | None = None,
    cores: int | None = None,
    runs: int = 0,
    trust: bool = False,
) -> Prediction:
    """A run's time elsewhere. `nodes`: `2..320` or `2,4,8`; `scratch`: storages in short form, separated by commas;
    `storages`: of other roles; `size` in what the workload counts its data in; `runs`: at most so many small runs are made first;
    `trust`: also of a record of somebody else that names programs.

    Raises UsageError for a record that lacks what a prediction needs, and for what the machine has not.
    """
    stored = record.find(settings.runs(), run)
    recorded = growing.read(stored)
    here = machines.of_record(stored, recorded)
    asked = Scenario(
        machines.of_name(machine) if machine else here,
        counts(nodes),
        split_list(scratch) if scratch else [],
        cores,
        size,
        partitions,
        storages,
    )
    tests = related.of(stored, ("workload", "engine", "host"))
    if runs:
        chosen = prediction.experiments(recorded, here, asked, tests, runs)
        tests += _run(str(stored.directory), chosen, trust=trust)
    with signals.prompt():
        return prediction.predict(recorded, here, asked, tests, related.deviation(stored))


def _run(directory: str, chosen: Sequence[Experiment], *, trust: bool) -> list[Recorded]:
    """Make the small runs."""
    progress, found = Progress(), []
    for number, one in enumerate(chosen, 1):
        progress.say(
            f"run {number} of {len(chosen)}, to predict better: {' '.join(one.flags) or 'the same again'}"
        )
        found.append(growing.read(again.run(directory, one.flags, trust=trust)))
    return found


def counts(text: str) -> list[int]:
    """The numbers of nodes of `2..320`, each twice the one before it, or of `2,4,8`. Raises UsageError."""
    hint = "write --nodes 2..320 or --nodes 2,4,8"
    if match := re.fullmatch(r"(\d+)\.\.(\d+)", text.strip()):
        low, high = int(match[1]), int(match[2])
        if not 1 <= low <= high <= MOST:
            raise UsageError(f"--nodes {text}: {low} to {high} is no range of nodes", hint=hint)
        found = []
        while low < high:
            found.append(low)
            low *= 2
        return [*found, high]
    found = [int(word) for word in text.split(",")] if re.fullmatch(r"\d+(,\d+)*", text.strip()) else []
    if not found or not 1 <= min(found) <= max(found) <= MOST:
        raise UsageError(f"--nodes {text}: neither a range nor a list of numbers of nodes", hint=hint)
    return sorted(set(found))
