"""nexmark: queries on the stream of an auction site, as the field measures engines of streams; every row of the result is checked."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field, model_validator

from weft.adapters.services.kafka import client_program, client_properties
from weft.adapters.workloads import nexmarksql, streamwork
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
from weft.adapters.workloads.tablework import table_program
from weft.layout.job import Dependencies, Job
from weft.layout.plan import Command, Layout
from weft.text.fields import Count, Duration
from weft.text.shorthand import MisreadError

_HOPS = 5
"""Of the hopping windows of q5, in one window."""
_QUARTERS = 4
_CLOSING = 100
"""Events of each producer after the measured ones, which close all windows (NexmarkSpec.CLOSING)."""


def _known(value: str) -> str:
    names = value.split(",")
    wrong = next((name for name in names if name not in nexmarksql.NAMES or names.count(name) > 1), None)
    if wrong is not None:
        raise ValueError(f"{wrong!r} is none of {', '.join(nexmarksql.NAMES)}, or there more than once")
    return value


class Nexmark(Workload):
    """Producers publish bids, auctions and persons by a schedule; the engine answers a query on them by SQL."""

    kind: Literal["nexmark"] = "nexmark"
    checker = Checker(
        "weft.tables.nexmark",
        "the brokers' log: every event, by events that are made again, and every row of the result, by DuckDB on these events",
        (
            "a lost, a repeated and a changed row",
            "a truncated result",
            "a last update that is lost or wrong",
            "a late event that is counted",
            "a window that the watermark has not closed",
            "an event that is lost, repeated, changed or out of order",
        ),
        ("test_nexmark_answers", "NexmarkTest"),
    )
    positional = "queries"
    lists: ClassVar[frozenset[str]] = frozenset({"queries"})
    engines = streamwork.ORDER
    roles = ("output", "scratch")
    needs = ("kafka",)
    libraries: ClassVar[Mapping[str, str]] = streamwork.LIBRARIES

    queries: Annotated[str, AfterValidator(_known)] = Field(
        default="q1",
        description="queries by their names in Nexmark, with commas between; all run at the same time",
    )
    producers: int = Field(
        default=1, ge=1, le=10_000, description="producers, each with a partition of its own"
    )
    rate: streamwork.Rate = Field(
        default=streamwork.FIRST_RATE,
        description="events per second of each producer; max: search for the highest rate that is sustained",
    )
    first_rate: streamwork.FirstRate = streamwork.FIRST_RATE
    seconds: Duration = Field(default=30.0, ge=1, description="measured time; with rate=max of each rate")
    warmup: Duration = Field(
        default=5.0, ge=0, description="time before, at the same rate, which only the check counts"
    )
    window: Duration = Field(
        default=10.0,
        ge=5,
        description="length of windows (q7, q8; q5: hopping by a fifth of it) and the gap that ends a session (q11), in event time",
    )
    delay: Duration = Field(default=4.0, ge=0, description="how far the watermark is behind the latest event")
    disorder: Duration = Field(
        default=0.0,
        ge=0,
        description="by how much the time of an event may be before that of earlier ones; up to `delay`",
    )
    late: int = Field(
        default=0,
        ge=0,
        description="one event in so many is late, by `lateness`: windows must not count it; 0: none",
    )
    lateness: Duration = Field(default=60.0, ge=1, description="how late those events are")
    interval: Duration | None = Field(
        default=None, ge=0.1, description="Spark: a micro-batch. Default: 100ms"
    )
    checkpoint: Duration | None = Field(
        default=None, ge=0.01, description="Flink: time between checkpoints. Default: 1s"
    )
    state: Literal["heap", "rocksdb"] = Field(
        default="heap",
        description="where the engine keeps its state: in the heap, or in RocksDB, whose files are on scratch; its checkpoints are on output",
    )
    tasks: Count | None = Field(
        default=None, description="tasks of each operator; default: one per producer, at most one per slot"
    )
    patience: Duration = Field(
        default=120.0,
        ge=1,
        description="time without a result, or without an acknowledgement of the brokers, after which events are given up as lost",
    )
    seed: int = Field(default=0, ge=0, description="seed of the events")

    @property
    def _names(self) -> list[str]:
        return self.queries.split(",")

    @property
    def _windowed(self) -> list[str]:
        return [name for name in self._names if name in nexmarksql.WINDOWED]

    @model_validator(mode="after")
    def _fits(self) -> "Nexmark":
        """Each query has rows, and which of the events are late does not depend on the engine's speed."""
        if self.window % _HOPS:
            raise MisreadError(
                f"nexmark: a window of {self.window:g} s has no fifth in whole seconds, by which q5 hops",
                hint="set window to 5s, 10s, 15s ...",
            )
        if self.disorder > self.delay:
            raise MisreadError(
                f"nexmark: events are up to {self.disorder:g} s out of order, and the watermark waits for {self.delay:g} s",
                hint="set delay to disorder or more",
            )
        least = self.window + self.delay + self.disorder
        if self.late and self.lateness <= least:
            raise MisreadError(
                f"nexmark: windows may count events that are {self.lateness:g} s late",
                hint=f"set lateness above {least:g}s, which is window, delay and disorder",
            )
        if self.late and "q11" in self._names:
            raise MisreadError(
                "nexmark: a late event belongs to a session of q11 that is still open, and engines differ in when one is",
                hint="leave q11 out of queries, or late events out: late=0",
            )
        if self.late and self.seconds <= self.lateness:
            raise MisreadError(
                f"nexmark: in {self.seconds:g} s no event is {self.lateness:g} s late",
                hint="set seconds above lateness",
            )
        if self.rate == "max" and len(self._names) > 1:
            raise MisreadError(
                f"nexmark: the highest rate is that of one query, and there are {len(self._names)}",
                hint="set queries to one of them, or rate to a number",
            )
        parts = _QUARTERS if self.rate == "max" else 1
        if self._windowed and self.seconds < parts * self.window:
            raise MisreadError(
                f"nexmark: {self._windowed[0]} needs {parts} windows of {self.window:g} s in the measured time",
                hint=f"set seconds to {parts * self.window:g}s or more",
            )
        return self

    def require_engine(self, kind: str) -> None:
        if lacking := [name for name in self._names if name not in nexmarksql.TEXTS[kind]]:
            raise MisreadError(
                f"nexmark: {kind} does not run {', '.join(lacking)}",
                hint=f"set queries to some of {', '.join(nexmarksql.TEXTS[kind])}",
            )
        if kind == "spark" and self.state == "heap" and nexmarksql.UPDATED & set(self._names):
            raise MisreadError(
                f"nexmark: {', '.join(sorted(nexmarksql.UPDATED))} on Spark is a function with state (transformWithState), which Spark keeps in RocksDB only",
                hint="set state=rocksdb",
            )

    @property
    def unpredicted(self) -> str:
        return streamwork.UNPREDICTED

    def prepare(self, layout: Layout) -> Sequence[Command]:
        return [streamwork.topics(layout, self.producers, self.producers)]

    def _texts(self, layout: Layout) -> dict[str, Path]:
        return {name: layout.directory / f"{name}.sql" for name in self._names}

    def generated(self, layout: Layout) -> Mapping[Path, str]:
        window = int(self.window)
        return {
            path: nexmarksql.text(layout.engine, name, window, window // _HOPS)
            for name, path in self._texts(layout).items()
        }

    def job(self, prepared: Prepared) -> Job:
        layout = prepared.layout
        options = {
            "client": client_properties(layout),
            "producers": self.producers,
            "delay-millis": round(self.delay * 1000),
            "interval-millis": round(self._interval(layout) * 1000),
            "checkpoints": f"{layout.places['output'].path}/checkpoints",
            "checkpoint-millis": round(1000 * self._checkpoint(layout)),
            "state": self.state,
            "tasks": self.tasks or min(self.producers, layout.slots),
        }
        needed = Dependencies(jars=[str(jar) for jar in layout.libraries])
        own = self._companions(layout.of("generator"))
        words = [word for name, path in self._texts(layout).items() for word in ("--query", f"{name}={path}")]
        words += self._closed
        if updated := [name for name in self._names if name in nexmarksql.UPDATED]:
            words += ["--updated", ",".join(updated)]
        return engine_job(layout, self.kind, "Nexmark", options, words, dependencies=needed, companions=own)

    @property
    def _closed(self) -> list[str]:
        """The option that says which queries are of windows."""
        return ["--windowed", ",".join(self._windowed)] if self._windowed else []

    def _companions(self, layout: Layout) -> Sequence[Command]:
        """The collector of results, and producers on each node."""
        each = shares(layout, self.producers, span="")
        options: dict[str, object] = {
            **self._stream(layout),
            "rate": self.first_rate if self.rate == "max" else self.rate,
            "seconds": self.seconds,
            "warmup-seconds": self.warmup,
            "interval-micros": round(self._interval(layout) * 1e6),
            "checkpoint-micros": round(self._checkpoint(layout) * 1e6),
            "delay-millis": round(self.delay * 1000),
            "gap-millis": round(2000 * (self.window + self.delay + self.disorder)),
            "window-millis": round(self.window * 1000),
            "patience-seconds": self.patience,
            "log": layout.outcome("latency.hlog"),
            "programs": len(each),
        }
        words = [*(["--search"] if self.rate == "max" else []), *self._closed]
        commands = [
            client_program(layout, layout.head, "collect", "NexmarkCollect", [*words, *flags(options)])
        ]
        for i, share in each.items():
            node, own = layout.nodes[i], {**self._stream(layout), **share, "patience-seconds": self.patience}
            commands.append(
                client_program(layout, node, f"produce-{node.name}", "NexmarkProduce", flags(own))
            )
        return commands

    def check(self, prepared: Prepared) -> Sequence[Command]:
        layout = prepared.layout
        files = layout.head.directory / "nexmark"
        words = flags({**self._stream(layout), "output": files})
        validated = client_program(layout, layout.head, "validate", "NexmarkValidate", words)
        asked = {
            "queries": self.queries,
            "window": round(self.window * 1000),
            "directory": files,
            "validated": validated.outcome,
        }
        return [validated, table_program(layout, "answers", "nexmark", flags(asked))]

    def judge(self, results: Results) -> Judgement:
        collected, *produced = results.ran["companions"]
        log, answers = results.checked
        reasons = [str(collected["lost"]).rstrip(".")] if "lost" in collected else []
        wanted = log["each"] * self.producers
        if self.rate != "max" and "lost" not in collected:
            steps = (streamwork.scheduled(self.rate, time) for time in (self.warmup, self.seconds) if time)
            wanted = self.producers * (sum(steps) + _CLOSING)
        counts = {
            "producers published": sum(one["records"] for one in produced),
            "the brokers' log has": log["events"],
        }
        reasons += [f"{who} {count} events of {wanted}" for who, count in counts.items() if count != wanted]
        failures = results.ran["restarts"] + results.ran.get("failed_tasks", 0)
        found = answers["queries"]
        if "lost" not in collected:  # the windows of a run that was given up were not all closed
            reasons += [why for name in self._names for why in _wrong(name, found[name], failures)]
        lag = results.ran.get("watermark_lag_seconds")
        if reasons and any(found[name]["wrong"] for name in self._windowed):
            reasons += self._undecided(lag)
        facts = {
            "events": log["events"],
            "late": answers["late"],
            "duckdb": answers["duckdb"],
            **streamwork.latencies(collected),
            **{f"p99_at_{row['level']:g}_seconds": row["p99"] for row in collected.get("levels", ())},
            **({} if lag is None else {"watermark_lag_seconds": lag}),
            **{key: sum(one[key] for one in found.values()) for key in ("rows", "repeated")},
            "answers": [{"query": name, **found[name]} for name in self._names],
        }
        return Judgement(not reasons, "; ".join(reasons), 0, 0, collected.get("seconds"), facts)

    def _undecided(self, lag: float | None) -> list[str]:
        """Why rows that are of no answer may be right by the engine's own rules, if they may."""
        needed = self.window + self.disorder + (lag or 0.0)
        if lag is None or not self.late or self.lateness > needed:
            return []
        rule = f"Spark may count events that are {self.lateness:g} s late by its own rules"
        behind = f"the watermark was up to {lag:.1f} s behind the latest event"
        return [f"but micro-batches were long, {behind}, and {rule}: set lateness above {needed:.1f}s"]

    def _interval(self, layout: Layout) -> float:
        """Seconds between results; 0: each as soon as it can."""
        usual = streamwork.ENGINES[layout.engine].interval
        return usual if self.interval is None or not usual else self.interval

    def _checkpoint(self, layout: Layout) -> float:
        """Seconds until what has been consumed is known; in micro-batches that is known after each."""
        engine = streamwork.ENGINES[layout.engine]
        return self._interval(layout) if engine.interval else self.checkpoint or engine.checkpoint

    def _stream(self, layout: Layout) -> dict[str, object]:
        return {
            "client": client_properties(layout),
            "producers": self.producers,
            "seed": self.seed,
            "disorder-millis": round(self.disorder * 1000),
            "late-every": self.late,
            "late-millis": round(self.lateness * 1000),
        }


def _wrong(query: str, answer: Mapping[str, Any], failures: int) -> list[str]:
    """Why rows are not the answer: after a failure, and only then, those since the last checkpoint are published again."""
    if not answer["rows"]:
        return [f"the answer to {query} is empty on so few events, and says nothing"]
    found = []
    for kind, what in (
        ("lost", "lost"),
        ("wrong", "of no answer"),
        ("repeated", "repeated, and nothing had failed"),
    ):
        if answer[kind] and (kind != "repeated" or not failures):
            row = answer[f"{kind}_row"]
            found.append(f"{query}: {answer[kind]} of {answer['rows']} rows are {what}, such as {row}")
    return found
