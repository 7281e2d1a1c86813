"""The key distribution centre of a run's realm: a small daemon on the head."""

from pydantic import BaseModel, ConfigDict, Field

from weft.host.work import WorkDirectory
from weft.layout.jvm import heap, temporary
from weft.layout.plan import Daemon, Layout, Page, Plan, Ready
from weft.nodes.base import Node
from weft.services.realm import Realm, keytab

_HEAP = 32 << 20
MEMORY = _HEAP + (64 << 20)
"""Bytes of its process."""


class Kerberos(BaseModel):
    """The realm in which Hadoop's daemons and clients prove who they are; other engines have no need of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    port: int = Field(
        default=6010, ge=1024, le=65535, description="port of the key distribution centre, on the head"
    )

    def realm(self, work: WorkDirectory, head: Node, *, private: bool) -> Realm:
        """Where it will be in a run that works there."""
        return Realm(work.directory / "kerberos", head, self.port, private)


def plan(layout: Layout) -> Plan:
    """Its files on every node, and the centre; nothing where nobody needs it."""
    if not layout.kerberized:
        return Plan({}, [])
    realm = layout.realm
    address = f"tcp://{realm.head.address}:{realm.port}"
    arguments = [str(layout.java), heap(_HEAP), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    arguments += ["-XX:+ExitOnOutOfMemoryError"]
    arguments += ["-cp", str(layout.jars["kerberos"]), "io.weft.kerberos.Kdc"]
    arguments += [realm.head.address, str(realm.port), str(realm.keytab)]
    centre = Daemon(
        "kdc",
        realm.head,
        arguments,
        {"WEFT_LEASE": layout.run, **temporary(layout, realm.head)},
        (realm.port,),
        essential=True,
        table="kerberos",
        # daemons that find nobody to ask do not ask again
        before=Ready(Page(realm.head, address), lambda _: [], table="kerberos"),
    )
    return Plan({realm.conf: realm.krb5()}, [centre], sealed={realm.keytab: keytab})
