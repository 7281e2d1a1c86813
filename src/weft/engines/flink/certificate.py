"""One certificate per run: every process with its key belongs to the cluster."""

from dataclasses import dataclass
from pathlib import Path

from weft.layout.jvm import temporary
from weft.layout.plan import SECRET, Command, Layout

_DAYS = 30


@dataclass(frozen=True)
class Certificate:
    """Files of a self-signed certificate and its key, below a run's work directory."""

    directory: Path

    @property
    def keystore(self) -> Path:
        """Key and certificate as Java reads them (PKCS 12)."""
        return self.directory / "keystore.p12"

    @property
    def pem(self) -> Path:
        """The same as text, for weft's own requests."""
        return self.directory / "keystore.pem"

    @property
    def password(self) -> Path:
        return self.directory / "keystore.password"

    def files(self) -> dict[Path, str]:
        return {self.password: f"{SECRET}\n"}

    def settings(self, *, encrypt_data: bool) -> dict[str, str]:
        """Flink's options with which both sides of every connection present it."""
        stores = {}
        for use in ("internal", "rest"):
            stores[f"security.ssl.{use}.enabled"] = "true"
            for store in ("keystore", "truststore"):
                stores[f"security.ssl.{use}.{store}"] = str(self.keystore)
                stores[f"security.ssl.{use}.{store}-password"] = SECRET
            stores[f"security.ssl.{use}.key-password"] = SECRET
        return {
            **stores,
            "security.ssl.rest.authentication-enabled": "true",
            "security.ssl.algorithms": "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
            "taskmanager.data.ssl.enabled": str(encrypt_data).lower(),
        }

    def made(self, layout: Layout) -> list[Command]:
        """Commands that create it; they read the password from its file."""
        head = layout.head
        environment = {**layout.environment(head), **temporary(layout, head)}
        addresses = ",".join(f"ip:{node.address}" for node in layout.nodes)
        generate = [
            str(layout.java.parent / "keytool"),
            *("-J-XX:-UsePerfData", "-J-XX:TieredStopAtLevel=1", "-genkeypair", "-alias", "weft"),
            *("-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=weft", "-validity", str(_DAYS)),
            *("-ext", f"SAN={addresses}", "-storetype", "PKCS12", "-keystore", str(self.keystore)),
            *("-storepass:file", str(self.password)),
        ]
        write = [
            *(
                str(layout.java),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                str(layout.jars["core"]),
                "io.weft.core.Pem",
            ),
            *("--keystore", str(self.keystore), "--password-file", str(self.password)),
            *("--output", str(self.pem), "--outcome", str(self.directory / "pem.json")),
        ]
        return [
            Command("keystore", head, generate, environment, makes=[self.keystore]),
            Command("keystore-text", head, write, environment, makes=[self.pem]),
        ]
