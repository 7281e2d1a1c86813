"""Runs one of weft's jobs on the cluster of DASK_CONFIG: python -m weft_dask NAME --OPTION VALUE ... --outcome FILE."""

import sys

from distributed.scheduler import KilledWorker
from weft_tasks.program import main

from weft_dask import queries
from weft_dask.cluster import DaskCluster


def lost(error: Exception) -> str:
    """What Dask says of a task whose workers died; empty for any other error."""
    return str(error).partition(". The last")[0] if isinstance(error, KilledWorker) else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], DaskCluster, {"Sql": queries.run}, lost))
