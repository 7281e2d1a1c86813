"""What is being measured: one file an adapter."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from weft.engines.base import Engine
from weft.engines.flink.engine import FlinkEngine
from weft.engines.mapreduce import HadoopEngine
from weft.engines.null import NullEngine
from weft.engines.several import SeveralEngine, composed
from weft.engines.spark.engine import SparkEngine
from weft.text.shorthand import expand, listed

KINDS: dict[str, type[Engine]] = {
    "null": NullEngine,
    "spark": SparkEngine,
    "hadoop": HadoopEngine,
    "flink": FlinkEngine,
}

OneEngine = Annotated[NullEngine | SparkEngine | HadoopEngine | FlinkEngine, Field(discriminator="kind")]


def _table(value: Any) -> Any:
    """The table of an engine, or of several, from any of their forms."""
    positional = {kind: adapter.positional for kind, adapter in KINDS.items()}
    tables = listed(value, positional)
    return expand(value, positional) if tables is None else composed(tables)


AnyEngine = Annotated[
    Annotated[
        NullEngine | SparkEngine | HadoopEngine | FlinkEngine | SeveralEngine, Field(discriminator="kind")
    ],
    BeforeValidator(_table),
]

SeveralEngine.model_rebuild(_types_namespace={"OneEngine": OneEngine})
