"""What a notebook needs: `weft.connect(NAME)`, a Spark session; `weft.records()`, `weft.samples(NAME)`, data frames."""

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

import polars

from weft.clusters import attach, registry
from weft.clusters.registry import PersistentCluster
from weft.errors import UsageError
from weft.facts.engines.spark.cores import fitting
from weft.host import settings
from weft.layout.client import Client
from weft.record import record, sampletable
from weft.record.record import Stored

_TEXTS = ("workload", "engine", "nodes", "input", "output", "scratch", "reason", "checked_by")
_NUMBERS = ("measured", "bytes_in", "bytes_out", "throughput_per_node")
"""Seconds, bytes, bytes, and bytes per second and node; null if the run came to no such figure."""


def records(runs: str | Path | None = None) -> polars.DataFrame:
    """One row for each readable record below a directory, oldest first; default: WEFT_RUNS.

    Columns: name, verdict, the parts of the run, its figures, cell.KEY for each key of a study's matrix, and phase.NAME
    for the seconds of each phase.
    """
    found = record.all_records(Path(runs) if runs is not None else settings.runs())
    return polars.DataFrame([_row(stored) for stored in found], infer_schema_length=None)


def samples(name: str, runs: str | Path | None = None) -> polars.DataFrame:
    """What the probes of one run read: t (seconds since the epoch), node, process, counter, value, labels. Raises RecordError."""
    stored = record.find(Path(runs) if runs is not None else settings.runs(), name)
    return sampletable.load(stored.folder, stored.schema)


def connect(name: str | None = None, conf: Mapping[str, str] = MappingProxyType({})) -> Any:
    """A SparkSession on a persistent cluster; default: the only one that is running. `conf` has Spark properties.

    The driver is this process's own, on this machine. Raises UsageError where it could not reach the cluster.
    """
    cluster = registry.find(name)
    client = _spark(cluster)
    configured, before = client.environment["SPARK_CONF_DIR"], settings.search_path("SPARK_CONF_DIR")
    if before != configured:
        if "pyspark" in sys.modules and sys.modules["pyspark"].SparkContext._gateway is not None:  # noqa: SLF001 - it has no other sign
            raise UsageError(
                "this process has a Spark driver already, with other settings",
                hint="restart the notebook's kernel, then connect to the other cluster",
            )
        _require_here(cluster)
        _enter(cluster)
    own = fitting(conf, cluster.layout.head.cores)
    builder = import_module("pyspark.sql").SparkSession.builder.appName("notebook").config(map=own)
    return builder.getOrCreate()


def _spark(cluster: PersistentCluster) -> Client:
    parts = cluster.client.parts or {cluster.engine.kind: cluster.client}
    if "spark" not in parts:
        raise UsageError(
            f"the cluster {cluster.name!r} has no Spark: it runs {cluster.engine.label}",
            hint=f"`weft connect {cluster.name}` prints what programs of other engines need",
        )
    return parts["spark"]


def _require_here(cluster: PersistentCluster) -> None:
    """Executors connect to the driver: it must be in the network of the nodes, and find the engine's files."""
    if cluster.layout.head.way or cluster.layout.head.prefix or cluster.layout.wrapper(cluster.layout.head):
        raise UsageError(
            f"this process is not on a node of the cluster {cluster.name!r}, and its executors could not connect to it",
            hint=f"start the notebook there: weft exec {cluster.name} -- jupyter lab",
        )


def _enter(cluster: PersistentCluster) -> None:
    """The variables and modules that `weft exec` would give to this process."""
    found, client = attach.environment(cluster), cluster.client
    os.environ.update({name: found[name] for name in (*client.environment, *client.search)})
    if all(not node.host for node in cluster.layout.nodes):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    sys.path[:0] = [path for path in client.search["PYTHONPATH"] if path not in sys.path]


def _row(stored: Stored) -> dict[str, Any]:
    head = stored.head
    return {
        "name": stored.directory.name,
        "verdict": stored.verdict,
        **{key: getattr(head, key) or None for key in _TEXTS},
        **{key: getattr(head, key) for key in _NUMBERS},
        **{f"cell.{key}": value for key, value in head.cell.coordinates.items()},
        **{f"phase.{key}": value for key, value in head.phases.items()},
    }
