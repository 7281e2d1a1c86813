"""Refuses specs that no run supports: work that its engine does not offer, text that would change other settings."""

import re
from collections.abc import Mapping
from typing import Any

from weft.adapters.engines.base import Engine, KeepsReady
from weft.adapters.storage.base import layers
from weft.adapters.workloads.base import ClusterUse
from weft.errors import UsageError
from weft.spec.model import Spec
from weft.text.shorthand import MisreadError

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_FREE = {"arguments", "options", "directory"}
"""Keys of a job of the user's own, which are passed on as they are and never written into a file of settings."""
_MOST = (1 << 63) - 1
"""The largest number that weft's programs accept."""


def require_plain(table: Mapping[str, Any], where: str = "") -> None:
    """Raises UsageError for a line break or another control character in a key or a value, and for a number too large."""
    for key, value in table.items():
        name = f"{where}{key}"
        if _CONTROL.search(str(key)):
            raise UsageError(f"the key {str(key)!r} contains a line break or another control character")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(one, Mapping):
                require_plain(one, f"{name}.")
            elif isinstance(one, str) and _CONTROL.search(one) and ("\0" in one or key not in _FREE):
                raise UsageError(f"{name}: {one!r} contains a line break or another control character")
            elif isinstance(one, (int, float)) and not abs(one) <= _MOST:
                raise UsageError(f"{name}: {one} is too large")


def require_runnable(spec: Spec) -> None:
    """Raises UsageError if an engine does not support the workload, or nodes or an engine require security."""
    work = spec.workload
    if not spec.secured:
        _require_unsecured(spec)
    else:
        _require_authenticating(spec)
    _require_preloaded(spec)
    if not spec.nodes.on_other_hosts:
        _require_files(work)
    _require_roles(spec)
    for kind in spec.engine.parts:
        if kind not in work.runs_on:
            so = "" if kind not in work.engines else " with these parameters"
            raise UsageError(
                f"{work.kind} does not run on the engine {kind}{so}",
                hint=f"choose one of {', '.join(work.runs_on)}",
            )
        _require_few(spec, kind)
        if work.own_program is not None:
            spec.engine.parts[kind].require_program(work.own_program)
        _require_interval(work, kind)
        _require_waiting(work, spec.engine.parts[kind])
        spec.engine.parts[kind].require_parameters(work.kind, work.model_dump())
    _require_services(spec)


def _require_waiting(work: ClusterUse, engine: Engine) -> None:
    if getattr(work, "ready", False) and not (isinstance(engine, KeepsReady) and engine.waits):
        raise UsageError(
            f"{engine.label} has no application that is ready before its job", hint="omit --ready"
        )


def _require_files(work: ClusterUse) -> None:
    try:
        work.require_files()
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{work.kind}: {error}", hint="name files that exist, in the format that it reads"
        ) from error


def _require_roles(spec: Spec) -> None:
    for role in sorted(spec.workload.named_roles - spec.storage().keys()):
        raise UsageError(
            f"the job uses {{{role}}}, and no storage is requested for it",
            hint=f"add --{role}, such as --{role} memory, or name a directory of your own",
        )


def _require_few(spec: Spec, kind: str) -> None:
    most = spec.engine.parts[kind].most_nodes
    if most is not None and spec.nodes.count > most:
        raise UsageError(
            f"{kind} runs on {most} node only, not on {spec.nodes.count}",
            hint=f"use --nodes {spec.nodes.kind}:{most}",
        )


def _require_interval(work: ClusterUse, kind: str) -> None:
    try:
        work.require_engine(kind)
    except MisreadError as error:
        raise UsageError(str(error), hint=error.hint) from error


def _require_services(spec: Spec) -> None:
    there = [service.kind for service in spec.all_services()]
    if missing := [kind for kind in spec.workload.needs if kind not in there]:
        raise UsageError(
            f"{spec.workload.kind} needs the service {missing[0]}",
            hint=f"add --service {missing[0]}:1, or --service {missing[0]} for one on each compute node",
        )


def _require_preloaded(spec: Spec) -> None:
    scratch = next((layer for layer in layers(spec.scratch) if layer.preloaded), None)
    service = next((service for service in spec.all_services() if service.clears), None)
    if scratch and service:
        raise UsageError(
            f"scratch: {service.kind} starts containers without the preload library, and no other program sees files in {scratch.kind}",
            hint="use --scratch memory, loopback, or loopback+STORAGE",
        )


def _require_authenticating(spec: Spec) -> None:
    for kind, engine in spec.engine.parts.items():
        if engine.exposed:
            raise UsageError(
                f"{kind} knows no authentication and listens on all addresses of its hosts: anybody who reaches them could read and change its data",
                hint="if nobody else can reach them, add --set security=none (and --set nodes.trusted=true for ssh and slurm nodes)",
            )
        if engine.executes and not spec.nodes.private:
            raise UsageError(
                f"{kind} knows no authentication, and {spec.nodes.reached_by} could run programs as you",
                hint="use --nodes virtual:1; or, if nobody else can reach the node, add --set security=none (and --set nodes.trusted=true for ssh and slurm nodes)",
            )
        if spec.nodes.on_other_hosts and not engine.authenticates:
            raise UsageError(
                f"{kind} knows no authentication, and {spec.nodes.reached_by} could read and change its data",
                hint="use --nodes local or virtual; or, if nobody else can reach these hosts, add --set security=none --set nodes.trusted=true",
            )


def _require_unsecured(spec: Spec) -> None:
    for kind, engine in spec.engine.parts.items():
        if engine.encrypted:
            raise UsageError(
                f"{kind} encrypts only between authenticated processes, and security=none has none",
                hint="omit security=none, or the key of the engine that asks for encryption",
            )
    spec.nodes.require_unsecured()
