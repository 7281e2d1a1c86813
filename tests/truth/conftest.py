"""Runs whose answer is known beforehand, and what `weft explain` says of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.local.conftest import Weft, weft

__all__ = ["weft"]

BESIDE = ("waiting for a processor", "unclassified")
"""Parts that say more of how busy this machine is than of the run."""


@dataclass(frozen=True)
class Explained:
    """The answer of one run."""

    table: Mapping[str, Any]

    def seconds(self, name: str) -> float:
        """Slot-seconds of a part."""
        return sum(part["seconds"] for part in self.table["parts"] if part["name"] == name)

    def share(self, name: str) -> float:
        return sum(part["share"] for part in self.table["parts"] if part["name"] == name)

    def largest_of_tasks(self) -> str:
        """What tasks did most, or waited for most."""
        inside = [
            p for p in self.table["parts"] if not p["name"].startswith("no task") and p["name"] not in BESIDE
        ]
        return str(max(inside, key=lambda part: part["seconds"])["name"])

    def largest_of_empty(self) -> str:
        """Why slots were empty most, between the first task and the last."""
        empty = [
            p for p in self.table["parts"] if p["name"].startswith("no task") and "start" not in p["name"]
        ]
        return str(max(empty, key=lambda part: part["seconds"])["name"])


def explained(weft: Weft, verb: str, *arguments: str) -> Explained:
    """Run or submit something with all probes, and explain it."""
    done = weft(verb, "--set", "probes=proc,threads,engine,fileops,lustre", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return Explained(weft.result("explain", "last"))


def latency(directory: Path, microseconds: int) -> str:
    """A profile of latencyfs in which each metadata operation takes so much longer, and nothing else does."""
    path = directory / f"latency{microseconds}.toml"
    value = f'"metadata.round_trip_us" = {{ value = {microseconds}, source = "the dose of a test" }}'
    path.write_text(f'name = "dose"\nsummary = "the dose of a test"\n\n[values]\n{value}\n')
    return f"delayed:{path}"
