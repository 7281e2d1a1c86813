"""Samples of cumulative counters on disk: appended during the run, one Parquet file at the end."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import polars

from weft.record.record import replacing

SCHEMA = {
    "t": polars.Float64,
    "node": polars.String,
    "process": polars.String,
    "counter": polars.String,
    "value": polars.Float64,
    "component": polars.String,
}
"""t: seconds since the epoch. process: empty for a node's own counters. value: cumulative unless it is a gauge.
component: whose processes it counts, engine, generator or validator; empty for all of them."""


class Sample(NamedTuple):
    """One reading."""

    t: float
    node: str
    process: str
    counter: str
    value: float
    component: str = ""


def append(record: Path, samples: Iterable[Sample]) -> None:
    """Append readings to samples.csv, in one write, so that lines of two probes never mix."""
    with (record / "samples.csv").open("ab", buffering=0) as file:
        file.write(lines(samples).encode())


def lines(samples: Iterable[Sample]) -> str:
    """Readings as they are written."""
    return "".join(
        f"{s.t:.3f},{s.node},{s.process},{s.counter},{s.value:.12g},{s.component}\n" for s in samples
    )


def finish(record: Path) -> None:
    """Convert samples.csv, and those of other hosts, to samples.parquet; they remain if the disk is full."""
    if texts := _texts(record):
        with suppress(OSError), replacing(record / "samples.parquet") as partial:
            _parse_all(texts).write_parquet(partial)
        if (record / "samples.parquet").exists():
            for text in texts:
                text.unlink()


def elsewhere(record: Path, node: str) -> Path:
    """The readings of a node on another host, received as a stream."""
    return record / f"samples.{node}.csv"


def _texts(record: Path) -> list[Path]:
    return sorted(record.glob("samples*.csv"))


def _parse_all(texts: Iterable[Path]) -> polars.DataFrame:
    return polars.concat([_parse(text.read_bytes()) for text in texts])


def load(record: Path) -> polars.DataFrame:
    """All readings of a record, also of a killed run; an incomplete last line is ignored."""
    if (record / "samples.parquet").exists():
        return _whole(polars.read_parquet(record / "samples.parquet"))
    texts = _texts(record)
    return _parse_all(texts) if texts else polars.DataFrame(schema=SCHEMA)


def _parse(text: bytes) -> polars.DataFrame:
    whole = text.rpartition(b"\n")[0]
    if not whole:
        return polars.DataFrame(schema=SCHEMA)
    fields = whole.partition(b"\n")[0].count(b",") + 1
    written = dict(list(SCHEMA.items())[:fields])
    return _whole(polars.read_csv(whole, has_header=False, schema=written))


def _whole(frame: polars.DataFrame) -> polars.DataFrame:
    """Adds columns that older records lack; missing names are empty."""
    if "component" not in frame.columns:
        frame = frame.with_columns(polars.lit("").alias("component"))
    return frame.with_columns(polars.col("process", "component").fill_null(""))
