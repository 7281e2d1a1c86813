"""The two queries of sql-join, written with Ray Data: Ray executes no SQL.

The text of a query is that of other engines; what runs is the expression here that has its name.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import ray
import ray.data
from ray.data.aggregate import Mean, Sum
from weft_tasks.job import TaskJob
from weft_tasks.tables import FIRST, LAST, files, read, run_queries, store

from weft_ray.cluster import RayCluster

Tables = Mapping[str, str]


def run(job: TaskJob) -> None:
    """Each query of the order."""

    def execute(cluster: RayCluster, name: str, directory: Path) -> None:
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        # a block of each shuffle for a slot: the nodes of a run are small beside those that its default is for
        context.default_hash_shuffle_parallelism = cluster.slots
        write(QUERIES[name](job.pairs["table"], cluster.slots), directory)

    run_queries(job, execute)


def join(tables: Tables, slots: int) -> Any:
    """Visits of a year with the ranks of their pages, by source, the highest revenue first."""
    pages = table(tables["rankings"], ["pageURL", "pageRank"])
    visits = table(tables["uservisits"], ["sourceIP", "destURL", "visitDate", "adRevenue"])
    visits = visits.map_batches(of_the_year, batch_format="pandas", batch_size=None)
    both = visits.join(pages, "inner", slots, on=("destURL",), right_on=("pageURL",))
    sums = both.groupby("sourceIP").aggregate(
        Mean("pageRank", alias_name="pageRank"), Sum("adRevenue", alias_name="adRevenue")
    )
    return sums.sort("adRevenue", descending=True)


def aggregation(tables: Tables, slots: int) -> Any:  # noqa: ARG001 - as of the other query
    """Revenue by source."""
    visits = table(tables["uservisits"], ["sourceIP", "adRevenue"])
    return visits.groupby("sourceIP").aggregate(Sum("adRevenue", alias_name="adRevenue"))


QUERIES: Mapping[str, Callable[[Tables, int], Any]] = {"join": join, "aggregation": aggregation}


def table(directory: str, columns: list[str]) -> Any:
    """Some columns of a table, a block for each file."""
    one = ray.remote(read)
    return ray.data.from_pandas_refs([one.remote(file, columns) for file in files(directory)])


def of_the_year(visits: pd.DataFrame) -> pd.DataFrame:
    """Those that the join is about, without their date."""
    own = visits[(visits.visitDate >= FIRST) & (visits.visitDate <= LAST)]
    return own[["sourceIP", "destURL", "adRevenue"]]


def write(rows: Any, directory: Path) -> None:
    """Write the rows in their order."""
    one = ray.remote(store)
    ray.get([one.remote(part, directory, number) for number, part in enumerate(rows.to_pandas_refs())])
