"""Storages by the values of latencyfs's profiles: file systems that it emulates, and those whose rates IO500 publishes."""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from weft.analysis.predict.constants import VALUE
from weft.analysis.predict.storagemodel import UNLIMITED, StorageModel
from weft.facts.io500 import figures, profile, submissions
from weft.facts.io500.figures import Figures

_CALLS = {"stat": "getattr", "open": "open", "close": "close", "unlink": "unlink", "rename": "rename",
          "mkdir": "mkdir", "rmdir": "rmdir", "readdir": "readdir", "truncate": "truncate", "create": "create"}  # fmt: skip
"""Operations as the preload library counts them, by what a profile of latencyfs calls them."""


def of_profile(text: str, defaults: str, settings: Mapping[str, str]) -> StorageModel:
    """An emulated file system from the same figures that latencyfs delays by. `settings`: values that a run changed."""
    table, base = tomllib.loads(text), tomllib.loads(defaults)
    values = {key: entry["value"] for one in (base, table) for key, entry in one["values"].items()}
    return _emulated(str(table["name"]), values | _read(settings))


def of_submission(name: str, settings: Mapping[str, str] | None = None) -> StorageModel:
    """The emulated file system of a submission to IO500. Raises UsageError if there is none, or its rates do not suffice."""
    found = figures.of_submission(submissions.of(name))
    return _emulated(f"{submissions.PREFIX}{name}", _values(found) | _read(settings or {}))


def published(name: str, found: Figures) -> StorageModel:
    """A real file system with these published figures. Raises UsageError if they do not suffice."""
    one = _service(name, _values(found))
    # what one call takes alone is published of few: it may be as short as on the fastest, or as long as under load
    return replace(one, latencies=profile.bounds(found), source=found.about)


def _read(settings: Mapping[str, str]) -> dict[str, Any]:
    return {key: tomllib.loads(f"v = {text}")["v"] for key, text in settings.items()}


def _values(found: Figures) -> dict[str, Any]:
    return {key: one.value for key, one in profile.values(found).items()}


def _emulated(name: str, values: Mapping[str, Any]) -> StorageModel:
    """With what a call costs that goes through FUSE."""
    one = _service(f"delayed:{name}", values)
    return replace(
        one,
        calls={"write": one.call + VALUE["fuse_write"], "read": one.call + VALUE["fuse_read"]},
        emulator=VALUE["latencyfs_call"],
        source=f"latencyfs's profile {name}",
    )


def _service(name: str, values: Mapping[str, Any]) -> StorageModel:
    costs = {name: values.get(f"op.{op}", values["op.default"]) for name, op in _CALLS.items()}
    servers = max(1, int(values["metadata.servers"]))
    return StorageModel(
        name,
        latency=values["metadata.round_trip_us"] / 1e6,
        rate=(values["metadata.rate"] or UNLIMITED) * servers,
        servers=servers,
        directory_rate=values["directory.rate"] or UNLIMITED,
        weights={name: cost[1] for name, cost in costs.items()},
        trips={name: cost[0] for name, cost in costs.items()},
        directory_weights={name: cost[2] for name, cost in costs.items() if len(cost) > 2},
        bandwidth=values["data.shared_bandwidth"] or UNLIMITED,
        client_bandwidth=values["data.client_bandwidth"] or UNLIMITED,
        call=0.0 if values["client.page_cache"] else values["data.round_trip_us"] / 1e6,
    )
