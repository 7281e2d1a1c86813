"""What the page of a job's checkpoints, of Flink's REST interface, says of savepoints."""

from collections.abc import Mapping
from typing import Any

STOPS = "SYNC_SAVEPOINT"
"""The type of a savepoint after which the job stops (RestAPICheckpointType.java)."""


def savepoint(checkpoints: Mapping[str, Any]) -> str | None:
    """The type of the last savepoint, by the page of a job's checkpoints: empty without one, None if it does not say it, as of a batch job."""
    latest = checkpoints.get("latest")
    if not isinstance(latest, dict):
        return None
    return str((latest.get("savepoint") or {}).get("checkpoint_type") or "")
