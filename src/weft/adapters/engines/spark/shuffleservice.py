"""Spark's external shuffle service: Workers that have it in their settings start it, and weft's NodeManagers have none."""

from collections.abc import Mapping

from weft.errors import UsageError

_KEY = "spark.shuffle.service.enabled"


def require(asked: Mapping[str, str], cluster: Mapping[str, str], master: str) -> None:
    """Raises UsageError if an application asks for it where it is not: its executors would end, since none could register."""
    served = master == "standalone" and cluster.get(_KEY) == "true"
    if asked.get(_KEY) != "true" or served:
        return
    if master == "standalone":
        raise UsageError(
            f"{_KEY}=true: no Worker of this cluster has a shuffle service",
            hint=f"leave it out, or start the cluster with --set {_KEY}=true",
        )
    raise UsageError(
        f"{_KEY}=true: no NodeManager of this cluster has Spark's shuffle service",
        hint="leave it out: dynamic allocation works without it (spark.dynamicAllocation.shuffleTracking.enabled)",
    )
