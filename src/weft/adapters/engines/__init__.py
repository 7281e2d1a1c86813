"""The engines under measurement: one file per adapter."""

from typing import Annotated, Any

from pydantic import BeforeValidator, SerializeAsAny

from weft.adapters.engines.base import KINDS, Engine
from weft.adapters.engines.several import SeveralEngine, composed
from weft.adapters.engines.spark.engine import SparkEngine
from weft.text.shorthand import split_list

__all__ = ["DEFAULT", "KINDS", "AnyEngine", "Engine"]

KINDS.declare(
    __name__,
    {
        "null": "null:NullEngine",
        "spark": "spark.engine:SparkEngine",
        "hadoop": "hadoop:HadoopEngine",
        "flink": "flink.engine:FlinkEngine",
        "hive": "hive.engine:HiveEngine",
        "timely": "timely:TimelyEngine",
        "limit": "limit:LimitEngine",
        "powergraph": "powergraph.engine:PowerGraphEngine",
        "dask": "dask.engine:DaskEngine",
        "ray": "ray.engine:RayEngine",
        "duckdb": "onenode.duckdb:DuckDbEngine",
        "sail": "onenode.sail:SailEngine",
    },
)
DEFAULT = SparkEngine
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
