"""A Kerberos realm of the run's own, in which Hadoop's daemons and clients prove who they are: by the run's keytab.

It has one user, who is every daemon and every client. Hadoop puts in the name of the account that it runs under.
"""

import hmac
import struct
from dataclasses import dataclass
from pathlib import Path

from weft.nodes.base import Node

NAME = "WEFT"
USER = f"user/weft@{NAME}"
"""Not the name of the account, which may be another inside of a user namespace; Hadoop wants a host's name behind the slash."""
_PAGES = f"HTTP/weft@{NAME}"
"""Whom pages of Hadoop that ask for tickets (SPNEGO) have to be."""
_CENTRE = f"krbtgt/{NAME}@{NAME}"
_AES256 = 18
"""aes256-cts-hmac-sha1-96 (RFC 3962)."""


@dataclass(frozen=True)
class Realm:
    """Where the realm's files lie on every node, and where its key distribution centre listens."""

    directory: Path
    head: Node
    port: int
    private: bool = False
    """Whether what its members say to each other is encrypted."""

    @property
    def keytab(self) -> Path:
        return self.directory / "keytab"

    @property
    def conf(self) -> Path:
        return self.directory / "krb5.conf"

    @property
    def java_option(self) -> str:
        """Of every JVM."""
        return f"-Djava.security.krb5.conf={self.conf}"

    @property
    def environment(self) -> dict[str, str]:
        """By which Hadoop's clients log in (UserGroupInformation)."""
        return {"KRB5PRINCIPAL": USER, "KRB5KEYTAB": str(self.keytab)}

    @property
    def names(self) -> dict[str, str]:
        """Settings of every daemon and client: that names are proved, and whose account the realm's user has."""
        return {
            "hadoop.security.authentication": "kerberos",
            "hadoop.security.auth_to_local": "RULE:[2:$1](user)s/.*/${user.name}/",
            **({"hadoop.rpc.protection": "privacy"} if self.private else {}),
        }

    @property
    def hdfs(self) -> dict[str, str]:
        """Settings of whoever talks to HDFS."""
        return {
            "dfs.namenode.kerberos.principal": USER,
            "dfs.datanode.kerberos.principal": USER,
            # inputs of Hadoop's, which Spark's are too, list no files unless somebody is named who may renew a token
            "yarn.resourcemanager.principal": USER,
            # without it every block is encrypted by 3DES, in Java
            **({"dfs.encrypt.data.transfer.cipher.suites": "AES/CTR/NoPadding"} if self.private else {}),
        }

    @property
    def hdfs_daemons(self) -> dict[str, str]:
        return {
            "dfs.namenode.keytab.file": str(self.keytab),
            "dfs.datanode.keytab.file": str(self.keytab),
            "dfs.web.authentication.kerberos.principal": _PAGES,
            "dfs.web.authentication.kerberos.keytab": str(self.keytab),
            # a DataNode would want ports that only root can bind, or SASL beside the block tokens that it asks for
            "ignore.secure.ports.for.testing": "true",
            "dfs.encrypt.data.transfer": str(self.private).lower(),
        }

    @property
    def yarn(self) -> dict[str, str]:
        """Settings of YARN's daemons and of whoever talks to them."""
        daemons = ("resourcemanager", "nodemanager")
        return {
            **{f"yarn.{daemon}.principal": USER for daemon in daemons},
            **{f"yarn.{daemon}.keytab": str(self.keytab) for daemon in daemons},
        }

    @property
    def history(self) -> dict[str, str]:
        """Settings of the JobHistoryServer and of whoever talks to it."""
        return {
            "mapreduce.jobhistory.principal": USER,
            "mapreduce.jobhistory.keytab": str(self.keytab),
        }

    @property
    def properties(self) -> dict[str, dict[str, str]]:
        """All of them, by the file of Hadoop's that they belong to; `login` is for clients with keys of their own."""
        return {
            "core-site": self.names,
            "hdfs-site": self.hdfs,
            "hdfs-daemons": self.hdfs_daemons,
            "yarn-site": self.yarn,
            "mapred-site": self.history,
            "login": {"principal": USER, "keytab": str(self.keytab)},
        }

    def krb5(self) -> str:
        """krb5.conf (MIT), as Java reads it; names of hosts are never looked up."""
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
    """A keytab (MIT, version 0x502) with a key of each name of the realm, each made from the run's secret."""
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
