"""The figures of the documentation are those of the rows in evidence/, and say what they are based on."""

import json
import math
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import evidencing
import pytest
from figures import documents, drawings, rows, shown, studyrows, tables
from figures.documents import Block

from weft.analysis.predict.constants import VALUE
from weft.host import settings

ROWS = sorted(rows.FOLDER.glob("*.jsonl"))
OTHERS = {"flaky", "long"}
"""Lists of tests, not of measurements."""


@pytest.mark.parametrize("block", documents.all_blocks(), ids=lambda block: f"{block.document}-{block.name}")
def test_a_table_is_that_of_its_rows(block: Block) -> None:
    assert evidencing.equal(block), "tools/evidence writes it"


def test_a_drawing_is_that_of_its_rows_and_in_a_guide() -> None:
    assert evidencing.other_drawings() == [], "tools/evidence draws them"
    guides = "".join((documents.ROOT / name).read_text() for name in documents.documents())
    assert sorted(drawings.FOLDER.iterdir()) == sorted(map(drawings.path_of, drawings.DRAWINGS))
    assert [name for name in drawings.DRAWINGS if f"](../figures/{name}.svg)" not in guides] == []


@pytest.mark.parametrize("name", documents.documents())
def test_a_table_of_figures_has_its_rows_or_says_that_they_were_not_kept(name: str) -> None:
    assert documents.seems_measured((documents.ROOT / name).read_text()) == []


@pytest.mark.parametrize(
    "path", [path for path in ROWS if path.stem not in OTHERS], ids=lambda path: path.stem
)
def test_rows_say_when_where_and_by_which_commit_and_name_no_host(path: Path) -> None:
    for line in path.read_text().splitlines():
        row = json.loads(line)
        assert re.fullmatch(r"[0-9a-f]{7,40}\+?", row["commit"]), row
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4}", row["time"]), row
        assert row["machine"]
        assert not re.search(rf"\b{re.escape(os.uname().nodename)}\b", line)
        assert not re.search(r'[" ](/home|/root|/tmp|/work)\b', line)


def history() -> bool:
    """Whether all commits are here."""
    argv = ["git", "-C", str(settings.SOURCE), "rev-parse", "--is-shallow-repository"]
    return subprocess.run(argv, capture_output=True, text=True, check=False).stdout.strip() == "false"


@pytest.mark.skipif(not history(), reason="a checkout without its history")
def test_rows_are_of_commits_that_everybody_has() -> None:
    wanted = {
        json.loads(line)["commit"].rstrip("+")
        for path in ROWS
        if path.stem not in OTHERS
        for line in path.read_text().splitlines()
    }
    # a commit of a squashed line is in the checkout where it was measured, and in no other
    argv = ["git", "-C", str(settings.SOURCE), "rev-list", "HEAD"]
    everybodys = set(subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split())
    assert {commit for commit in wanted if not _begins(everybodys, commit)} == set()


def _begins(commits: set[str], short: str) -> bool:
    return any(commit.startswith(short) for commit in commits)


def test_the_error_of_another_machine_is_that_of_the_published_ratios() -> None:
    rows = [
        json.loads(line) for line in (settings.SOURCE / "evidence/published.jsonl").read_text().splitlines()
    ]
    errors = []
    # nobody has the counts of the very runs that are to be predicted
    for each in (each for each in rows if each["kind"] == "point" and not each.get("counted")):
        ends = each["value"] if isinstance(each["value"], list) else [each["value"]]
        errors.append(math.log(each["predicted"] / math.prod(ends) ** (1 / len(ends))))
    found = math.sqrt(math.fsum(error**2 for error in errors) / len(errors))
    assert VALUE["error_per_machine"] == pytest.approx(found, abs=0.005)


def row(engine: str, repeat: int, seconds: float, **more: Any) -> dict[str, Any]:
    where = {
        "time": "2026-11-24T10:00:00+0000",
        "commit": "abc1234",
        "machine": "2 cores",
        "verdict": "VALID",
    }
    control = {"cpu": 1.0 + repeat / 10, "files": 2.0, "load": 0.5}
    found = {"measures": {"seconds": seconds}, "phases": {"start": 3.0}, "facts": {"checksum": "e20c"}}
    return {"cell": {"engine": engine}, "repeat": repeat, **where, **control, **found, **more}


def test_a_table_shows_medians_with_their_range_and_what_it_is_made_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = [row("spark", number, 8.0 + number) for number in range(3)]
    monkeypatch.setattr(tables, "read", lambda name: [*found, row("flink", 0, 9, verdict="INVALID")])
    lines = tables.lines("join") or []
    assert lines[:3] == [
        "| engine | seconds | seconds until the cluster was ready | checksum |",
        "|---|---:|---:|---|",
        "| Spark SQL | 9.00 (8.00 to 10.0) | 3.00 (3.00 to 3.00) | e20c |",
    ]
    assert lines[3] == "| Flink SQL | 1 of 1 failed | - | - |"
    assert lines[-1] == (
        "*Medians of 3 runs (smallest to largest); 1 of 4 runs not VALID and not counted; 2026-11-24; commit abc1234; 2 cores; "
        "load before a run 0.5 to 0.5; known computation 1.00 to 1.20 s (0.95 to 1.14 of its median); "
        "known file calls 2.00 to 2.00 s (1.00 to 1.00 of its median). `bench/run join`, `evidence/join.jsonl`.*"
    )


