"""How far a target is from where a job was measured: along each axis on which a prediction can err."""

import math
from collections.abc import Mapping

from weft.analysis.predict.forecast import Forecast, Model
from weft.analysis.predict.target import Target

AGAIN = "another run"
"""The axis on which every other run differs by 1: the luck of the measured run."""
DOUBLINGS = ("slots", "data", "tasks")
"""Axes in doublings, either way."""
_LEAST_SHARE = 0.2
"""Of the slot time, that another storage may decide though the model sees less: what a call waits for a processor, too."""


def axes(model: Model, target: Target, forecast: Forecast) -> dict[str, float]:
    """The coordinates of a target: doublings of slots, data and tasks, and for each storage that is replaced the share of
    the slot time that it decides."""
    work = model.work
    tasks = sum(stage.count for stage in work.stages)
    return {
        AGAIN: 1.0,
        "slots": math.log2(target.slots / work.slots),
        "data": math.log2(target.size / work.size) if target.size and work.size else 0.0,
        "tasks": math.log2(sum(stage.tasks for stage in forecast.stages) / tasks),
        **storage_shares(model, target, forecast),
    }


def storage_shares(model: Model, target: Target, forecast: Forecast) -> dict[str, float]:
    """By role and storage: the share of the job's slot time that it decides, where it was measured or at the target.

    Only storages that have something to do: those of a job without a call on them decide nothing.
    """
    work = model.work
    slots = max(forecast.slots * forecast.seconds, 1e-9)
    shares = {}
    for role, service in target.storages.items():
        if service.name == work.storages.get(role):
            continue
        now = sum(stage.files[role] for stage in forecast.stages)
        was = sum(c.seconds * stage.count for stage in work.stages for c in stage.calls if c.role == role)
        calls = sum(c.count for stage in work.stages for c in stage.calls if c.role == role)
        if not calls:
            continue
        share = now / slots + was / (work.slots * max(work.measured, 1e-9))
        shares[f"{role} on {service.name}"] = min(1.0, max(share, _LEAST_SHARE))
    return shares


def extrapolation(model: Model, target: Target, forecast: Forecast) -> float:
    """The largest ratio, either way, of slots, size or blocks to what was measured."""
    work = model.work
    blocks = sum(stage.blocks * stage.count for stage in work.stages)
    ratios = [target.slots / work.slots]
    ratios += [target.size / work.size] if target.size and work.size else []
    ratios += [sum(stage.blocks for stage in forecast.stages) / blocks] if blocks else []
    return max(max(ratio, 1 / ratio) for ratio in ratios if ratio > 0)


def queued_share(model: Model) -> float:
    """The share of the measured slot time that tasks waited for a processor."""
    seconds = sum(stage.waiting * stage.count for stage in model.work.stages)
    return seconds / (model.work.slots * max(model.work.wall, 1e-9))


Axes = Mapping[str, float]
