"""The name of a stage in Spark's event log, as a user knows it."""

import json
from collections.abc import Mapping
from typing import Any


def stage_name(info: Mapping[str, Any]) -> str:
    """The line of the program that caused a stage; of a query's, which a thread of Spark's own causes, its operators in order."""
    name = str(info["Stage Name"])
    if not name.startswith("$anonfun$"):
        return name
    steps = sorted((rdd["RDD ID"], rdd["Scope"]) for rdd in info.get("RDD Info", []) if rdd.get("Scope"))
    return ", ".join(dict.fromkeys(json.loads(scope)["name"].strip() for _, scope in steps)) or name
