"""Facts about engines: one module or folder each, with `FACTS`. The folder listing is the registry."""

import pkgutil
from collections.abc import Mapping
from importlib import import_module

from weft.facts.enginefacts import EngineFacts


def listed() -> dict[str, EngineFacts]:
    """By engine: its facts."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return {name: import_module(f"{__name__}.{name}").FACTS for name in names}


ALL: Mapping[str, EngineFacts] = listed()


def without_logs() -> str:
    """The engines that leave no job metrics, as text."""
    *names, last = (name for name, facts in ALL.items() if not facts.log and not facts.idle)
    return f"{', '.join(names)} and {last}"


def of(engine: str) -> EngineFacts:
    """The facts of an engine; of an unknown one, as in a record of another version: none."""
    return ALL.get(engine, EngineFacts())
