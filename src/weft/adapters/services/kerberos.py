"""The key distribution centre of a run's realm: a small daemon on the head."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field

from weft.adapters.services.base import Service
from weft.adapters.services.realm import Realm, keytab
from weft.layout.endpoint import Endpoint
from weft.layout.jvm import heap, temporary
from weft.layout.members import Members
from weft.layout.plan import Daemon, Layout, Page, Plan, Ready
from weft.text.fields import Port

_HEAP = 32 << 20
MEMORY = _HEAP + (64 << 20)
"""Bytes of its process."""


class Kerberos(Service):
    """The realm in which Hadoop's daemons and clients prove who they are; other engines have no need of it."""

    kind: Literal["kerberos"] = "kerberos"
    positional: ClassVar[str] = "port"
    authenticates: ClassVar[bool] = True
    modules: ClassVar[tuple[str, ...]] = ("kerberos",)
    java_modules: ClassVar[tuple[str, ...]] = ("jdk.security.jgss",)  # the SASL mechanism GSSAPI

    port: Port = Field(default=6010, description="port of the key distribution centre, on the head")

    def memory(self, members: Members) -> Mapping[str, int]:
        return {members[0].name: MEMORY}

    def endpoint(self, members: Members, layout: Layout) -> Endpoint:
        realm = self._realm(layout)
        return Endpoint(
            environment=realm.environment,
            java=[realm.java_option],
            properties=realm.properties,
            nodes=[members[0].name],
        )

    def plan(self, layout: Layout) -> Plan:
        """Its files on every node, and the centre."""
        realm = self._realm(layout)
        address = f"tcp://{realm.head.address}:{realm.port}"
        arguments = [str(layout.java), heap(_HEAP), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        arguments += ["-XX:+ExitOnOutOfMemoryError"]
        arguments += ["-cp", str(layout.jars["kerberos"]), "io.weft.kerberos.Kdc"]
        arguments += [realm.head.address, str(realm.port), str(realm.keytab)]
        table = f"services.{self.kind}"
        centre = Daemon(
            "kdc",
            realm.head,
            arguments,
            {"WEFT_LEASE": layout.run, **temporary(layout, realm.head)},
            (realm.port,),
            essential=True,
            table=table,
            # daemons that find nobody to ask do not ask again
            before=Ready(Page(realm.head, address), lambda _: [], of=table),
        )
        return Plan({realm.conf: realm.krb5()}, [centre], sealed={realm.keytab: keytab})

    def _realm(self, layout: Layout) -> Realm:
        return Realm(layout.directory / "kerberos", layout.head, self.port, layout.encrypted)
