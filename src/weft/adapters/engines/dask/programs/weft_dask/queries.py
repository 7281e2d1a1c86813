"""The two queries of sql-join, written with dask.dataframe: Dask executes no SQL.

The text of a query is that of other engines; what runs is the expression here that has its name. Revenue is a decimal of
six digits, and is added up as integers of millionths, which are exact.
"""

import time
import traceback
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from weft_dask.job import DaskJob, WrongInputError

DIGITS = 6
EPOCH = date(1970, 1, 1)
FIRST, LAST = (date(1999, 1, 1) - EPOCH).days, (date(2000, 1, 1) - EPOCH).days
Tables = Mapping[str, str]


def run(job: DaskJob) -> None:
    """Each query of the order; a result is a directory of Parquet files, whose names are in the order of the rows."""
    if "limit-seconds" in job.options:
        raise WrongInputError("weft's queries on dask have no time limit of their own.")
    done = []
    with job.connected() as client:
        slots, seen = sum(client.nthreads().values()), dict[str, int]()
        for name in job.options["order"].split(","):
            seen[name] = seen.get(name, 0) + 1
            done.append(_once(job, name, seen[name], slots))
    job.found["queries"] = done


def _once(job: DaskJob, name: str, repeat: int, slots: int) -> dict[str, Any]:
    label, failure, before = f"{name}-{repeat}", "", job.measured
    try:
        with job.phase("queries", measured=True):
            write(QUERIES[name](job.pairs["table"], slots), job.output / label)
    except Exception as error:  # noqa: BLE001 - one query may fail, and the next is run
        traceback.print_exc()
        failure = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
    return {
        "query": name,
        "repeat": repeat,
        "label": label,
        "seconds": job.measured - before,
        "failure": failure,
    }


def join(tables: Tables, slots: int) -> Any:
    """Visits of a year with the ranks of their pages, by source, the highest revenue first."""
    pages = table(tables["rankings"], {"pageURL": "string", "pageRank": "int64"})
    columns = {"sourceIP": "string", "destURL": "string", "visitDate": "int64", "adRevenue": "int64"}
    visits = table(tables["uservisits"], columns)
    visits = visits[(visits.visitDate >= FIRST) & (visits.visitDate <= LAST)]
    both = visits.merge(pages, left_on="destURL", right_on="pageURL", how="inner")
    grouped = both[["sourceIP", "pageRank", "adRevenue"]].groupby("sourceIP")
    sums = grouped.agg({"pageRank": "mean", "adRevenue": "sum"}, split_out=slots).reset_index()
    return sums.sort_values("adRevenue", ascending=False)


def aggregation(tables: Tables, slots: int) -> Any:
    """Revenue by source."""
    visits = table(tables["uservisits"], {"sourceIP": "string", "adRevenue": "int64"})
    return visits.groupby("sourceIP").agg({"adRevenue": "sum"}, split_out=slots).reset_index()


QUERIES: Mapping[str, Callable[[Tables, int], Any]] = {"join": join, "aggregation": aggregation}


def table(directory: str, columns: Mapping[str, str]) -> Any:
    """Some columns of a table, a partition for each file."""
    files = sorted(str(path) for path in Path(directory).iterdir() if path.suffix == ".parquet")
    meta = pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in columns.items()})
    return dd.from_map(read, files, columns=list(columns), meta=meta)


def read(file: str, columns: list[str]) -> pd.DataFrame:
    """A file, with decimals as integers of their last digit, and dates as days since 1970."""
    content = pq.read_table(file, columns=columns)
    return pd.DataFrame({name: _values(content[name].combine_chunks()) for name in columns})


def _values(column: Any) -> Any:
    if pa.types.is_decimal(column.type):
        # the low half of its 128 bits: no value here needs the high one
        return np.frombuffer(column.buffers()[1], "<i8")[::2][column.offset : column.offset + len(column)]
    if pa.types.is_date(column.type):
        return column.cast(pa.int32()).to_numpy().astype(np.int64)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return pd.array(column.to_pandas(), dtype="string")
    return column.to_numpy().astype(np.int64)


def write(rows: Any, directory: Path) -> None:
    """Write the rows in their order."""
    directory.mkdir(parents=True)
    one = dask.delayed(store, pure=False)
    dask.compute(*(one(part, directory, number) for number, part in enumerate(rows.to_delayed())))
    (directory / "_SUCCESS").touch()


def store(part: pd.DataFrame, directory: Path, number: int) -> None:
    """A partition as a file, with revenue as a decimal again."""
    halves = np.zeros((len(part), 2), "<i8")
    halves[:, 0] = part["adRevenue"].to_numpy()
    halves[:, 1] = halves[:, 0] >> 63
    revenue = pa.Array.from_buffers(
        pa.decimal128(38, DIGITS), len(part), [None, pa.py_buffer(halves.tobytes())]
    )
    columns = {
        name: revenue if name == "adRevenue" else pa.array(part[name].to_numpy()) for name in part.columns
    }
    file = directory / f"part-{number:05d}.parquet"
    attempt = directory / f".{file.name}.{time.time_ns()}"
    pq.write_table(pa.table(columns), attempt)
    attempt.replace(file)
