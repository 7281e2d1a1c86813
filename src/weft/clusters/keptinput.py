"""The input that a measured run leaves on a persistent cluster, for the next one that needs the same.

The last one is kept, in the cluster's output directory, with which it is removed.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ValidationError

from weft.adapters.workloads.base import Outcome
from weft.host.programs.removal import remove_tree
from weft.host.work import write_private
from weft.layout.plan import Command, Layout
from weft.record.record import Record
from weft.run.run import Generate

_Files = dict[str, tuple[int, int]]
"""Size in bytes and time of the last change in ns, by path."""


class _Made(BaseModel):
    """What is known of the input that is there."""

    by: list[tuple[str, list[str]]]
    """The node and the command of each program that made it."""
    outcomes: list[Outcome]
    record: str
    """The run."""
    files: _Files


@dataclass(frozen=True)
class KeptInput:
    """The directory of the input and of what is known of it, which every node and this process see."""

    folder: Path

    @classmethod
    def of(cls, cluster: Layout) -> "KeptInput":
        """That of a cluster."""
        return cls(Path(cluster.places["output"].path) / "kept-input")

    @property
    def files(self) -> Path:
        """The directory of the input."""
        return self.folder / "files"

    @property
    def bytes(self) -> int:
        """The size of the input that is there."""
        return sum(size for size, _ in self._found().values())

    def prepare(
        self, commands: Sequence[Command], generate: Generate, *, record: Record
    ) -> Sequence[Outcome]:
        """What the programs report that make an input: as they did when they made the one that is there, if that is the same."""
        by = [(each.node.name, _words(each)) for each in commands]
        if (made := self._made()) and (made.by, made.files) == (by, self._found()):
            record.update(input_of=made.record)
            for command, outcome in zip(commands, made.outcomes, strict=True):
                if command.outcome:
                    command.outcome.write_text(json.dumps(outcome), encoding="utf-8")
            return made.outcomes
        self._clear()
        try:
            outcomes = generate(commands)
            made = _Made(by=by, outcomes=outcomes, record=record.name, files=self._found())
            write_private({self._note: made.model_dump_json()})
        except BaseException:
            self._clear()
            raise
        return outcomes

    @property
    def _note(self) -> Path:
        return self.folder / "made.json"

    def _made(self) -> _Made | None:
        try:
            return _Made.model_validate_json(self._note.read_bytes())
        except (FileNotFoundError, ValidationError):
            return None

    def _found(self) -> _Files:
        found = {path: path.stat() for path in self.files.rglob("*") if path.is_file()}
        return {
            str(path.relative_to(self.files)): (stat.st_size, stat.st_mtime_ns)
            for path, stat in found.items()
        }

    def _clear(self) -> None:
        # first what says that there is an input
        self._note.unlink(missing_ok=True)
        remove_tree(str(self.folder))
        self.files.mkdir(parents=True, mode=0o700)


def _words(command: Command) -> list[str]:
    """Its arguments, without the file of its result, which is another one in each record."""
    return ["" if word == str(command.outcome) else word for word in map(str, command.argv)]
