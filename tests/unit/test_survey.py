"""A survey: its cost, its budget, the storage that it chooses, and the profile that a plain run then uses."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from weft.analysis.predict import survey as surveys
from weft.api import studies, surveying
from weft.api.flags import Flags
from weft.api.request import study_of
from weft.cli import survey as verb
from weft.cli.chosen import say_chosen
from weft.errors import UsageError
from weft.host.site.profile import load
from weft.host.site.writing import with_scratch
from weft.record.head import Head, StudyCell
from weft.record.record import Stored
from weft.report.pages import surveyed

NODES = ["local:1", "local:2"]
STORAGES = ["disk", "memory", "pool+disk"]
JOBS = ["many small blocks", "sort"]
SITE = """# mine
fabric = "ib0"

[scratch]
default = "memory"

[slurm]
account = "me"  # not a table: [scratch]
"""


def stored(
    folder: Path, job: str, scratch: str, nodes: int, seconds: float, verdict: str = "VALID"
) -> Stored:
    """A record of one cell."""
    directory = folder / f"{job}-{scratch}-{nodes}".replace(" ", "").replace("/", "_")
    directory.mkdir(exist_ok=True)
    (directory / "resolved.json").write_text(json.dumps({"nodes": [{"name": "n"}] * nodes}))
    place = {"job": job, "scratch": scratch, "nodes": f"local:{nodes}"}
    cell = StudyCell(coordinates=place)
    return Stored(directory, Head(verdict=verdict, measured=seconds, reason="it was late", cell=cell))


def grid(
    folder: Path, seconds: dict[str, tuple[float, float]], nodes: Sequence[int] = (1, 2), repeat: int = 3
) -> list[Stored]:
    """Both jobs on each storage, some times each: the same time on any number of nodes."""
    return [
        stored(folder, job, name, count, times[index])
        for name, times in seconds.items()
        for index, job in enumerate(JOBS)
        for count in nodes
        for _ in range(repeat)
    ]


def cells(runs: Sequence[Stored]) -> int:
    """Of a grid: runs that differ in more than their number."""
    return len({run.directory for run in runs})


def test_a_survey_is_every_job_on_every_storage_and_number_of_nodes() -> None:
    found = surveying.study(NODES, STORAGES, list(surveying.JOBS), 2, "spark")
    assert len(found.cells()) == len(NODES) * len(STORAGES) * len(surveying.JOBS)
    assert {spec.scratch.word for _, spec in found.cells()} == {"disk", "memory", "pool"}


def test_runs_on_a_batch_system_hold_the_nodes_of_the_largest() -> None:
    asked = surveying.study(["slurm:2", "slurm:8"], ["disk"], ["sort"], 1, "spark")
    found = surveying.cost(asked, {}, [], {})
    assert found.runs == 2
    assert found.node_hours == pytest.approx(2 * 8 * surveying.UNKNOWN / 3600)


def test_its_cost_is_that_of_what_is_left() -> None:
    asked = surveying.study(NODES, ["disk"], ["sort"], 1, "spark")
    everything = surveying.cost(asked, {}, [], {})
    assert (everything.runs, everything.guessed, everything.seconds) == (2, 2, 2 * surveying.UNKNOWN)
    assert everything.node_hours == pytest.approx(3 * surveying.UNKNOWN / 3600)
    (_, first), (_, second) = asked.cells()
    known = Stored(Path("/r"), Head(key=first.key(), verdict="VALID", phases={"run": 7.0}))
    assert surveying.cost(asked, {}, [known], {}).seconds == 14
    assert surveying.cost(asked, {(second.key(), 0): known}, [known], {}).runs == 1


def test_a_cluster_that_runs_share_is_started_once_for_each_repetition() -> None:
    asked = surveying.study(["local:1"], ["disk"], JOBS, 2, "spark")
    groups = studies.shared(asked)
    assert len(groups) == 2
    of_cluster = {
        "workload": "persistent",
        "engine": "spark",
        "nodes": "local:1",
        "scratch": "disk",
        "output": "disk",
    }
    started = Stored(
        Path("/r"), Head(verdict="UNCHECKED", phases={"start": 9.0, "run": 100.0, "stop": 1.0}, **of_cluster)
    )  # type: ignore[arg-type]
    runs = [
        Stored(Path("/r"), Head(key=f"{key}-persistent", verdict="VALID", phases={"run": 7.0}))
        for key in groups
    ]
    assert surveying.cost(asked, {}, [started, *runs], groups).seconds == 2 * (10 + 2 * 7)
    done = {(runs[0].head.key, number): runs[0] for number in range(2)}
    assert surveying.cost(asked, done, [started, *runs], groups).seconds == 2 * (10 + 7)
    assert surveying.cost(asked, {}, runs, groups).seconds == 2 * 3 * 7


def test_no_run_begins_that_could_end_too_late(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 1.0, 25.0, 41.0])
    monkeypatch.setattr("weft.api.surveying.time.monotonic", lambda: next(clock))
    enough = surveying.within(1)
    assert [enough() for _ in range(3)] == ["", "", "the 1 minutes are over"]


def test_the_default_is_the_storage_whose_worst_case_is_best(tmp_path: Path) -> None:
    runs = grid(tmp_path, {"disk": (9, 3), "memory": (2, 2), "pool+disk": (4, 4)})
    found = surveys.survey(runs, STORAGES, "here", cells(runs))
    assert (found.default, found.nodes) == ("pool+disk", 2)
    assert "disk 2.25" in found.because
    assert Path(found.evidence).name == "sort-pool+disk-2"
    best = {one.job: dict(one.storages) for one in found.best}
    assert best == {"many small blocks": {"memory": (1, 2)}, "sort": {"memory": (1, 2)}}


def test_a_storage_that_is_good_on_more_nodes_only_is_not_good_on_fewer(tmp_path: Path) -> None:
    runs = [
        stored(tmp_path, "sort", name, nodes, seconds)
        for name, times in {"disk": (4, 4), "pool+disk": (9, 3)}.items()
        for nodes, seconds in enumerate(times, 1)
    ]
    found = surveys.survey(runs, STORAGES, "here", cells(runs))
    assert dict(found.best[0].storages) == {"disk": (1,), "pool+disk": (2,)}
    assert "pool+disk on 2 nodes; disk on 1 node" in surveyed.page(found)


def test_a_run_that_failed_before_it_had_nodes_is_of_the_cell_that_was_asked_for(tmp_path: Path) -> None:
    runs = [
        stored(tmp_path, "sort", "disk", 2, 4.0),
        stored(tmp_path, "sort", "mount:/gone", 2, 0.0, "INVALID"),
    ]
    (runs[1].directory / "resolved.json").unlink()
    runs[1] = replace(runs[1], head=runs[1].head.changed(nodes="virtual:2"))
    found = surveys.survey(runs, ["disk", "mount:/gone"], "here", 2)
    assert [(cell.storage, cell.nodes) for cell in found.cells] == [("disk", 2), ("mount:/gone", 2)]


def test_where_times_are_alike_the_first_one_is_preferred(tmp_path: Path) -> None:
    runs = grid(tmp_path, {"disk": (4.2, 3), "pool+disk": (4, 3)})
    assert surveys.survey(runs, STORAGES, "here", cells(runs)).default == "disk"


@pytest.mark.parametrize(("slowest", "default"), [(5.1, "disk"), (4.2, "pool+disk")])
def test_where_runs_overlap_the_first_one_is_preferred(tmp_path: Path, slowest: float, default: str) -> None:
    """Medians of disk are a quarter longer; whether it is slower, its runs tell only where none on a pool is as long."""
    runs = [
        stored(tmp_path, job, name, 1, seconds)
        for name, times in {"disk": (5, 5, 6), "pool+disk": (4, 4, slowest)}.items()
        for job in JOBS
        for seconds in times
    ]
    found = surveys.survey(runs, STORAGES, "here", cells(runs))
    assert found.default == default
    assert ("no job's runs are all longer than those on pool+disk" in found.because) == (default == "disk")


def test_a_storage_that_failed_anywhere_is_no_default(tmp_path: Path) -> None:
    runs = [
        *grid(tmp_path, {"disk": (4, 3), "pool+disk": (9, 9)}),
        stored(tmp_path, "sort", "disk", 2, 0, "INVALID"),
    ]
    runs = [one for one in runs if (one.directory.name, one.verdict) != ("sort-disk-2", "VALID")]
    found = surveys.survey(runs, STORAGES, "here", cells(runs))
    assert found.default == "pool+disk"
    assert "it was late" in surveyed.page(found)


def test_what_is_not_finished_has_no_default(tmp_path: Path) -> None:
    runs = grid(tmp_path, {"disk": (4, 3)})
    found = surveys.survey(runs, STORAGES, "here", 12)
    assert (found.default, "8 of 12 cells have not been run" in found.because) == ("", True)


@pytest.mark.parametrize(("repeat", "words"), [(1, "undecided (1 run)"), (2, "undecided (2 runs)")])
def test_few_runs_decide_no_default(tmp_path: Path, repeat: int, words: str) -> None:
    runs = grid(tmp_path, {"disk": (9, 3), "pool+disk": (4, 4)}, repeat=repeat)
    found = surveys.survey(runs, STORAGES, "here", cells(runs))
    assert (found.default, found.because.startswith(words)) == ("", True)
    assert "--repeat 3" in surveyed.page(found)


def test_memory_alone_is_no_default(tmp_path: Path) -> None:
    runs = grid(tmp_path, {"memory": (4, 3)})
    assert surveys.survey(runs, ["memory"], "here", cells(runs)).default == ""


def test_the_profile_keeps_everything_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    once = with_scratch(SITE, {"default": "disk", "nodes": 2})
    assert with_scratch(once, {"default": "disk", "nodes": 2}) == once
    path = tmp_path / "site.toml"
    path.write_text(once)
    monkeypatch.setenv("WEFT_SITE", str(path))
    found = load()
    assert (found.fabric, found.slurm.account, found.scratch.default, found.scratch.nodes) == (
        "ib0",
        "me",
        "disk",
        2,
    )
    assert once.startswith("# mine\n")


def scratch_of(what: str, **flags: str) -> str:
    ((_, spec),) = study_of(what, Flags(**flags)).cells()  # type: ignore[arg-type]
    return spec.scratch.word


def test_a_plain_run_uses_what_a_survey_chose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "site.toml"
    monkeypatch.setenv("WEFT_SITE", str(path))
    assert scratch_of("terasort") == "disk"
    found = surveys.survey(grid(tmp_path, {"pool": (4, 3)}), ["pool"], "here", 4)
    assert verb.write(found, tmp_path / "survey.html", path) == path
    assert Path(load().scratch.evidence or "").name == "sort-pool-2"
    assert scratch_of("terasort") == "pool"
    assert scratch_of("terasort", scratch="memory") == "memory"
    assert scratch_of("terasort", engine="hadoop") == "disk", "Hadoop has no pool"
    (tmp_path / "s.toml").write_text('workload = "terasort"\n')
    assert scratch_of(str(tmp_path / "s.toml")) == "disk", "the same text is always the same run"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--jobs", "sorting"), "unknown job 'sorting'"),
        (("--jobs", ","), "--jobs names nothing"),
        (("--scratch", "dsk"), "dsk"),
        (("--nodes", "local:0"), "nodes.count"),
    ],
)
def test_what_cannot_be_surveyed_is_refused(arguments: tuple[str, ...], words: str) -> None:
    app = typer.Typer()
    app.command()(verb.survey)
    found = CliRunner().invoke(app, ["--dry-run", *arguments])
    assert isinstance(found.exception, UsageError)
    assert words in found.exception.message


def test_the_cost_is_shown_before_anything_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.run.matrix.run", lambda *_, **__: pytest.fail("it ran"))
    app = typer.Typer()
    app.command()(verb.survey)
    found = CliRunner().invoke(app, ["--dry-run", "--nodes", "local:1", "--jobs", "sort"])
    assert found.exit_code == 0
    assert "6 runs: about 6 min" in found.stdout
    found = CliRunner().invoke(app, ["--dry-run", "--nodes", "local:1", "--jobs", "sort", "--json"])
    assert json.loads(found.stdout) == {"runs": 6, "seconds": 360.0, "node_hours": 0.1, "guessed": 6}


def test_a_run_names_the_scratch_that_nobody_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    site = tmp_path / "site.toml"
    site.write_text('[scratch]\ndefault = "pool"\nnodes = 2\n')
    monkeypatch.setenv("WEFT_SITE", str(site))
    nodes = "local:2"
    for flags in (
        Flags(nodes=nodes),
        Flags(nodes=nodes, scratch="pool"),
        Flags(nodes=nodes, engine="hadoop"),
    ):
        say_chosen(study_of("terasort", flags), flags)
    assert capsys.readouterr().err == (
        f"scratch pool: the default of {site}, surveyed on up to 2 nodes; --scratch changes it\n"
    )
