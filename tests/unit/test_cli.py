"""The command line: help, examples, completion, errors and exit codes."""

import errno
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weft.cli import app, guard, main, outcomes, verbs
from weft.cli.flags import every
from weft.errors import UsageError
from weft.host import lease, settings, unforeseen
from weft.text.verbosity import CHOSEN

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


def test_help_has_groups_of_short_lines_and_none_that_is_cut() -> None:
    text = RUNNER.invoke(app, ["--help"]).stdout
    titles = [line.removesuffix(":") for line in text.splitlines() if re.fullmatch(r"[A-Z]\w+:", line)]
    assert titles == ["Options", "Run", "Clusters", "Results", "Model", "Site", "Housekeeping"]
    for verb in verbs.VERBS:
        line = verbs.line(verb).removesuffix(".")
        assert re.search(rf"^  {verb} +{re.escape(line)}$", text, re.MULTILINE), verb
        assert len(line) <= 60


@pytest.mark.parametrize("words", [[], *([verb] for verb in VERBS)], ids=" ".join)
def test_no_line_of_help_ends_in_dots_or_names_a_type_of_python(words: list[str]) -> None:
    text = RUNNER.invoke(app, [*words, "--help"]).stdout
    assert [line for line in text.splitlines() if line.endswith("...") or re.search(r"<\w+", line)] == []


@pytest.mark.parametrize("words", [["help"], ["help", "run"], ["help", "site", "init"]])
def test_help_is_also_a_word(words: list[str]) -> None:
    assert RUNNER.invoke(app, words).stdout == RUNNER.invoke(app, [*words[1:], "--help"]).stdout


def test_the_version_has_a_short_option() -> None:
    assert RUNNER.invoke(app, ["-V"]).stdout == RUNNER.invoke(app, ["--version"]).stdout


@pytest.mark.parametrize(("name", "meant"), verbs.ALIASES.items())
def test_a_name_that_verbs_had_before_works(name: str, meant: tuple[str, ...]) -> None:
    assert RUNNER.invoke(app, [name, "-h"]).stdout == RUNNER.invoke(app, [*meant, "-h"]).stdout
    assert name not in verbs.VERBS


OLD = [
    ("submit", ["--result", "a.csv"], ["--out", "a.csv"]),
    ("report", ["--output", "a.html"], ["--out", "a.html"]),
    ("predict", ["--page", "a.html"], ["--out", "a.html"]),
    ("advise", ["--rounds", "3"], ["--repeat", "3"]),
    ("calibrate", ["--seconds", "0.5"], ["--each", "0.5s"]),
    ("survey", ["--minutes", "90"], ["--within", "90m"]),
    ("bundle", ["--engines", "spark,flink"], ["--engine", "spark,flink"]),
]


