"""What `weft explain` says of a real run, with the record that it says it of."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.local.conftest import Weft
from weft.analysis.explain import slots, tasktime

PARTS = {*slots.EMPTY, *(value for value in vars(tasktime).values() if isinstance(value, str))}
FILES = {"metadata", "data"}
"""Of file calls: followed by what files they are on."""
NO_CAUSE = ("run-queue wait", "unclassified")
"""Parts that say more of how busy this machine is than of the run."""


@dataclass(frozen=True)
class Explained:
    """The answer of one run."""

    table: Mapping[str, Any]
    record: Path

    def named(self, name: str) -> list[Mapping[str, Any]]:
        """The parts of this name. A name that weft does not know is an error: that it has no seconds would prove nothing."""
        found = [part for part in self.table["parts"] if part["name"] == name]
        assert found or name in PARTS or name.partition(": ")[0] in FILES, f"there is no part {name!r}"
        return found

    def seconds(self, name: str) -> float:
        """Slot-seconds of a part."""
        return sum(part["seconds"] for part in self.named(name))

    def resource(self, name: str) -> float:
        """Seconds in all, also where no task waited."""
        return sum(part["resource"] for part in self.named(name))

    def share(self, name: str) -> float:
        return sum(part["share"] for part in self.named(name))

    @property
    def slot_time(self) -> float:
        """Slots x wall seconds."""
        return float(self.table["slots"] * self.table["wall"])

    @property
    def wall(self) -> float:
        return float(self.table["wall"])

    @property
    def after_start(self) -> float:
        """Seconds from the first task on."""
        return self.wall - self.seconds(slots.START) / float(self.table["slots"])

    def bound(self, name: str) -> float:
        """How many times faster at most without the part."""
        return max([1.0, *(part["bound"] or 1.0 for part in self.named(name))])

    @property
    def by_part(self) -> dict[str, float]:
        """Slot-seconds by the parts that there are."""
        return {str(part["name"]): self.seconds(part["name"]) for part in self.table["parts"]}

    def largest_of_tasks(self) -> str:
        """What tasks did most, or waited for most."""
        inside = [
            p
            for p in self.table["parts"]
            if not p["name"].startswith("no task") and p["name"] not in NO_CAUSE
        ]
        return str(max(inside, key=lambda part: part["seconds"])["name"])

    def largest_of_empty(self) -> str:
        """Why slots were empty most, between the first task and the last."""
        empty = [
            p for p in self.table["parts"] if p["name"].startswith("no task") and "start" not in p["name"]
        ]
        return str(max(empty, key=lambda part: part["seconds"])["name"])


def explained(weft: Weft, verb: str, *arguments: str, probes: str = "lustre") -> Explained:
    """Run or submit something with the usual probes and another one, and explain it."""
    done = weft(verb, "--set", f"probes=proc,threads,engine,fileops,python,{probes}", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return Explained(weft.result("explain", "last"), weft.record())


def profile(directory: Path, name: str, **values: float) -> str:
    """A storage of latencyfs that delays nothing but these keys; a dot in a key is two underlines here."""
    path = directory / f"{name}.toml"
    lines = [
        f'"{key.replace("__", ".")}" = {{ value = {value:g}, source = "the dose of a test" }}'
        for key, value in values.items()
    ]
    path.write_text(
        "\n".join([f'name = "{name}"', 'summary = "the dose of a test"', "", "[values]", *lines, ""])
    )
    return f"delayed:{path}"


def in_calls(record: Path, role: str, *, data: bool) -> float:
    """Seconds that clients of the emulated file system waited for data, or for its metadata server.

    The server's own counters, since a client's (`llite`) have none for a lookup.
    """
    clients = json.loads((record / "lustre" / f"{role}.json").read_text())["clients"].values()
    if not data:
        return sum(client["mdc"]["req_waittime"]["sum"] for client in clients if client["mdc"]) / 1e6
    return (
        sum(
            client["llite"][name]["sum"]
            for client in clients
            for name in {"read", "write"} & set(client["llite"])
        )
        / 1e6
    )


def in_file_calls(record: Path, role: str) -> float:
    """Seconds that the engine's own file calls on a role took, by the preload library: all that the machine adds is in them.

    `in_calls` has what the emulated file system asked its clients to wait; on a busy machine a call takes longer than that.
    """
    files = (json.loads(path.read_text()) for path in (record / "fileops").glob("*.json"))
    processes = [process["classes"].get(role, {}) for node in files for process in node["processes"]]
    return sum(call["ns"] for counters in processes for call in counters.values()) / 1e9
