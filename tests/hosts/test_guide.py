"""Every command that the guide to Slurm shows works as shown, on a real Slurm, and ends in a report."""

import json
import shlex
import subprocess

import pytest

from tests.documents import ROOT, commands
from tests.hosts.conftest import SiteWeft


@pytest.mark.long
def test_the_guide_to_slurm_ends_in_a_report(weft: SiteWeft) -> None:
    shown = commands("docs/guide/on-slurm.md")
    assert any("salloc" in command for command in shown)
    for command in shown:
        done = subprocess.run(
            shlex.split(command),
            cwd=ROOT,
            env=weft.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        assert done.stdout, f"{command} says nothing"
    records = sorted((weft.home / "runs").glob("2*"))
    assert len(records) >= 2
    assert all((record / "report.html").exists() for record in records)
    for record in records[:2]:  # from the login node, and inside an allocation
        assert json.loads((record / "record.json").read_text())["verdict"] == "VALID"
        daemons = json.loads((record / "plan" / "commands.json").read_text())
        assert {daemon["node"] for daemon in daemons} == {"n1", "n2", "n3"}
