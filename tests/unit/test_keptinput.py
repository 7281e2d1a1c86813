"""The input of the last run on a persistent cluster: when the next run has it, and when it is made again."""

import dataclasses
import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.fakes import fake_layout
from weft.adapters.workloads import KINDS
from weft.adapters.workloads.base import Outcome
from weft.clusters.keptinput import KeptInput
from weft.errors import UsageError
from weft.facts.roles import Role
from weft.layout.places import Place
from weft.layout.plan import Command, Layout
from weft.record import record
from weft.record.record import Record
from weft.run.room import require_room
from weft.spec.parse import parse


@dataclasses.dataclass
class Cluster:
    """A cluster on which runs are prepared, whose generators only write their arguments."""

    directory: Path
    runs: int = 0
    generated: int = 0

    @property
    def kept(self) -> KeptInput:
        has = Place("disk", "disk", {"node1": str(self.directory / "output")}, shared=True)
        return KeptInput.of(dataclasses.replace(fake_layout(), places={"output": has}))

    def prepared(
        self, *words: str, generate: Callable[[], None] = lambda: None
    ) -> tuple[Sequence[Outcome], Record]:
        """What a run's generator reports, and the record of the run."""
        self.runs += 1
        own = record.create(self.directory / "runs", f"RUN-{self.runs}", "", {})
        outcome = own.directory / "outcomes" / "generate.json"
        outcome.parent.mkdir(exist_ok=True)
        node = fake_layout().head
        command = Command("generate", node, [*words, "--outcome", str(outcome)], {}, outcome)

        def run(commands: Sequence[Command]) -> Sequence[Outcome]:
            assert list(self.kept.files.iterdir()) == []
            generate()
            self.generated += 1
            (self.kept.files / "part-0").write_text(" ".join(words))
            for each in commands:
                assert each.outcome
                each.outcome.write_text(json.dumps({"rows": self.generated}))
            return [{"rows": self.generated}]

        found = self.kept.prepare([command], run, record=own)
        assert json.loads(outcome.read_text()) == found[0]
        return found, own


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    return Cluster(tmp_path)


def test_the_next_run_with_the_same_has_it_and_its_record_says_whose_it_is(cluster: Cluster) -> None:
    first, made = cluster.prepared("--rows", "3")
    for _ in range(2):
        again, own = cluster.prepared("--rows", "3")
        assert (again, cluster.generated) == (first, 1)
        assert record.read(own.directory).head.input_of == "RUN-1"
    assert record.read(made.directory).head.input_of == ""
    assert cluster.kept.bytes == len("--rows 3")


def test_another_input_takes_its_place(cluster: Cluster) -> None:
    cluster.prepared("--rows", "3")
    cluster.prepared("--rows", "4")
    assert (cluster.generated, cluster.kept.bytes) == (2, len("--rows 4"))
    _, own = cluster.prepared("--rows", "3")
    assert (cluster.generated, record.read(own.directory).head.input_of) == (3, "")


def change(path: Path) -> None:
    path.write_text("--rows 9")


def lengthen(path: Path) -> None:
    path.write_text(path.read_text() + "0")


def add(path: Path) -> None:
    path.with_name("part-1").touch()


@pytest.mark.parametrize("do", [change, lengthen, Path.unlink, add])
def test_files_that_a_job_has_changed_are_made_again(cluster: Cluster, do: Callable[[Path], None]) -> None:
    cluster.prepared("--rows", "3")
    do(cluster.kept.files / "part-0")
    cluster.prepared("--rows", "3")
    assert cluster.generated == 2


def test_nothing_stays_of_an_input_that_was_not_completed(cluster: Cluster) -> None:
    def stop() -> None:
        (cluster.kept.files / "part-0").touch()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cluster.prepared("--rows", "3", generate=stop)
    assert cluster.kept.bytes == 0
    cluster.prepared("--rows", "3")
    assert cluster.generated == 1


def test_what_an_older_version_has_noted_is_no_error(cluster: Cluster) -> None:
    cluster.prepared("--rows", "3")
    (cluster.kept.folder / "made.json").write_text("{}")
    cluster.prepared("--rows", "3")
    assert cluster.generated == 2


def test_the_room_that_it_takes_is_free_for_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = parse({"workload": {"kind": "terasort", "size": "10MB"}}).workload
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=15_000_000))
    roles: dict[Role, Path] = {"input": tmp_path, "output": tmp_path}
    with pytest.raises(UsageError, match="has only"):
        require_room(work, roles)
    require_room(work, roles, spare=5_000_000)


@pytest.mark.parametrize("kind", sorted(name for name, kind in KINDS.items() if kind.keeps_input))
def test_workloads_whose_input_stays_write_nothing_else(kind: str) -> None:
    layout: Layout = fake_layout()
    workload = parse({"workload": kind}).workload.measured
    assert workload
    for command in workload.prepare(layout):
        words = [word for word in map(str, command.argv) if word != str(command.outcome)]
        others = [str(layout.record), layout.places["output"].path]
        assert not [word for word in words if word.startswith(tuple(others))]
        assert layout.places["input"].path in words
