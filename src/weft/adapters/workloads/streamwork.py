"""What workloads on streams through Kafka share: rates, engines, topics, and the facts of their latencies."""

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from weft.adapters.services.kafka import client_program, client_properties
from weft.adapters.workloads.base import Outcome
from weft.facts import engines
from weft.layout.plan import Command, Layout

ENGINES = {name: facts.streaming for name, facts in engines.ALL.items() if facts.streaming}
ORDER = tuple(dict.fromkeys(("flink", *ENGINES)))
"""The first is the default."""
LIBRARIES: Mapping[str, str] = {name: one.library for name, one in ENGINES.items()}
FIRST_RATE = 1000.0
"""Records per second of each producer, if nothing else is asked for; the search for the highest rate begins with it."""
_MOST_RATE = 1e7
UNPREDICTED = "a stream takes as long as its schedule says"


def _rate_of(value: Any) -> Any:
    try:
        known = value == "max" or 0 < float(value) <= _MOST_RATE
    except ValueError:
        known = False
    if not known:
        raise ValueError(f"it must be a number of records per second, up to {_MOST_RATE:.0f}, or max")
    return value


Rate = Annotated[float | Literal["max"], BeforeValidator(_rate_of)]
FirstRate = Annotated[
    float, Field(ge=1, le=_MOST_RATE, description="with rate=max: the rate that is tried first")
]


def scheduled(rate: float, seconds: float) -> int:
    """How many records a producer publishes in a time: a half is rounded up, as the collector does it in Java."""
    return max(1, math.floor(rate * seconds + 0.5))


def topics(layout: Layout, partitions: int, results: int) -> Command:
    """Creates the topics of a run, with so many partitions of records and of results."""
    wanted = {"stream-records": partitions, "stream-results": results, "stream-control": 1}
    words = ["--client", str(client_properties(layout)), "--replication", "-1"]
    words += [word for name, count in wanted.items() for word in ("--topic", f"{name}={count}")]
    return client_program(layout, layout.head, "topics", "CreateTopics", words, heap=128 << 20)


def latencies(collected: Outcome) -> dict[str, Any]:
    """Values for lists of runs; the report draws the rest from the record."""
    if "latency" not in collected:
        return {}
    last = max(
        (step for step in collected["steps"] if step["sustained"]),
        key=lambda step: float(step["rate"]),
        default=None,
    )
    step = last or collected["steps"][-1]
    return {
        "offered_per_second": step["rate"],
        "records_per_second": round(collected["throughput"], 1),
        "sustained": bool(last),
        **({} if last else {"limit": step["limit"]}),
        **{f"latency_{name}_seconds": round(value, 6) for name, value in collected["latency"].items()},
    }
