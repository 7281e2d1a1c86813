"""No rule of a study enters with its results: it was committed before the runs that it is applied to."""

import re
import subprocess
from pathlib import Path

import pytest
from figures import rows
from figures.tables import studies

from weft.host import settings

WITH_ROWS = sorted(
    path.parent.name
    for path in (settings.SOURCE / "studies").glob("*/expected.toml")
    if rows.read(path.parent.name)
)


def git(*arguments: str, folder: Path = settings.SOURCE) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def newest_line(file: str, folder: Path = settings.SOURCE) -> dict[str, str]:
    """By rule of an expected.toml: the commit of its line that was changed last."""
    blame = git("blame", "--line-porcelain", "HEAD", "--", file, folder=folder)
    when: dict[str, int] = {}
    found: dict[str, str] = {}
    name = ""
    for block in re.split(r"^(?=[0-9a-f]{40} )", blame, flags=re.MULTILINE)[1:]:
        commit, text = block[:40], block.partition("\n\t")[2].rstrip("\n")
        at = int(re.search(r"^committer-time (\d+)$", block, re.MULTILINE)[1])  # type: ignore[index]
        if text == "[[rule]]":
            name = ""
        elif match := re.match(r'name = "(.+)"', text):
            name = match[1]
        if name and text and not text.startswith("#") and at >= when.get(name, 0):
            when[name], found[name] = at, commit
    return found


def is_before(rule: str, run: str, folder: Path = settings.SOURCE) -> bool:
    """Whether the commit of a run has that of a rule, or is it."""
    argv = ["git", "-C", str(folder), "merge-base", "--is-ancestor", rule, run.rstrip("+")]
    return subprocess.run(argv, check=False).returncode == 0


@pytest.mark.parametrize("study", WITH_ROWS)
def test_a_rule_was_committed_before_the_runs_that_it_is_applied_to(study: str) -> None:
    if git("rev-parse", "--is-shallow-repository").strip() != "false":
        pytest.skip("a checkout without its history")
    entered = newest_line(f"studies/{study}/expected.toml")
    commits = {str(row["commit"]) for row in rows.read(study)}
    late = [
        rule.name
        for rule in studies.expected(study).rules
        if not all(is_before(entered[rule.name], commit) for commit in commits)
    ]
    assert late == [], "run the study again: these rules are newer than its runs"


def test_a_rule_that_enters_with_its_results_is_found(tmp_path: Path) -> None:
    git("init", "-q", folder=tmp_path)
    file = tmp_path / "expected.toml"
    about = ("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-a", "-m", "x")
    file.write_text('[[rule]]\nname = "first"\nat_least = 1\n')
    git("add", ".", folder=tmp_path)
    git(*about, folder=tmp_path)
    run = git("rev-parse", "HEAD", folder=tmp_path).strip()
    file.write_text(file.read_text() + '\n[[rule]]\nname = "second"\nat_least = 1\n')
    git(*about, folder=tmp_path)
    entered = newest_line("expected.toml", tmp_path)
    assert [is_before(entered[name], run, tmp_path) for name in ("first", "second")] == [True, False]
    file.write_text(file.read_text().replace("at_least = 1\n\n", "at_least = 2\n\n"))
    git(*about, folder=tmp_path)
    changed = newest_line("expected.toml", tmp_path)
    assert not is_before(changed["first"], run, tmp_path), "a bound that is changed afterwards"
