"""Runs side by side: groups, intervals, ties, and what does not count."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.unit.report_fakes import HEAD, RESOLVED, make_record
from weft.analysis.compare.compare import Comparison, Group, compare
from weft.analysis.compare.headline import Headline, flat, headlines
from weft.analysis.compare.operations import Operations
from weft.cli import app, outcomes
from weft.errors import RecordError, UsageError
from weft.host import settings
from weft.record import record
from weft.record.record import write_json
from weft.report.draw.blocks import Table
from weft.report.pages import study
from weft.report.sections.difference import sentence
from weft.spec.study import load

RUNNER = CliRunner()


def line(number: int, key: str, seconds: float | None, **more: Any) -> Headline:
    valid = seconds is not None
    speed = 1e8 / seconds if seconds else None
    return Headline(id=f"run{number}", directory=f"/runs/run{number}", verdict="VALID" if valid else "INVALID", key=key, seconds=seconds,
                    throughput_per_node=speed, spec={"scratch.kind": key}, reason="" if valid else "a row is missing",
                    phases={"run": seconds or 0}, **more)  # fmt: skip


def lines(**cells: list[float | None]) -> list[Headline]:
    return [
        line(hash((key, index)), key, seconds)
        for key, values in cells.items()
        for index, seconds in enumerate(values)
    ]


def test_runs_are_grouped_by_their_spec() -> None:
    found = compare(lines(disk=[10, 11, 12], memory=[5, 5.5, 6]), "x")
    assert [(group.label, group.values) for group in found.groups] == [
        ("scratch=disk", (10, 11, 12)),
        ("scratch=memory", (5, 5.5, 6)),
    ]
    assert found.differences == {"scratch.kind": ("disk", "memory")}
    assert found.groups[1].ratio is not None
    assert found.groups[1].ratio.median == 0.5


def test_known_work_shows_how_steady_the_machine_was() -> None:
    found = compare(
        [
            line(number, "a", 1.0, control={"cpu": taken, "files": 2.0, "load": 0.1})
            for number, taken in enumerate([1.0, 1.0, 1.5])
        ],
        "x",
    )
    assert found.sentences[-1] == (
        "Known work before each run took from 1.00 to 1.50 (computation) and 1.00 to 1.00 (file calls) times its median."
    )


def test_what_is_emulated_is_named_with_its_cell() -> None:
    found = compare([line(1, "a", 1.0), line(2, "b", 2.0, emulated=("a Lustre of 2015",))], "x")
    assert "scratch=b is emulated: a Lustre of 2015." in study.text(found)


def test_the_first_cell_is_the_base(stored: Path) -> None:
    assert "1 (the base)" in RUNNER.invoke(app, ["compare", "--study", "scratches"]).stdout


def test_a_tie_is_not_ranked() -> None:
    a, b, c = [10, 11, 12] * 2, [11, 11.5, 13] * 2, [1, 1.1, 1.2] * 2
    found = compare(lines(a=a, b=b, c=c), "x")
    assert found.sentences == (
        "Fastest first: [scratch=c]; then [scratch=a] and [scratch=b].",
        "[scratch=a] and [scratch=b] are not ranked: their intervals overlap.",
    )


def test_too_few_runs_are_not_ranked() -> None:
    assert compare(lines(a=[10, 11], b=[1, 2]), "x").sentences == (
        "Not ranked because of too few runs (at least 6 valid ones each are needed): [scratch=a] and [scratch=b].",
    )


@pytest.mark.parametrize(
    ("base", "other", "expected"),
    [
        ({"CPU": 2.0}, {"CPU": 2.0}, "[b] took as long as [a] in its run phase."),
        ({"CPU": 2.0, "GC": 1.0}, {"CPU": 1.0, "GC": 2.0}, "[b] took as long as [a] in its run phase: -1.00 s CPU, +1.00 s GC."),
        ({"CPU": 0.03}, {"CPU": 0.05}, "[b] took 0.020 s more than [a] in its run phase: +0.020 s CPU; together 100 % of the difference."),
        (
            {"CPU": 10.0, **dict.fromkeys("abcdefgh", 0.0)},
            {"CPU": 0.0, **dict.fromkeys("abcdefgh", 1.5)},
            "[b] took 2.00 s more than [a] in its run phase: -10.0 s CPU, +1.50 s a, +1.50 s b, +1.50 s c, +1.50 s d; together -200 % of the difference.",
        ),
    ],
)  # fmt: skip
def test_what_a_difference_is_made_of(base: dict[str, float], other: dict[str, float], expected: str) -> None:
    groups = [Group(label=label, key=label, runs=(), values=(), parts=parts) for label, parts in (("a", base), ("b", other))]  # fmt: skip
    assert sentence(*groups) == expected


def test_only_valid_runs_count_and_the_others_are_listed() -> None:
    found = compare(lines(a=[10, None, 12], b=[None]), "x")
    assert [group.values for group in found.groups] == [(10, 12), ()]
    assert [(run.verdict, run.reason) for run in found.left_out] == [("INVALID", "a row is missing")] * 2
    assert found.groups[1].ratio is None


def test_failed_attempts_that_a_study_ran_again_are_counted_by_cell() -> None:
    def attempt(number: int, key: str, seconds: float | None, repeat: int) -> Headline:
        mark: dict[str, Any] = {"study": "s", "repeat": repeat, "created": f"2026-11-29T0{number}:00:00+0000"}
        return line(number, key, seconds, coordinates={"scratch": key}, **mark)

    again = [attempt(1, "disk", None, 0), attempt(2, "disk", None, 0), attempt(3, "disk", 10, 0)]
    never = [attempt(4, "memory", 5, 0), attempt(5, "memory", None, 1)]
    assert (
        "Failed attempts that were run again: [scratch=disk] 2." in compare([*again, *never], "x").sentences
    )
    assert not any("run again" in each for each in compare([again[2], *never], "x").sentences)


def test_nothing_valid_is_reported() -> None:
    found = compare(lines(a=[None], b=[None]), "x")
    assert found.sentences == ("None of these runs is VALID, so there is nothing to compare.",)
    assert "times (no cell has a valid run)" in study.text(found)


def test_coordinates_of_a_study_name_its_cells() -> None:
    found = compare(
        [line(1, "a", 1.0, coordinates={"size": "1GB"}), line(2, "b", 2.0, coordinates={"size": "2GB"})], "x"
    )
    assert [group.label for group in found.groups] == ["size=1GB", "size=2GB"]


def test_repeats_can_be_taken_one_by_one() -> None:
    found = compare([line(1, "a", 1.0), line(2, "a", 2.0)], "x", each=True)
    assert [group.label for group in found.groups] == ["run1", "run2"]


def test_a_study_page_is_one_file_with_a_plot() -> None:
    text = study.text(compare(lines(disk=[10, 11, 12], memory=[5, 5.5, 6]), "study s"))
    assert "<svg" in text
    assert "could not be drawn" not in text
    assert "5.50 (5.00 to 6.00)" in text
    assert "0.50 x (0.42 to 0.60)" in text
    data = text.split('id="data">')[1].split("</script>")[0]
    assert Comparison.model_validate_json(data).groups[0].label == "scratch=disk"


def test_counted_are_reads_and_writes_of_all_files_of_a_run() -> None:
    found = compare([line(1, "a", 1.0, operations=Operations(reads=3, writes=2))], "x")
    (table,) = study.file_operations(found).blocks
    assert isinstance(table, Table)
    assert "writes of the engine's processes on files of input, scratch and output" in table.note


def test_a_table_becomes_dotted_keys() -> None:
    assert flat({"a": {"b": 1, "c": None}, "d": [1]}) == {"a.b": "1", "a.c": "", "d": "[1]"}


@pytest.fixture
def stored() -> Path:
    """Two cells of a study with three repeats each, and one invalid run."""
    for index, (scratch, seconds) in enumerate(
        [("disk", 10), ("disk", 11), ("disk", 12), ("memory", 5), ("memory", 6), ("memory", 5.5)]
    ):
        directory = settings.runs() / f"2023-{index}-terasort"
        make_record(directory, head={"measured": seconds, "key": scratch, "scratch": scratch, "created": f"2023-{index}",
                                     "cell": {"study": "scratches", "repeat": index % 3, "coordinates": {"scratch": scratch}}})  # fmt: skip
        write_json(directory / "resolved.json", {**RESOLVED, "spec": {"scratch": {"kind": scratch}}})
    make_record(
        settings.runs() / "2023-6-bad",
        head={"verdict": "INVALID", "reason": "a row is missing", "created": "2023-6"},
    )
    return settings.runs()


def test_the_headline_of_a_record(stored: Path) -> None:
    first = headlines(record.all_records(stored))[0]
    assert (first.workload, first.storages["scratch"], first.seconds, first.coordinates) == (
        "terasort",
        "disk",
        10,
        {"scratch": "disk"},
    )
    assert first.throughput_per_node == HEAD["throughput_per_node"]


def test_runs_lists_newest_last(stored: Path) -> None:
    done = RUNNER.invoke(app, ["runs"])
    assert done.exit_code == 0
    rows = done.stdout.splitlines()
    assert rows[-1].split()[:3] == ["2023-6-bad", "INVALID", "terasort"]
    assert len(rows) == 8
    found = json.loads(RUNNER.invoke(app, ["runs", "--study", "scratches", "--json"]).stdout)
    assert [row["seconds"] for row in found] == [10, 11, 12, 5, 6, 5.5]


def test_runs_without_runs_says_so() -> None:
    assert "no runs in" in RUNNER.invoke(app, ["runs"]).stdout


def test_show_prints_the_report_and_its_numbers(stored: Path) -> None:
    done = RUNNER.invoke(app, ["show", "2023-0"])
    assert done.exit_code == 0
    assert "Losses and recoveries" in done.stdout
    assert json.loads(RUNNER.invoke(app, ["show", "--json"]).stdout)["id"] == "2023-6-bad"


def test_report_writes_to_the_given_file(stored: Path, tmp_path: Path) -> None:
    done = RUNNER.invoke(app, ["report", "2023-0", "--out", str(tmp_path / "page.html")])
    assert done.stdout.strip() == str(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
    whole = RUNNER.invoke(app, ["report", "--study", "scratches"]).stdout.strip()
    assert whole == str(stored / "study-scratches.html")
    assert "study scratches" in Path(whole).read_text()


def test_compare_compares_a_study(stored: Path) -> None:
    found = json.loads(RUNNER.invoke(app, ["compare", "--study", "scratches", "--json"]).stdout)
    assert [group["label"] for group in found["groups"]] == ["scratch=disk", "scratch=memory"]
    # as of single runs: where the time of each cell went
    assert all(group["parts"] for group in found["groups"])
    text = RUNNER.invoke(app, ["compare", "2023-0", "2023-3", "2023-6"]).stdout
    assert "a row is missing" in text


def test_compare_wants_two_runs_and_a_study_that_is_there(stored: Path) -> None:
    for words in (["compare", "2023-0"], ["compare", "2023-0", "2023-0"], ["compare", "--study", "none"]):
        assert isinstance(RUNNER.invoke(app, words).exception, UsageError)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["compare", "2023-0", "2023-3", "--study", "scratches"], "2023-0 and --study are two comparisons"),
        (["compare", "2023-0", "--study", "scratches", "--reference", "9s"], "--study and --reference are two comparisons"),
        (["compare", "2023-0", "2023-3", "--slower", "5%"], "--slower needs --reference"),
        (["report", "2023-0", "--study", "scratches"], "2023-0 and --study are two reports"),
    ],
)  # fmt: skip
def test_words_that_would_be_ignored_are_refused(stored: Path, words: list[str], message: str) -> None:
    error = RUNNER.invoke(app, words).exception
    assert isinstance(error, UsageError)
    assert message in error.message


def test_a_study_in_a_folder_that_is_a_link_has_the_name_of_the_link_and_here_the_folder_s(
    stored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "2026-11").mkdir()
    (tmp_path / "2026-11" / "study.toml").write_text('workload = "terasort"\n')
    (tmp_path / "scratches").symlink_to("2026-11")
    found = RUNNER.invoke(app, ["compare", "--study", str(tmp_path / "scratches"), "--json"])
    assert len(json.loads(found.stdout)["groups"]) == 2
    here = tmp_path / "own" / "scratches"
    here.mkdir(parents=True)
    (here / "study.toml").write_text('workload = "terasort"\n')
    monkeypatch.chdir(here)
    done = RUNNER.invoke(app, ["report", "--study", "."])
    assert done.stdout.strip() == str(stored / "study-scratches.html")


def test_a_folder_with_a_single_run_has_no_page_that_says_that_nothing_is_valid(
    stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "study.toml").write_text('workload = "terasort"\n')
    single = make_record(stored / "2024-0-terasort")
    for results, page in (([single], False), ([record.read(stored / "2023-0-terasort")], True)):
        with pytest.raises(SystemExit, match="0"):
            outcomes.end(str(tmp_path), load(tmp_path), results, as_json=False)
        assert ("  study  " in capsys.readouterr().out) == page


@pytest.mark.parametrize(("verdict", "code"), [("VALID", 0), ("UNCHECKED", 0), ("INVALID", 1), ("KILLED", 1)])
def test_a_job_that_nobody_checks_ends_well_also_from_its_file(
    tmp_path: Path, verdict: str, code: int
) -> None:
    """As `weft run RECORD/spec.toml` of a submitted job does."""
    found = make_record(settings.runs() / "one", head={"verdict": verdict})
    (tmp_path / "spec.toml").write_text('workload = "terasort"\n')
    with pytest.raises(SystemExit) as ended:
        outcomes.end(str(tmp_path / "spec.toml"), load(tmp_path / "spec.toml"), [found], as_json=False)
    assert ended.value.code == code


def test_a_study_of_a_workload_with_a_path_is_found_by_its_name() -> None:
    for number in range(2):
        cell = {"study": "trace:/data/jobs.tsv", "repeat": number}
        make_record(settings.runs() / f"2023-{number}-trace", head={"cell": cell})
    done = RUNNER.invoke(app, ["compare", "--study", "trace:/data/jobs.tsv", "--json"])
    assert [len(group["runs"]) for group in json.loads(done.stdout)["groups"]] == [2]


def test_a_record_that_cannot_be_written_to_has_a_page_where_it_is_asked_for(
    stored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Path) -> None:
        raise RecordError("cannot write profile/node1.html: Read-only file system")

    monkeypatch.setattr("weft.report.pages.flames.write", refuse)
    done = RUNNER.invoke(app, ["report", "2023-0", "--out", str(tmp_path / "page.html")])
    assert (done.exit_code, (tmp_path / "page.html").exists()) == (0, True)
    assert "no flame graphs: cannot write" in done.stderr
    assert isinstance(RUNNER.invoke(app, ["report", "2023-0"]).exception, RecordError)