@pytest.mark.parametrize(("verb", "before", "now"), OLD, ids=" ".join)
def test_an_old_spelling_works_with_a_note(
    verb: str, before: list[str], now: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    command, more = verbs.load(verb), ["job.py"] if verb == "submit" else []
    params = command.make_context(verb, [*before, *more]).params
    assert f"note: {' '.join(before)} is now {' '.join(now)};" in capsys.readouterr().err
    assert params == command.make_context(verb, [*now, *more]).params
    assert before[0] not in RUNNER.invoke(app, [verb, "--help"]).stdout


def test_every_old_spelling_of_an_option_is_tried_above() -> None:
    known = {(verb, spelling) for verb, entry in verbs.VERBS.items() for spelling in entry.old}
    assert {(verb, before[0]) for verb, before, _ in OLD} == known


def test_an_old_spelling_behind_the_program_is_the_programs(capsys: pytest.CaptureFixture[str]) -> None:
    params = verbs.load("submit").make_context("submit", ["job.py", "--result", "x"]).params
    assert params["arguments"] == ["--result", "x"]
    assert capsys.readouterr().err == ""


def test_a_job_of_a_survey_with_spaces_is_an_old_spelling(capsys: pytest.CaptureFixture[str]) -> None:
    for jobs, note in (("many small blocks,sort", True), ("many-small-blocks,sort", False)):
        command = verbs.load("survey")
        command.invoke(command.make_context("survey", ["--dry-run", "--nodes", "local:1", "--jobs", jobs]))
        shown = capsys.readouterr()
        assert "12 runs: about" in shown.out
        assert ("note: --jobs 'many small blocks' is now --jobs many-small-blocks" in shown.err) == note


@pytest.mark.parametrize("words", [["disk,memory"], ["disk", "memory"], ["disk", "loopback:/l,size=2G"]])
def test_a_list_has_commas_or_is_given_several_times(words: list[str]) -> None:
    given = verbs.load("calibrate").make_context("c", [w for one in words for w in ("--scratch", one)]).params
    expected = ["disk", "memory"] if "memory" in words[-1] else words
    assert every("--scratch", given["scratch"], []) == expected


@pytest.mark.parametrize(
    ("verb", "option", "value", "message"),
    [
        ("survey", "--within", "1", "--within: '1' must be at least 6s and at most 1d"),
        ("survey", "--within", "soon", "--within: 'soon' is not a duration"),
        ("calibrate", "--each", "2m", "--each: '2m' must be at least 0.01s and at most 1m"),
    ],
)  # fmt: skip
def test_a_time_that_cannot_be_is_refused(verb: str, option: str, value: str, message: str) -> None:
    error = RUNNER.invoke(app, [verb, option, value]).exception
    assert isinstance(error, UsageError)
    assert message in error.message


def test_a_plan_is_a_dry_run() -> None:
    words = ["terasort", "--nodes", "local:2,memory=4G"]
    plan = RUNNER.invoke(app, ["plan", *words])
    assert plan.stdout == RUNNER.invoke(app, ["run", "--dry-run", *words]).stdout
    assert "TeraSort" in plan.stdout


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (["run", "--nodse", "2"], "weft run has no option --nodse", "did you mean --nodes?"),
        (["--nope"], "weft has no option --nope", "`weft --help`"),
        (["runz"], "weft has no command 'runz'", "did you mean run"),
        (["run", "terasort", "--repeat"], "weft run: --repeat needs a value", "`weft run --help`"),
        (["submit", "--engine", "spark"], "weft submit: PROGRAM is missing", "`weft submit --help`"),
        (["trace", "x", "--jobs", "many"], "weft trace: --jobs: it must be a whole number, not 'many'", "`weft trace --help`"),
        (["ps", "x"], "weft ps: got unexpected extra argument(s) (x)", "`weft ps --help`"),
        (["site", "shwo"], "weft site: no such command 'shwo'. Did you mean 'show'?", "`weft site --help`"),
    ],
)  # fmt: skip
def test_a_wrong_command_line_is_answered_as_any_other_error(
    words: list[str], message: str, hint: str
) -> None:
    error = RUNNER.invoke(app, words).exception
    assert isinstance(error, UsageError)
    assert message in error.message
    assert hint in error.hint


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


def test_settings_of_a_kind_are_listed_in_the_units_that_users_write() -> None:
    found = json.loads(RUNNER.invoke(app, ["settings", "pool", "--json"]).stdout)
    assert {"name": "segment", "default": "1G"}.items() <= found[1].items()
    every = RUNNER.invoke(app, ["settings"]).stdout
    assert re.search(r"start_deadline +90s ", every)
    # brackets of a regular expression are no markup
    assert re.search(r"pattern +ka\[a-z\]\* ", RUNNER.invoke(app, ["settings", "grep"]).stdout)


def test_settings_of_an_unknown_kind_name_the_nearest() -> None:
    error = RUNNER.invoke(app, ["settings", "pol"]).exception
    assert isinstance(error, UsageError)
    assert "'pool'" in error.hint


INTERNAL = re.compile(r"\b(null|own-job|own-sql|persistent)\b")


