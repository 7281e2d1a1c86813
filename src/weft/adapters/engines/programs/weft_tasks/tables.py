"""Tables of Parquet files. Revenue is a decimal of six digits, and is added up as integers of millionths, which are exact."""

import time
import traceback
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from weft_tasks.job import TaskJob, WrongInputError

DIGITS = 6
EPOCH = date(1970, 1, 1)
FIRST, LAST = (date(1999, 1, 1) - EPOCH).days, (date(2000, 1, 1) - EPOCH).days
"""Days of the join's visits, both included."""


def run_queries(job: TaskJob, execute: Callable[[Any, str, Path], None]) -> None:
    """Each query of the order by execute(cluster, name, directory of the result).

    A result is a directory of Parquet files, whose names are in the order of the rows.
    """
    if "limit-seconds" in job.options:
        raise WrongInputError("These queries have no time limit of their own.")
    done, seen = [], dict[str, int]()
    with job.connected() as cluster:
        for name in job.options["order"].split(","):
            seen[name] = seen.get(name, 0) + 1
            done.append(_once(job, name, seen[name], partial(execute, cluster)))
    job.found["queries"] = done


def _once(job: TaskJob, name: str, repeat: int, execute: Callable[[str, Path], None]) -> dict[str, Any]:
    label, failure, before = f"{name}-{repeat}", "", job.measured
    directory = job.output / label
    try:
        with job.phase("queries", measured=True):
            directory.mkdir(parents=True)
            execute(name, directory)
            (directory / "_SUCCESS").touch()
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


def files(directory: str) -> list[str]:
    """Those of a table."""
    return sorted(str(path) for path in Path(directory).iterdir() if path.suffix == ".parquet")


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
