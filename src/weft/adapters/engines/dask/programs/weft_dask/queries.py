"""The two queries of sql-join, written with dask.dataframe: Dask executes no SQL.

The text of a query is that of other engines; what runs is the expression here that has its name.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import dask
import dask.dataframe as dd
import pandas as pd
from weft_tasks.job import TaskJob
from weft_tasks.tables import FIRST, LAST, files, read, run_queries, store

from weft_dask.cluster import DaskCluster

Tables = Mapping[str, str]


def run(job: TaskJob) -> None:
    """Each query of the order."""

    def execute(cluster: DaskCluster, name: str, directory: Path) -> None:
        write(QUERIES[name](job.pairs["table"], cluster.slots), directory)

    run_queries(job, execute)


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
    meta = pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in columns.items()})
    return dd.from_map(read, files(directory), columns=list(columns), meta=meta)


def write(rows: Any, directory: Path) -> None:
    """Write the rows in their order."""
    one = dask.delayed(store, pure=False)
    dask.compute(*(one(part, directory, number) for number, part in enumerate(rows.to_delayed())))
