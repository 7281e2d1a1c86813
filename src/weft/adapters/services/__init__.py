"""What a run needs besides its engine: one file per adapter."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from weft.adapters.services.base import KINDS, AnyService, Service
from weft.adapters.storage.base import Storage, layers
from weft.errors import UsageError

__all__ = ["KINDS", "AnyService", "resolved"]

KINDS.declare(
    __name__,
    {
        "null": "null:NullService",
        "kerberos": "kerberos:Kerberos",
        "hdfs": "hdfs:Hdfs",
        "gluster": "gluster:Gluster",
        "moosefs": "moosefs:Moosefs",
        "yarn": "yarn:Yarn",
        "kafka": "kafka:Kafka",
    },
)


def resolved(
    storages: Mapping[str, Storage],
    engine: Sequence[Service],
    services: Sequence[Service],
    *,
    secured: bool = True,
) -> list[Service]:
    """The services of a run, each after those that it needs: of its storages by role, of its engine, and requested ones.

    A requested service that is not useful by itself configures one that is needed. Without `secured`, none that only
    authenticates is needed. Raises UsageError for one that nothing needs, and for two of a kind.
    """
    chosen = _Chosen({service.kind: service for service in services}, secured)
    for role, storage in storages.items():
        chosen.add_below(storage, role)
    for service in (*engine, *(one for one in services if one.alone)):
        chosen.add(service, "services")
    if idle := [kind for kind in chosen.configured if kind not in chosen.found]:
        raise UsageError(f"services: nothing in this run needs {idle[0]}", hint="omit it")
    return list(chosen.found.values())


@dataclass
class _Chosen:
    """The services that are needed, by kind; `configured` are those of the user."""

    configured: Mapping[str, Service]
    secured: bool
    found: dict[str, Service] = field(default_factory=dict)

    def add(self, service: Service, where: str) -> None:
        """Add a service after those that it needs; `where` names the origin of the request in errors."""
        other = self.found.get(service.kind)
        if other == service:
            return
        if other is not None:
            raise UsageError(
                f"{where}: a run has only one {service.kind}; this one differs from the first",
                hint=f"give each role the same {service.kind}, with the same options",
            )
        for kind in service.needs:
            if self.secured or not KINDS[kind].authenticates:
                self.add(self.configured.get(kind) or KINDS.read(kind), where)
        if service.backing:
            self.add_below(service.backing, where)
        self.found[service.kind] = service

    def add_below(self, storage: Storage, where: str) -> None:
        """The services of a storage and of its backing storages."""
        for layer in reversed(layers(storage)):
            if layer.service is not None:
                self.add(KINDS.read(layer.service), where)