@pytest.mark.parametrize(
    "words",
    [["settings"], ["settings", "x"], ["run", "x"], ["run", "terasort", "--engine", "x"], ["run", "terasort", "--nodes", "x"],
     ["run", "terasort", "--scratch", "x"], ["run", "terasort", "--service", "x"], ["run", "terasort", "--set", "probes=x"]],
    ids=" ".join,
)  # fmt: skip
def test_internal_kinds_are_in_no_list_of_known_ones(words: list[str]) -> None:
    done = RUNNER.invoke(app, words)
    text = f"{done.stdout}{done.exception}"
    assert "known:" in text or "disk, memory" in text
    assert INTERNAL.search(text) is None, text


def test_ps_and_gc_on_a_clean_machine() -> None:
    for verb, nothing in (("ps", "nothing is running"), ("clean", "nothing was left")):
        done = RUNNER.invoke(app, [verb])
        assert (done.exit_code, nothing in done.stdout) == (0, True)
        assert json.loads(RUNNER.invoke(app, [verb, "--json"]).stdout) == []


def test_clean_says_what_it_removed(tmp_path: Path) -> None:
    left = tmp_path / "left"
    left.mkdir()
    leave(left)
    assert [one["alive"] for one in json.loads(RUNNER.invoke(app, ["ps", "--json"]).stdout)] == [False]
    (would,) = json.loads(RUNNER.invoke(app, ["clean", "--dry-run", "--json"]).stdout)
    assert left.exists(), "a dry run removes nothing"
    (swept,) = json.loads(RUNNER.invoke(app, ["clean", "--json"]).stdout)
    assert swept == {"name": "dead", "removed": [f"directory {left}"], "left": []} == would
    assert not left.exists()


def test_clean_fails_when_something_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leave(tmp_path / "left")
    (tmp_path / "left").mkdir()
    monkeypatch.setattr("weft.host.programs.removal.remove_tree", lambda _: None)
    done = RUNNER.invoke(app, ["clean"])
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
    assert 15 < len(line) <= 60
    assert verbs.load(verb).help.startswith(line)


def test_quiet_leaves_only_results_and_errors_and_verbose_shows_each_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("weft.text.verbosity.CHOSEN.quiet", True)
    monkeypatch.setattr("weft.text.verbosity.CHOSEN.verbose", True)
    for words, quiet, verbose in (
        (["ps"], False, False),
        (["-q", "ps"], True, False),
        (["ps", "-q"], True, False),
        (["ps", "--verbose"], False, True),
    ):
        CHOSEN.quiet = CHOSEN.verbose = False
        assert RUNNER.invoke(app, words).exit_code == 0
        assert (CHOSEN.quiet, CHOSEN.verbose) == (quiet, verbose), words


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.EDQUOT, "make room there, or set WEFT_RUNS to a directory on another disk"),
        (errno.EACCES, "that you own"),
    ],
)
def test_a_full_directory_of_weft_is_not_one_of_another_user(number: int, words: str) -> None:
    """As where a user has as many files as a site allows."""
    error = OSError(number, os.strerror(number), str(settings.runs() / "one" / "logs"))
    found = unforeseen.explained(error)
    assert os.strerror(number).lower() in found.message
    assert words in found.hint


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--port", "8080"], "--port is of --tunnel"),
        (["--tunnel", "--json"], "--json and --tunnel are two answers"),
    ],
)
def test_options_of_connect_that_do_nothing_together_are_refused(words: list[str], message: str) -> None:
    error = RUNNER.invoke(app, ["connect", "mine", *words]).exception
    assert isinstance(error, UsageError)
    assert message in error.message


class Terminal(io.StringIO):
    """Standard error on a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("wish", "coloured"), [("1", False), ("", True)])
def test_an_error_has_no_colour_where_none_is_wanted(
    wish: str, coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", wish)
    monkeypatch.setattr(sys, "stderr", Terminal())
    guard._tell(UsageError("no such run", hint="weft runs"))
    assert ("\x1b[" in sys.stderr.getvalue()) == coloured  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "words", ["plan terasort -N 2", "-q plan terasort -N 2", "-q run terasort --dry-run -N 2"]
)
def test_the_job_script_of_a_plan_runs_what_was_planned(words: str) -> None:
    verb = "-q run" if words.startswith("-q") else "run"
    assert " ".join(outcomes._without_dry_run(words.split())) == f"{verb} terasort -N 2"
