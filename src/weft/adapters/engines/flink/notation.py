"""How Flink reads settings and a job's dependencies: config.yaml, and options of `flink run`."""

import json
from collections.abc import Mapping

from weft.layout.plan import Dependencies


def words(dependencies: Dependencies) -> list[str]:
    """The dependencies of a job, as options of `flink run`."""
    arguments = ["-c", dependencies.main_class] if dependencies.main_class else []
    arguments += [
        word for jar in dependencies.jars for word in ("-C", jar if "://" in jar else f"file://{jar}")
    ]
    return arguments + [f"-D{key}={value}" for key, value in dependencies.shown.items()]


def yaml(settings: Mapping[str, str]) -> str:
    return "".join(f"{key}: {json.dumps(value)}\n" for key, value in sorted(settings.items()))
