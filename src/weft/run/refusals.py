"""What cannot work is refused before anything is fetched, built or started: the same for `plan`, `run` and `up`."""

from weft.run.servers import storages
from weft.spec.model import Spec


def require_possible(spec: Spec) -> None:
    """Raises UsageError where it is known already that a run would fail."""
    if spec.nodes.elsewhere:
        return
    for role, storage in storages(spec).items():
        storage.require(role)
