"""The engines under measurement: one file per adapter."""

from typing import Annotated, Any

from pydantic import BeforeValidator, SerializeAsAny

from weft.adapters.engines import hadoop, limit, null, timely
from weft.adapters.engines.base import KINDS, Engine
from weft.adapters.engines.dask import engine as dask
from weft.adapters.engines.flink import engine as flink
from weft.adapters.engines.hive import engine as hive
from weft.adapters.engines.onenode import duckdb, sail
from weft.adapters.engines.powergraph import engine as powergraph
from weft.adapters.engines.ray import engine as ray
from weft.adapters.engines.several import SeveralEngine, composed
from weft.adapters.engines.spark import engine as spark
from weft.text.shorthand import split_list

__all__ = ["DEFAULT", "KINDS", "AnyEngine", "Engine"]

KINDS.add(
    null.NullEngine,
    spark.SparkEngine,
    hadoop.HadoopEngine,
    flink.FlinkEngine,
    hive.HiveEngine,
    timely.TimelyEngine,
    limit.LimitEngine,
    powergraph.PowerGraphEngine,
    dask.DaskEngine,
    ray.RayEngine,
    duckdb.DuckDbEngine,
    sail.SailEngine,
)
DEFAULT = spark.SparkEngine
"""The default engine."""


def tables(value: Any) -> list[Any] | None:
    """The tables of several engines; None for one engine."""
    return split_list(value, KINDS.table)


def _read(value: Any) -> Engine:
    """An engine, or several, from any of their forms."""
    if isinstance(value, Engine):
        return value
    several = tables(value)
    table = value if several is None else composed(several)
    if isinstance(table, dict) and table.get("kind") == "several":
        return SeveralEngine.model_validate(table)
    return KINDS.read(table)


AnyEngine = Annotated[SerializeAsAny[Engine], BeforeValidator(_read)]
