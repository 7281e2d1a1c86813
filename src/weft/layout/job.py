"""The work of an engine, with the options of `weft submit` that engines share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weft.errors import UsageError
from weft.layout.node import Node
from weft.layout.plan import Command
from weft.text.redaction import has_placeholder


@dataclass(frozen=True)
class Dependencies:
    """The dependencies of a user's own job, in terms that engines share; each engine translates them."""

    main_class: str = ""
    py_files: Sequence[str] = ()
    """Python modules and archives for its imports."""
    jars: Sequence[str] = ()
    """Jars for its classes."""
    files: Sequence[str] = ()
    """Files for the working directory of every task."""
    conf: Mapping[str, str] = field(default_factory=dict)
    """Settings of the engine for this job only."""
    archives: Sequence[str] = ()
    """Archives that are unpacked in the working directory of every task, each with #NAME."""
    packages: Sequence[str] = ()
    """Jars by their Maven coordinates."""
    driver_memory: int | None = None
    """Bytes of heap of its driver; None: the engine's."""

    @property
    def shown(self) -> dict[str, str]:
        """The settings that may be on a command line."""
        return {key: value for key, value in self.conf.items() if key not in self.secret}

    @property
    def secret(self) -> dict[str, str]:
        """The settings with a secret of the user, which belong into a private file."""
        return {key: value for key, value in self.conf.items() if has_placeholder(value)}

    def require(self, engine: str, *offered: str) -> None:
        """Raises UsageError if the engine does not support one of them."""
        for name, value in vars(self).items():
            if value and name not in offered:
                known = ", ".join(map(option_of, offered))
                raise UsageError(
                    f"{engine} has no {option_of(name)} for a job",
                    hint=f"it has {known or 'none of these options'}; --option passes on others of its own command",
                )


def option_of(name: str) -> str:
    """The option of `weft submit` for a key of a job."""
    return {"main_class": "--class", "verify": "--check"}.get(name) or f"--{name.replace('_', '-')}"


@dataclass(frozen=True)
class Job:
    """Work for an engine: a main class in a jar, or a script, and its arguments."""

    name: str
    program: str
    """A main class of weft without its package, which is the engine's; or the path of a script or jar."""
    arguments: Sequence[str]
    outcome: Path | None = None
    options: Sequence[str] = ()
    """Extra options of the engine's submit command, as its users know them."""
    dependencies: Dependencies = field(default_factory=Dependencies)
    directory: Path | None = None
    output: Path | None = None
    """As for a command."""
    companions: Sequence[Command] = ()
    """Programs that run while it does; their results are `results.ran["companions"]` of `Workload.judge`, in this order."""

    def command(
        self, name: str, node: Node, argv: Sequence[str], environment: Mapping[str, str], **files: Any
    ) -> Command:
        """An engine's command that runs it; `files` as of a command."""
        own = (self.outcome, self.directory, self.output)
        return Command(name, node, argv, environment, *own, title=self.name, **files)
