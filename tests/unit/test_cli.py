"""The command line: help, examples, completion, errors and exit codes."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.unit.report_fakes import make_record
from weft.cli import app, main, verbs
from weft.errors import UsageError
from weft.host import lease, settings

VERBS = sorted(verbs.VERBS)
RUNNER = CliRunner()


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_each_verb_has_an_example_that_names_it(verb: str) -> None:
    done = RUNNER.invoke(app, [verb, "--help"])
    assert done.exit_code == 0
    assert re.search(rf"Example: weft {verb}\b", done.stdout), done.stdout


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_each_verb_explains_each_option(verb: str) -> None:
    assert verbs.load(verb).help
    assert RUNNER.invoke(app, [verb, "-h"]).exit_code == 0


def test_the_verbs_are_those_of_the_readme() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    assert set(re.findall(r"^\| `weft (\w+)", readme, re.MULTILINE)) == set(VERBS)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_written_for_the_name_weft(shell: str, tmp_path: Path) -> None:
    environment = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(Path(__file__).parents[2] / "src"),
        "HOME": str(tmp_path),
    }
    environment |= {"_WEFT_COMPLETE": f"source_{shell}"}
    argv = [sys.executable, "-P", "-m", "weft"]
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)
    assert "complete" in done.stdout, done.stderr
    assert "python" not in done.stdout


def test_completion_offers_the_verbs(tmp_path: Path) -> None:
    environment = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(Path(__file__).parents[2] / "src"),
        "HOME": str(tmp_path),
    }
    environment |= {"_WEFT_COMPLETE": "complete_bash", "COMP_WORDS": "weft do", "COMP_CWORD": "1"}
    argv = [sys.executable, "-P", "-m", "weft"]
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["down", "doctor"], done.stderr


def test_keys_of_a_kind_are_listed() -> None:
    found = json.loads(RUNNER.invoke(app, ["keys", "pool", "--json"]).stdout)
    assert {"name": "segment", "default": str(1 << 30)}.items() <= found[1].items()
    assert "engine" in RUNNER.invoke(app, ["keys"]).stdout


def test_keys_of_an_unknown_kind_name_the_nearest() -> None:
    error = RUNNER.invoke(app, ["keys", "pol"]).exception
    assert isinstance(error, UsageError)
    assert "'pool'" in error.hint


def test_ps_and_gc_on_a_clean_machine() -> None:
    for verb, nothing in (("ps", "nothing is running"), ("gc", "nothing was left")):
        done = RUNNER.invoke(app, [verb])
        assert (done.exit_code, nothing in done.stdout) == (0, True)
        assert json.loads(RUNNER.invoke(app, [verb, "--json"]).stdout) == []


def test_gc_says_what_it_removed(tmp_path: Path) -> None:
    left = tmp_path / "left"
    left.mkdir()
    leave(left)
    assert [one["alive"] for one in json.loads(RUNNER.invoke(app, ["ps", "--json"]).stdout)] == [False]
    (swept,) = json.loads(RUNNER.invoke(app, ["gc", "--json"]).stdout)
    assert swept == {"name": "dead", "removed": [f"directory {left}"], "left": []}
    assert not left.exists()


def test_gc_fails_when_something_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leave(tmp_path / "left")
    (tmp_path / "left").mkdir()
    monkeypatch.setattr("weft.host.programs.removal.remove_tree", lambda _: None)
    done = RUNNER.invoke(app, ["gc"])
    assert done.exit_code == 1
    assert "could not remove" in done.output
    assert len(lease.all_leases()) == 1


def leave(path: Path) -> None:
    """The lease of a command that was killed."""
    with lease.hold("alive", "a test") as held:
        held.note("directory", path=str(path))
        held.path.with_name("dead.jsonl").write_text(held.path.read_text())
        held.entries.pop()


def test_doctor_answers_in_json_and_with_its_exit_code(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = json.loads(RUNNER.invoke(app, ["doctor", "--json"]).stdout)
    assert {"name", "status", "found", "costs", "fix"} == set(found[0])
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    done = RUNNER.invoke(app, ["doctor"])
    assert done.exit_code == 1
    assert re.search(r"^missing +java ", done.stdout, re.MULTILINE)


def test_an_error_is_one_message_with_a_hint_and_its_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setattr("sys.argv", ["weft", "plan", "terasrot"])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == UsageError.exit_code == 2
    assert "error: unknown workload 'terasrot'" in capsys.readouterr().err


@pytest.mark.parametrize("verb", VERBS)
def test_the_line_of_each_verb_is_how_its_help_begins(verb: str) -> None:
    line = verbs.line(verb).removesuffix(".")
    assert 20 < len(line) <= 110
    assert verbs.load(verb).help.startswith(line)


HEAVY = {"altair", "httpx2", "jinja2", "numpy", "polars", "scipy", "vl_convert"}
"""What takes longer to load than these verbs may take at all."""
WORKING = ("run", "submit", "plan")
CLUSTERS = ("up", "exec", "shell", "connect", "logs", "down")


@pytest.mark.parametrize(
    ("words", "without"),
    [
        (["--help"], {*HEAVY, "psutil", "pydantic", "rich"}),
        (["--version"], {*HEAVY, "psutil", "rich"}),
        (["runs"], {*HEAVY, "psutil"}),
        (["runs", "--json"], {*HEAVY, "psutil"}),
        (["ps"], {*HEAVY, "rich"}),
        (["gc"], {*HEAVY, "rich"}),
        *(([verb, "--help"], {*HEAVY, "psutil"}) for verb in (*WORKING, *CLUSTERS)),
    ],
    ids=lambda value: " ".join(sorted(value)),
)
def test_a_verb_loads_nothing_that_it_does_not_need(words: list[str], without: set[str]) -> None:
    make_record(settings.runs() / "2023-0-terasort")
    program = "import sys\nfrom weft.cli import app\ntry: app(sys.argv[1:])\nfinally: print(*sys.modules, file=sys.stderr)"
    argv = [sys.executable, "-P", "-c", program, *words]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert without & set(done.stderr.split()) == set()


def test_other_verbs_load_what_the_quick_ones_do_not() -> None:
    """So that the test above would see it."""
    argv = [sys.executable, "-P", "-c", "import sys, weft.cli.outcomes; print(*sys.modules)"]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert {"polars", "httpx2", "psutil"} <= set(done.stdout.split())
