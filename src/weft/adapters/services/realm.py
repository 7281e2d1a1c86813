"""A Kerberos realm of the run, in which Hadoop's daemons and clients authenticate with the run's keytab.

It has one user for every daemon and every client. Hadoop replaces its name with that of the account of the process.
"""

import hmac
import struct
from dataclasses import dataclass
from pathlib import Path

from weft.layout.node import Node

NAME = "WEFT"
USER = f"user/weft@{NAME}"
"""Not the account's name, which may differ inside a user namespace; Hadoop requires a host name after the slash."""
_PAGES = f"HTTP/weft@{NAME}"
"""The principal that Hadoop's pages with SPNEGO require."""
_CENTRE = f"krbtgt/{NAME}@{NAME}"
_YARN = ("resourcemanager", "nodemanager")
_AES256 = 18
"""aes256-cts-hmac-sha1-96 (RFC 3962)."""


@dataclass(frozen=True)
class Realm:
    """The paths of the realm's files on every node, and the address of its key distribution centre."""

    directory: Path
    head: Node
    port: int
    private: bool = False
    """Whether the communication between its members is encrypted."""

    @property
    def keytab(self) -> Path:
        return self.directory / "keytab"

    @property
    def conf(self) -> Path:
        return self.directory / "krb5.conf"

    @property
    def java_option(self) -> str:
        """Options of every JVM."""
        return f"-Djava.security.krb5.conf={self.conf}"

    @property
    def environment(self) -> dict[str, str]:
        """The variables with which Hadoop's clients log in (UserGroupInformation)."""
        return {"KRB5PRINCIPAL": USER, "KRB5KEYTAB": str(self.keytab)}

    @property
    def names(self) -> dict[str, str]:
        """Settings of every daemon and client: authentication, and the account of the realm's user."""
        return {
            "hadoop.security.authentication": "kerberos",
            "hadoop.security.auth_to_local": "RULE:[2:$1](user)s/.*/${user.name}/",
            **({"hadoop.rpc.protection": "privacy"} if self.private else {}),
        }

    @property
    def hdfs(self) -> dict[str, str]:
        """Settings of HDFS clients."""
        return {
            "dfs.namenode.kerberos.principal": USER,
            "dfs.datanode.kerberos.principal": USER,
            # Hadoop's input formats, which Spark uses too, list no files without a token renewer
            "yarn.resourcemanager.principal": USER,
            # otherwise every block is encrypted with 3DES, in Java
            **({"dfs.encrypt.data.transfer.cipher.suites": "AES/CTR/NoPadding"} if self.private else {}),
        }

    @property
    def hdfs_daemons(self) -> dict[str, str]:
        return {
            "dfs.namenode.keytab.file": str(self.keytab),
            "dfs.datanode.keytab.file": str(self.keytab),
            "dfs.web.authentication.kerberos.principal": _PAGES,
            "dfs.web.authentication.kerberos.keytab": str(self.keytab),
            # otherwise a DataNode requires ports that only root can bind, or SASL in addition to its block tokens
            "ignore.secure.ports.for.testing": "true",
            "dfs.encrypt.data.transfer": str(self.private).lower(),
        }

    @property
    def properties(self) -> dict[str, dict[str, str]]:
        """All of them, by the Hadoop file to which they belong; `login` is for clients with their own keys."""
        login = {"principal": USER, "keytab": str(self.keytab)}
        yarn = {f"yarn.{who}.{key}": value for who in _YARN for key, value in login.items()}
        return {
            "core-site": self.names,
            "hdfs-site": self.hdfs,
            "hdfs-daemons": self.hdfs_daemons,
            "yarn-site": yarn,
            "mapred-site": {f"mapreduce.jobhistory.{key}": value for key, value in login.items()},
            "login": login,
        }

    def krb5(self) -> str:
        """krb5.conf (MIT), as Java reads it; host names are never resolved."""
        return f"""[libdefaults]
default_realm = {NAME}
udp_preference_limit = 1
dns_lookup_kdc = false
dns_lookup_realm = false
dns_canonicalize_hostname = false
rdns = false
permitted_enctypes = aes256-cts-hmac-sha1-96
default_tkt_enctypes = aes256-cts-hmac-sha1-96
default_tgs_enctypes = aes256-cts-hmac-sha1-96
[realms]
{NAME} = {{
  kdc = {self.head.address}:{self.port}
}}
"""


def keytab(secret: str) -> bytes:
    """A keytab (MIT, version 0x502) with a key of each principal of the realm, derived from the run's secret."""
    return b"\x05\x02" + b"".join(_entry(name, secret) for name in (USER, _PAGES, _CENTRE))


def _entry(name: str, secret: str) -> bytes:
    """Length, then: number of parts, realm, parts, type of name, time, version, type of key, key."""
    parts = name.removesuffix(f"@{NAME}").split("/")
    key = hmac.digest(secret.encode(), name.encode(), "sha256")
    principal = struct.pack(">H", len(parts)) + b"".join(_counted(part.encode()) for part in (NAME, *parts))
    whole = principal + struct.pack(">IIBH", 1, 0, 1, _AES256) + _counted(key)
    return struct.pack(">i", len(whole)) + whole


def _counted(text: bytes) -> bytes:
    return struct.pack(">H", len(text)) + text
