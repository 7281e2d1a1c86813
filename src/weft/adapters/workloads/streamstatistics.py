"""stream-statistics: least, greatest, sum and count of a number in every record of a stream through Kafka."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from weft.adapters.services.kafka import client_program, client_properties
from weft.adapters.workloads import streamwork
from weft.adapters.workloads.base import (
    Checker,
    Judgement,
    Prepared,
    Results,
    Workload,
    engine_job,
    flags,
    shares,
)
from weft.errors import UsageError
from weft.layout.job import Dependencies, Job
from weft.layout.plan import Command, Layout
from weft.text.fields import MOST, Count, Duration, Size
from weft.text.shorthand import MisreadError
from weft.text.units import show_seconds


class StreamStatistics(Workload):
    """Producers publish records by a schedule; every result of the engine is checked, and each record's latency measured."""

    kind: Literal["stream-statistics"] = "stream-statistics"
    checker = Checker(
        "StreamValidate",
        "the brokers' log: every record and every result, by records that are made again",
        (
            "one record in a million",
            "a fall back without a failure",
        ),
        ("StreamCheckTest", "test_streamstatistics"),
    )
    positional = "rate"
    engines = streamwork.ORDER
    roles = ("output", "scratch")
    needs = ("kafka",)
    libraries: ClassVar[Mapping[str, str]] = streamwork.LIBRARIES

    producers: int = Field(
        default=1, ge=1, le=10_000, description="producers, each with a partition of its own"
    )
    rate: streamwork.Rate = Field(
        default=streamwork.FIRST_RATE,
        description="records per second of each producer; max: search for the highest rate that keeps `bound`",
    )
    first_rate: streamwork.FirstRate = streamwork.FIRST_RATE
    seconds: Duration = Field(default=20.0, ge=1, description="measured time; with rate=max of each rate")
    warmup: Duration = Field(
        default=5.0, ge=0, description="time before, at the same rate, which only the check counts"
    )
    length: Size = Field(default=80, ge=3, le=MOST, description="bytes of each record")
    values: int = Field(default=8, ge=1, le=100_000, description="numbers in each record")
    field: int = Field(default=1, ge=0, description="number of a record that is aggregated, from 0")
    interval: Duration | None = Field(
        default=None,
        ge=0,
        description="tumbling window (Flink, from 50ms) or micro-batch (Spark, from 100ms); 0: a result for each record (on Spark by its real-time mode). Default: 0 on Flink, 100ms on Spark",
    )
    bound: Duration = Field(
        default=1.0, gt=0, description="with rate=max: limit of the 99th percentile of latency"
    )
    checkpoint: Duration | None = Field(
        default=None,
        ge=0.01,
        description="time between checkpoints, on Flink and in Spark's real-time mode. Default: 1s on Flink, 5s on Spark, the shortest",
    )
    backlog: Duration = Field(
        default=0.0, ge=0, description="how much later than the producers the engine begins; without warmup"
    )
    buffer_timeout: Duration = Field(
        default=0.01, ge=0, description="time after which Flink sends a network buffer that is not full"
    )
    tasks: Count | None = Field(
        default=None, description="tasks that read; default: one per producer, at most one per slot"
    )
    patience: Duration = Field(
        default=120.0,
        ge=1,
        description="time without a result, or without an acknowledgement of the brokers, after which records are given up as lost",
    )
    seed: int = Field(default=0, ge=0, description="seed of the records")

    @model_validator(mode="after")
    def _fits(self) -> "StreamStatistics":
        """Records hold their numbers."""
        if self.field >= self.values:
            raise MisreadError(
                f"field {self.field} is not one of the {self.values} numbers of a record",
                hint=f"fields are numbered from 0 to {self.values - 1}",
            )
        if self.backlog and (self.rate == "max" or self.seconds <= self.backlog):
            raise MisreadError(
                "stream-statistics: a backlog needs a rate, and producers that publish for longer",
                hint="set rate to a number, and seconds above backlog",
            )
        if (self.length + 1) // self.values < 4:
            raise MisreadError(
                f"a record of {self.length} bytes does not hold {self.values} numbers",
                hint=f"with {self.values} numbers it needs {4 * self.values - 1} bytes or more",
            )
        return self

    def require_engine(self, kind: str) -> None:
        engine = streamwork.ENGINES[kind]
        if self.interval and self.interval < engine.shortest:
            raise MisreadError(
                f"stream-statistics: an interval of {self.interval * 1000:g} ms is too short on {kind}",
                hint=f"set interval to {engine.shortest * 1000:g}ms or more, or 0 for a result of each record",
            )
        least = engine.checkpoint
        if engine.real_time and self.interval == 0 and (self.checkpoint or least) < least:
            raise MisreadError(
                f"stream-statistics: {engine.real_time} has at least {least:g} s between checkpoints",
                hint=f"set checkpoint to {least:g}s or more",
            )

    def require_layout(self, layout: Layout) -> None:
        mode = streamwork.ENGINES[layout.engine].real_time
        if mode and self.interval == 0 and layout.slots <= self.producers:
            raise UsageError(
                f"stream-statistics: {mode} needs {self.producers + 1} slots, one for each"
                f" producer's partition and one for the result; there are {layout.slots}",
                hint="add nodes or cores, lower producers, or set interval to 100ms or more",
            )

    @property
    def unpredicted(self) -> str:
        return streamwork.UNPREDICTED

    def prepare(self, layout: Layout) -> Sequence[Command]:
        return [streamwork.topics(layout, self.producers, 1)]

    def job(self, prepared: Prepared) -> Job:
        layout = prepared.layout
        engine = streamwork.ENGINES[layout.engine]
        options = {
            "client": client_properties(layout),
            "producers": self.producers,
            "field": self.field,
            "interval-millis": round(self._interval(layout) * 1000),
            "checkpoints": f"{layout.places['output'].path}/checkpoints",
            "checkpoint-millis": round(1000 * (self.checkpoint or engine.checkpoint)),
            "tasks": self.tasks or min(self.producers, layout.slots),
            **({"buffer-millis": round(self.buffer_timeout * 1000)} if engine.buffers else {}),
        }
        needed = Dependencies(jars=[str(jar) for jar in layout.libraries])
        late = ["--backlog"] if self.backlog else []
        own = self._companions(layout.of("generator"))
        return engine_job(
            layout, self.kind, "StreamStatistics", options, late, dependencies=needed, companions=own
        )

    def _companions(self, layout: Layout) -> Sequence[Command]:
        """The collector of results, and a producer on each node."""
        options: dict[str, object] = {
            **self._stream(layout),
            "rate": self.first_rate if self.rate == "max" else self.rate,
            "seconds": self.seconds,
            "warmup-seconds": self.warmup,
            "interval-micros": round(self._interval(layout) * 1e6),
            "bound-micros": round(self.bound * 1e6) if self.rate == "max" else 0,
            "backlog-seconds": self.backlog,
            "patience-seconds": self.patience,
            "log": layout.outcome("latency.hlog"),
        }
        each = shares(layout, self.producers, span="")
        options["programs"] = len(each)
        commands = [client_program(layout, layout.head, "collect", "Collect", flags(options))]
        for i, share in each.items():
            node, own = layout.nodes[i], {**self._stream(layout), **share, "patience-seconds": self.patience}
            commands.append(client_program(layout, node, f"produce-{node.name}", "Produce", flags(own)))
        return commands

    def check(self, prepared: Prepared) -> Sequence[Command]:
        layout = prepared.layout
        words = flags(self._stream(layout))
        return [client_program(layout, layout.head, "validate", "StreamValidate", words)]

    def judge(self, results: Results) -> Judgement:
        collected, *produced = results.ran["companions"]
        found = results.checked[0]
        reasons = [str(collected["lost"]).rstrip(".")] if "lost" in collected else []
        wanted = found["each"] * self.producers
        if self.rate != "max" and "lost" not in collected:
            steps = (0 if self.backlog else self.warmup, self.seconds)
            wanted = self.producers * sum(streamwork.scheduled(self.rate, time) for time in steps if time)
        counts = {
            "producers published": sum(one["records"] for one in produced),
            "the brokers' log has": found["records"],
            "the engine counted": found["count"],
        }
        reasons += [f"{who} {count} records of {wanted}" for who, count in counts.items() if count != wanted]
        failures = results.ran["restarts"] + results.ran.get("failed_tasks", 0)
        if (fell := found["repeated_results"]) and not failures:
            reasons.append(f"results fell back to fewer records {fell} times, and nothing had failed")
        facts = {
            **streamwork.latencies(collected),
            **_caught_up(collected.get("backlog")),
            **{key: found[key] for key in ("min", "max", "sum", "count", "results")},
        }
        measured = collected.get("records", 0) * self.length
        return Judgement(not reasons, "; ".join(reasons), measured, 0, collected.get("seconds"), facts)

    def _interval(self, layout: Layout) -> float:
        """Seconds between results; 0: one for each record."""
        return streamwork.ENGINES[layout.engine].interval if self.interval is None else self.interval

    def _stream(self, layout: Layout) -> dict[str, object]:
        return {
            "client": client_properties(layout),
            "producers": self.producers,
            "length": self.length,
            "values": self.values,
            "field": self.field,
            "seed": self.seed,
        }


def _caught_up(backlog: Mapping[str, Any] | None) -> dict[str, Any]:
    """How long the engine, which began late, needed for what had been published."""
    if backlog is None:
        return {}
    took = show_seconds(backlog["caught_up"]) if "caught_up" in backlog else "not until the end"
    return {"backlog_records": backlog["records"], "caught_up": took}
