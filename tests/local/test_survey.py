"""A survey of this machine, and a plain run that uses what it chose."""

import json
import os
from pathlib import Path

import pytest

from tests.local.conftest import Weft

pytestmark = pytest.mark.long
SURVEY = ("survey", "--nodes", "local:1,cores=1", "--scratch", "pool,memory", "--jobs", "many small blocks")


def test_a_survey_ends_in_a_profile_that_a_plain_run_uses(weft: Weft) -> None:
    first = weft(*SURVEY)
    assert first.returncode == 0, first.stderr
    assert "6 runs: about" in first.stderr
    site = Path(os.environ["WEFT_SITE"])
    assert 'default = "pool"' in site.read_text()
    again = weft(*SURVEY)
    assert "0 runs: about" in again.stderr
    assert again.stderr.count("done earlier") == 6
    small = ("--set", "mappers=2", "--set", "pairs=10")
    ran = weft("run", "groupby", "--nodes", "local:1,cores=1", *small, "--json")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["scratch"].startswith("pool")
    assert "scratch pool: the default of" in ran.stderr
