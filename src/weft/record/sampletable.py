"""The samples of a record as a table: one Parquet file from the end of the run on.

Apart from `samples`, which every run and every node's sampler imports: polars takes long to import.
"""

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import polars

from weft.record import migrations
from weft.record.samples import LABELS
from weft.text.entry import Entry, RefusedError

SCHEMA = {
    "t": polars.Float64,
    "node": polars.String,
    "process": polars.String,
    "counter": polars.String,
    "value": polars.Float64,
    "component": polars.String,
    **dict.fromkeys(LABELS, polars.String),
}
"""t: seconds since the epoch. process: empty for a node's own counters. value: cumulative unless it is a gauge.
component: whose processes it counts, engine, generator or validator; empty for all of them.
thread: the kind of thread. path_class: role of storage, or class of files. floor: of a histogram, the least value of its bucket.
A label that does not apply is empty."""

_TEXTS = "samples*.csv"
_MOST, _ROWS = 1 << 32, 200_000_000
"""Bytes of a file of samples, and rows, which a few bytes of Parquet can stand for."""


def finish(record: Path) -> None:
    """Convert samples.csv, and those of other hosts, to samples.parquet; they remain if the disk is full, or if they are not readable."""
    folder = Entry(record)
    if texts := folder.files(_TEXTS):
        with (
            suppress(OSError, polars.exceptions.PolarsError),
            (folder / "samples.parquet").replacement() as file,
        ):
            polars.concat([_parse_whole(text.data(_MOST)) for text in texts]).write_parquet(file)
        if (folder / "samples.parquet").exists():
            for text in texts:
                (record / text.name).unlink()


def _parse_all(texts: Iterable[Entry]) -> polars.DataFrame:
    return polars.concat([_parse(text.data(_MOST)) for text in texts])


def load(record: Entry, schema: int = migrations.SCHEMA) -> polars.DataFrame:
    """All readings of a record of a schema, also of a killed run; an incomplete last line is ignored."""
    found = _load(record)
    if schema >= migrations.LABELLED or "counter" not in found.columns:
        return found
    named = [(name, *migrations.with_labels(name, schema)) for name in found["counter"].unique()]
    labels = polars.DataFrame(named, dict.fromkeys(("name", "counter", *LABELS), polars.String), orient="row")
    old = found.rename({"counter": "name"}).drop(LABELS)
    return old.join(labels, on="name", how="left", maintain_order="left").select(list(SCHEMA))


def _load(record: Entry) -> polars.DataFrame:
    if (record / "samples.parquet").exists():
        return _whole(_parquet((record / "samples.parquet").data(_MOST)))
    texts = record.files(_TEXTS)
    return _parse_all(texts) if texts else polars.DataFrame(schema=SCHEMA)


def _parquet(data: bytes) -> polars.DataFrame:
    rows = polars.scan_parquet(BytesIO(data)).select(polars.len()).collect().item()
    if rows > _ROWS:
        raise RefusedError(f"samples.parquet has more than {_ROWS} rows")
    return polars.read_parquet(BytesIO(data))


def _parse_whole(text: bytes) -> polars.DataFrame:
    """Without lines that a full disk cut short, and with which the next one, written when there was room again, makes one line."""
    try:
        return _parse(text)
    except polars.exceptions.PolarsError:
        lines = text.splitlines(keepends=True)
        fields = Counter(line.count(b",") for line in lines).most_common(1)[0][0]
        return _parse(b"".join(line for line in lines if line.count(b",") == fields))


def _parse(text: bytes) -> polars.DataFrame:
    whole = text.rpartition(b"\n")[0]
    if not whole:
        return polars.DataFrame(schema=SCHEMA)
    fields = whole.partition(b"\n")[0].count(b",") + 1
    written = dict(list(SCHEMA.items())[:fields])
    return _whole(polars.read_csv(whole, has_header=False, schema=written))


def _whole(frame: polars.DataFrame) -> polars.DataFrame:
    """Adds columns that older records lack; missing names are empty."""
    texts = ("component", *LABELS)
    frame = frame.with_columns(polars.lit("").alias(name) for name in texts if name not in frame.columns)
    return frame.with_columns(polars.col("process", *texts).fill_null(""))
