"""What is being measured: one file an adapter."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from weft.engines.base import Engine
from weft.engines.flink import FlinkEngine
from weft.engines.hadoop import HadoopEngine
from weft.engines.null import NullEngine
from weft.engines.spark import SparkEngine
from weft.shorthand import expand

KINDS: dict[str, type[Engine]] = {
    "null": NullEngine,
    "spark": SparkEngine,
    "hadoop": HadoopEngine,
    "flink": FlinkEngine,
}

AnyEngine = Annotated[
    Annotated[NullEngine | SparkEngine | HadoopEngine | FlinkEngine, Field(discriminator="kind")],
    BeforeValidator(
        lambda value: expand(value, {kind: adapter.positional for kind, adapter in KINDS.items()})
    ),
]
