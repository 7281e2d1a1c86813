"""Every command that the README and the guide show works as shown."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.local.conftest import Weft
from tests.needs import DELAYED, needs

ROOT = Path(__file__).parents[2]
DOCUMENTS = [
    "README.md",
    pytest.param("docs/guide/first-run.md", marks=pytest.mark.long),
    pytest.param("docs/guide/scratch.md", marks=[pytest.mark.long, needs(*DELAYED)]),
]
ITSELF = "./test"
"""Shown too, and what runs this; that its stages exist is checked instead."""


def commands(document: str) -> list[str]:
    """The lines of the document's sh blocks."""
    blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / document).read_text(), re.DOTALL | re.MULTILINE)
    return [line for block in blocks for line in block.splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_each_command_works_in_the_order_shown(document: str, tmp_path: Path) -> None:
    environment = Weft(tmp_path).environment
    assert commands(document)
    for command in commands(document):
        if command == ITSELF:
            continue
        done = subprocess.run(
            shlex.split(command),
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=580,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        assert done.stdout, f"{command} says nothing"


def test_the_stages_that_contributing_names_exist() -> None:
    named = re.findall(r"`\./test (\w+)`", (ROOT / "CONTRIBUTING.md").read_text())
    assert len(named) >= 6
    done = subprocess.run([ROOT / "test", "no-such-stage"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert [stage for stage in named if stage not in done.stderr] == []
