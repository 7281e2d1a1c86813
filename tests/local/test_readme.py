"""Every command that the README and the guides show works as shown."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.documents import README, ROOT, RUN_BY, commands
from tests.local.conftest import Weft
from tests.needs import DELAYED, NATIVE, TIMELY, VIRTUAL, needs

NEEDED = {
    "docs/guide/calibrate.md": (*VIRTUAL, *DELAYED),
    "docs/guide/explain.md": VIRTUAL,
    "docs/guide/flink.md": VIRTUAL,
    "docs/guide/hadoop.md": VIRTUAL,
    "docs/guide/hdfs.md": VIRTUAL,
    "docs/guide/scratch.md": DELAYED,
    "docs/guide/slow-on-lustre.md": (*VIRTUAL, *NATIVE, *DELAYED),
    "docs/guide/submit.md": (*VIRTUAL, *NATIVE),
    "docs/guide/dask.md": (*VIRTUAL, *NATIVE),
    "docs/guide/ray.md": (*VIRTUAL, *NATIVE),
    "docs/guide/one-node.md": VIRTUAL,
    "docs/guide/timely.md": (*VIRTUAL, *TIMELY),
    "examples/README.md": (*VIRTUAL, *NATIVE),
}
"""By document: what its commands need besides an engine."""
DOCUMENTS = [
    pytest.param(name, marks=() if name == "README.md" else [pytest.mark.long, needs(*NEEDED.get(name, ()))])
    for name, test in RUN_BY.items()
    if test == README
]
ITSELF = "./test"
"""Shown too, and what runs this; that its stages exist is checked instead."""


@pytest.mark.parametrize("document", DOCUMENTS)
def test_each_command_works_in_the_order_shown(document: str, tmp_path: Path) -> None:
    environment = Weft(tmp_path).environment
    assert commands(document)
    for command in commands(document):
        if command == ITSELF:
            continue
        done = subprocess.run(
            shlex.split(command, comments=True),
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
