"""How a user's commands connect to a cluster, as plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path


@dataclass(frozen=True)
class Client:
    """What a user's command on the head node needs to connect to the cluster."""

    environment: Mapping[str, str]
    search: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By variable, such as PATH: directories and files that precede its value; `*` is expanded."""
    programs: Mapping[Path, str] = field(default_factory=dict)
    """Text by path of generated programs for it."""
    address: str = ""
    """The address for programs that connect by themselves, such as spark://10.87.0.1:7077."""
    page: str = ""
    """The master's status page, which a token opens, or the certificate."""
    certificate: Path | None = None
    """PEM file of the key and certificate that open it, instead of a token."""
    settings: Path | None = None
    """The file, of mode 0600, with all other settings of the connection, including the secret."""
    parts: Mapping[str, "Client"] = field(default_factory=dict)
    """By engine, if several share the cluster: the client of each."""
    services: Mapping[str, "Client"] = field(default_factory=dict)
    """By service: its client, if it has one."""

    def with_services(self, services: Mapping[str, "Client"]) -> "Client":
        """The same with the variables, search paths and programs of services too."""
        all_ = joined([self, *services.values()])
        return replace(
            self, environment=all_.environment, search=all_.search, programs=all_.programs, services=services
        )


def joined(clients: Sequence[Client]) -> Client:
    """The variables, search paths and programs of all; of a variable that several set, the first one's value."""
    variables = dict.fromkeys(name for client in clients for name in client.search)
    return Client(
        environment={k: v for client in reversed(clients) for k, v in client.environment.items()},
        search={
            name: list(dict.fromkeys(path for client in clients for path in client.search.get(name, ())))
            for name in variables
        },
        programs={path: text for client in reversed(clients) for path, text in client.programs.items()},
    )
