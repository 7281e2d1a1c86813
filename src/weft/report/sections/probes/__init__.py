"""Sections of a run's page on what a probe left: one module each, with `SECTION`. The folder listing is the registry."""

import pkgutil
from importlib import import_module

from weft.analysis.summary.summary import Summary
from weft.report.draw.blocks import Maker


def listed() -> list[Maker[Summary]]:
    """By the names of the probes."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return [import_module(f"{__name__}.{name}").SECTION for name in names]
