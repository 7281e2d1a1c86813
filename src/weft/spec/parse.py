"""Converts a table of keys to a spec."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from weft import workloads
from weft.errors import UsageError
from weft.spec.keys import put
from weft.spec.messages import hint, say
from weft.spec.model import Spec
from weft.spec.runnable import require_plain, require_runnable
from weft.workloads.persistent import Persistent


def parse(table: Mapping[str, Any], overrides: Mapping[str, Any] | None = None) -> Spec:
    """A spec from a table and dotted overrides. Raises UsageError, which names the key and the nearest valid one."""
    merged = {key: _copy(value) for key, value in table.items()}
    for key, value in (overrides or {}).items():
        put(merged, key, value)
    if "workload" not in merged:
        raise UsageError("no workload given", hint=f"choose one of {', '.join(workloads.KINDS)}")
    require_plain(merged)
    try:
        spec = Spec.model_validate(merged)
    except ValidationError as error:
        raise UsageError(say(error), hint=hint(error)) from error
    require_runnable(spec)
    spec.all_services()  # incompatible services are reported before anything is planned
    if len(spec.engine.parts) > 1 and not isinstance(spec.workload, Persistent):
        raise UsageError(
            f"{spec.workload.kind} runs on one engine, not on {spec.engine.label}",
            hint="select one; several can share a persistent cluster: weft up --engine spark,hadoop",
        )
    return spec


def _copy(value: Any) -> Any:
    if isinstance(value, list):
        return [_copy(inner) for inner in value]
    return {key: _copy(inner) for key, inner in value.items()} if isinstance(value, dict) else value
