"""Converts a table of keys to a spec."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from pydantic import ValidationError

from weft.adapters import workloads
from weft.errors import UsageError
from weft.host import settings
from weft.spec.keys import put
from weft.spec.messages import hint, say
from weft.spec.model import Spec
from weft.spec.runnable import require_plain, require_runnable
from weft.text.redaction import Values, has_placeholder, hidden, on_command_line, placeholder


def parse(table: Mapping[str, Any], overrides: Mapping[str, Any] | None = None) -> Spec:
    """A spec from a table and dotted overrides. Raises UsageError, which names the key and the nearest valid one."""
    merged = overridden(table, overrides or {})
    if "workload" not in merged:
        raise UsageError("no workload given", hint=f"choose one of {', '.join(workloads.KINDS.listed)}")
    require_plain(merged)
    values: Values = {}
    merged = hidden(merged, values, settings.secret_keys(), settings.named_secret)
    _require_known(merged, values)
    try:
        spec = Spec.model_validate(merged).with_secrets(values)
    except ValidationError as error:
        raise UsageError(say(error), hint=hint(error)) from error
    require_runnable(spec)
    spec.all_services()  # incompatible services are reported before anything is planned
    if len(spec.engine.parts) > 1 and spec.workload.measured:
        raise UsageError(
            f"{spec.workload.kind} runs on one engine, not on {spec.engine.label}",
            hint="select one; several can share a persistent cluster: weft up --engine spark,hadoop",
        )
    return spec


def overridden(table: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """A table with dotted overrides."""
    merged = deepcopy(dict(table))
    for key, value in overrides.items():
        put(merged, key, value)
    return merged


def _require_known(table: Mapping[str, Any], values: Values) -> None:
    """Raises UsageError for a placeholder, which a record has in place of a secret, and for a secret that `ps` would show."""
    if unknown := [key for key in has_placeholder(str(table)) if placeholder(key) not in values]:
        at = next(_paths(table, placeholder(unknown[0])), "KEY")
        raise UsageError(
            f"the secret {unknown[0]} is missing: a record has only its placeholder",
            hint=f"give it with --set {at}=file:PATH, or env:NAME",
        )
    if shown := on_command_line(table):
        raise UsageError(
            f"{shown} has a secret that every user of the nodes would see with `ps`",
            hint="give it with --conf or --set KEY=VALUE, or in a file that the job reads",
        )


def _paths(table: Mapping[str, Any], value: str, where: str = "") -> Iterator[str]:
    """The dotted keys that have a value."""
    for key, one in table.items():
        if isinstance(one, Mapping):
            yield from _paths(one, value, f"{where}{key}.")
        elif one == value:
            yield f"{where}{key}"
