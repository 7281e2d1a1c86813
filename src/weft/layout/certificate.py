"""A certificate of a run: every process with its key belongs to the cluster."""

from dataclasses import dataclass
from pathlib import Path

from weft.layout.jvm import temporary
from weft.layout.plan import SECRET, Command, Layout

_DAYS = 31
"""How long it is valid, from a day before it is made."""
_ONCE = [f"-J-Dkeystore.pkcs12.{of}IterationCount=1" for of in ("mac", "certPbe", "keyPbe")]
"""How often a key is derived from the password (java.security). Java's 10,000 times are against guesses of a password that somebody chose; this
one is 32 random bytes. Flink's client opens the store four times whenever it asks for the state of a job."""


@dataclass(frozen=True)
class Certificate:
    """Files of a self-signed certificate and its key, below a run's work directory."""

    directory: Path
    name: str = "keystore"
    """Prefix of the names of the commands that create it."""

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

    def made(self, layout: Layout) -> list[Command]:
        """Commands that create it; they read the password from its file."""
        head = layout.head
        environment = {**layout.environment(head), **temporary(layout, head)}
        addresses = ",".join(f"ip:{node.address}" for node in layout.all_nodes)
        generate = [
            str(layout.java.parent / "keytool"),
            *("-J-XX:-UsePerfData", "-J-XX:TieredStopAtLevel=1", *_ONCE),
            *("-genkeypair", "-alias", "weft"),
            *("-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=weft", "-validity", str(_DAYS)),
            *("-startdate", "-1d"),  # clocks of other hosts may be behind
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
            Command(self.name, head, generate, environment, makes=[self.keystore]),
            Command(f"{self.name}-text", head, write, environment, makes=[self.pem]),
        ]
