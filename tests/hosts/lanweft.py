"""The command line on the login node of a batch system whose hosts a test starts."""

import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.hosts.conftest import directories
from tests.hosts.lan import Lan
from tests.local.conftest import Weft


@dataclass
class LanWeft(Weft):
    """The command line there."""

    cluster: Lan

    @property
    def environment(self) -> dict[str, str]:
        own = {
            "WEFT_SITE": str(self.home / "site.toml"),
            "WEFT_WORK": str(self.cluster.local / self.home.name),
        }
        return {**super().environment, **self.cluster.environment, **directories(super().environment), **own}

    def start(self, *words: str, **environment: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [*self.cluster.on(), sys.executable, "-m", "weft", *words],
            env={**self.environment, **environment},
            cwd=self.home,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.started.append(process)
        return process

    def script(self, commands: Sequence[Sequence[str]]) -> str:
        """A script of a user's own with commands of weft, for a job."""
        kept = ("WEFT_", "PYTHONPATH", "JAVA")
        lines = [f"export {key}='{value}'" for key, value in self.environment.items() if key.startswith(kept)]
        lines += [f"PATH={self.environment['PATH']}", "set -e"]
        lines += [shlex.join([sys.executable, "-m", "weft", *words]) for words in commands]
        return "\n".join(["#!/bin/sh", *lines, ""])

    def record(self) -> Path:
        """The newest record; job scripts are in the same directory."""
        return max((self.home / "runs").glob("2*"))

    def leftovers(self) -> list[str]:
        """The same, with what lies in the hosts' own directories."""
        local = [self.cluster.own(name) for name in self.cluster.addresses]
        return super().leftovers() + [str(path) for one in local for path in one.glob(f"{self.home.name}/*")]

    def job(self) -> str:
        """The number of the one job that is queued or runs."""
        (number,) = self.cluster.jobs()
        return number
