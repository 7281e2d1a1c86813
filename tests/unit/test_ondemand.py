"""The template for Open OnDemand: its scripts are shell, and its weft commands exist."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.documents import ROOT
from weft.cli.verbs import load

APP = ROOT / "examples" / "ondemand"
VALUES = {"context.scratch.to_s.shellescape": "memory", "context.nodes.to_i": "2"}


def rendered(path: Path) -> str:
    """With a user's choices; an expression that is not among them fails."""
    return re.sub(r"<%= (.+?) %>", lambda found: VALUES[found[1]], path.read_text())


@pytest.mark.parametrize("name", ["before.sh.erb", "script.sh.erb"])
def test_a_script_is_one_that_bash_reads(name: str) -> None:
    done = subprocess.run(
        ["bash", "-n"], input=rendered(APP / "template" / name), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_its_commands_of_weft_have_options_that_exist() -> None:
    text = rendered(APP / "template" / "script.sh.erb").replace(
        '${scratch:+--scratch "$scratch"}', "--scratch memory"
    )
    found = re.findall(r"^(?:trap ')?weft (.+?)(?:' EXIT)?$", text, re.MULTILINE)
    assert [shlex.split(line)[0] for line in found] == ["up", "down", "exec"]
    for line in found:
        verb, *words = shlex.split(line)
        load(verb).make_context(verb, words)


def test_what_the_script_uses_is_chosen_in_the_form() -> None:
    form = (APP / "form.yml").read_text()
    used = re.findall(r"context\.(\w+)", (APP / "template" / "script.sh.erb").read_text())
    assert used
    assert [name for name in used if f"  - {name}\n" not in form] == []


def test_the_password_is_on_no_command_line_and_the_server_on_one_address() -> None:
    text = (APP / "template" / "script.sh.erb").read_text()
    assert 'passwd("${password}")' in text
    assert not re.search(r"^(weft|jupyter).*password", text, re.MULTILINE)
    assert "umask 077" in text
    assert "0.0.0.0" not in text