def test_what_an_engine_does_not_offer_is_no_run_in_a_footer() -> None:
    found = [row("spark", 0, 8.0), row("flink", 0, 8.0, verdict=shown.NOT_OFFERED)]
    assert "not VALID" not in shown.footer(found, "bench/explained", "evidence/explained.jsonl")
    wrong = shown.footer([*found, row("hadoop", 0, 8.0, verdict="INVALID")], "x", "y")
    assert "1 of 2 runs not VALID and not counted" in wrong


def test_a_footer_counts_the_failed_attempts_that_were_run_again() -> None:
    found = [
        row("spark", 0, 8.0, failed_before=2),
        row("spark", 1, 8.0),
        row("flink", 0, 8.0, failed_before=1),
    ]
    assert "; before these, 3 failed and were run again; " in shown.footer(found, "x", "y")
    assert "failed" not in shown.footer(found[1:2], "x", "y")


def test_a_footer_says_how_many_runs_have_no_known_work() -> None:
    found = [row("spark", number, 8.0) for number in range(3)]
    lost = [{key: value for key, value in row("spark", 3, 8.0).items() if key != "cpu"}]
    line = shown.footer([*found, *lost], "bench/run join", "evidence/join.jsonl")
    assert "known computation 1.00 to 1.20 s (0.91 to 1.09 of its median, in 3 of 4 runs);" in line
    nothing = shown.footer(lost * 4, "bench/run join", "evidence/join.jsonl")
    assert "known computation" not in nothing
    assert "known file calls 2.00 to 2.00 s" in nothing


@pytest.mark.parametrize(
    ("count", "kind"), [(1, shown.SINGLE), (2, shown.FEW), (5, shown.FEW), (6, shown.MANY)]
)
def test_single_runs_are_distinguished_from_several_and_from_enough(count: int, kind: str) -> None:
    assert shown.kind([row("spark", number, 8.0) for number in range(count)]) == kind


@pytest.mark.parametrize(
    "claim",
    [
        "8 s (figures of 2026-11-23, raw data not kept).",
        "8 s (one run each, raw data not\nkept).",
        "8 s; the raw data was not kept.",
        "These are single runs, whose raw data were not kept.",
    ],
)
def test_every_sentence_about_raw_data_that_was_not_kept_is_a_claim(claim: str) -> None:
    assert documents.prose(f"{claim}\n\nNo figure here.\n") == 1
    assert documents.prose(OLD.replace("| a | 1 |", claim)) == 0


OLD = "before\n<!-- evidence: join, else of 2026-11-23 -->\n\n| a | 1 |\n<!-- end of evidence -->\nafter\n"


def test_what_was_measured_may_have_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "FOLDER", tmp_path)
    monkeypatch.setattr(rows, "control", lambda say: {"cpu": 1.0})
    rows.kept("doses", print, lambda: {"given": 2.0}, name="metadata", measure="opens")
    assert [(row["name"], row["measure"], row["given"]) for row in rows.read("doses")] == [
        ("metadata", "opens", 2.0)
    ]


def test_a_study_that_is_collected_says_which_cells_have_no_run_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "FOLDER", tmp_path)
    monkeypatch.setenv("WEFT_RUNS", "/data/runs")
    rows.write("join", [row("spark", 0, 8.0), row("spark", 1, 8.0), row("hive", 0, 9.0)])
    monkeypatch.setattr(studyrows, "of_study", lambda name: [row("spark", 0, 7.0)])
    path = rows.path_of("join")
    lost = "without a run in /data/runs, so without rows now: engine=hive"
    assert studyrows.collect("join") == f"1 rows in {path} in place of 3; {lost}"
    assert studyrows.collect("join") == f"1 rows in {path} in place of 1"
    assert rows.read("join") == [row("spark", 0, 7.0)]


def test_rows_take_the_place_of_figures_that_were_not_kept() -> None:
    made = documents.replaced("d.md", OLD, {"join": ["| new |"]})
    assert made == "before\n<!-- evidence: join -->\n\n| new |\n\n<!-- end of evidence -->\nafter\n"
    assert documents.replaced("d.md", made, {"join": ["| new |"]}) == made


def test_figures_without_rows_stay_and_say_so() -> None:
    made = documents.replaced("d.md", OLD, {"join": None})
    assert "*Figures of 2026-11-23, raw data not kept.*\n\n| a | 1 |\n" in made
    assert documents.replaced("d.md", made, {"join": None}) == made


def test_a_table_that_somebody_changed_is_not_that_of_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "lines", lambda name: ["| new |"])
    (same,) = documents.blocks("d.md", documents.replaced("d.md", OLD, {"join": ["| new |"]}))
    (other,) = documents.blocks("d.md", documents.replaced("d.md", OLD, {"join": ["| better |"]}))
    assert (evidencing.equal(same), evidencing.equal(other)) == (True, False)


def test_a_table_without_an_end_is_an_error() -> None:
    with pytest.raises(ValueError, match="a table of evidence has no end"):
        list(documents.blocks("d.md", "<!-- evidence: join -->\n| a |\n"))


def test_tables_may_be_wherever_figures_of_measurements_are_written() -> None:
    names = documents.documents()
    assert {"README.md", "native/scratch/README.md", "bench/unseen.md", "docs/map.md"} <= {*names}
    assert any(name.startswith("docs/decisions/") for name in names)


def test_a_table_of_numbers_outside_is_taken_for_measured() -> None:
    text = "| a | b |\n|---|---|\n| x | 1.5 s |\n| y | a word |\n\n```text\n| z | w |\n|---|---|\n| z | 3 |\n```\n"
    assert documents.seems_measured(text) == ["| a | b |"]
    assert documents.seems_measured(f"<!-- given, not measured -->\n\n{text}") == []
    assert documents.seems_measured(OLD) == []
