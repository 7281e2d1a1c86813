"""A dose of one thing, and the response of each part: the slope of the right one is 1, the others stay."""

from pathlib import Path

import pytest

from tests.local.conftest import Weft
from tests.needs import DELAYED, JAVA, VIRTUAL, needs
from tests.truth.doses import DOSES, require_part_follows

pytestmark = [pytest.mark.long, *[needs(*VIRTUAL, *JAVA, *DELAYED)]]


@pytest.mark.parametrize("name", DOSES)
def test_the_part_follows_its_dose_and_no_other_does(name: str, weft: Weft, tmp_path: Path) -> None:
    found = require_part_follows(DOSES[name], weft, tmp_path)
    if name != "link":
        assert all(each.answer.seconds("network") == 0 for each in found), "a job on one node has no network"
