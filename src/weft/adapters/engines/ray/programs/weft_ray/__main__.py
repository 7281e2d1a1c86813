"""Runs one of weft's jobs on the cluster of RAY_ADDRESS: python -m weft_ray NAME --OPTION VALUE ... --outcome FILE."""

import sys

from ray.exceptions import (
    NodeDiedError,
    ObjectLostError,
    OutOfMemoryError,
    RayTaskError,
    WorkerCrashedError,
)
from weft_tasks.program import main

from weft_ray import queries
from weft_ray.cluster import RayCluster


def lost(error: Exception) -> str:
    """What Ray says of a task whose worker or whose node was lost more often than it tries again; empty for any other error."""
    if isinstance(error, RayTaskError):
        error = error.cause
    if isinstance(error, NodeDiedError | ObjectLostError | OutOfMemoryError | WorkerCrashedError):
        return f"a worker was lost: {type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
    return ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], RayCluster, {"Sql": queries.run}, lost))
