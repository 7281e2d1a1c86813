"""A dose of one thing in a function of Dask or of Ray: its part follows, and the others stay."""

from pathlib import Path

import pytest

from tests.local.conftest import Weft
from tests.needs import DELAYED, VIRTUAL, needs
from tests.truth.doses import moved, slope
from tests.truth.taskdoses import DOSES

pytestmark = [pytest.mark.long, needs(*VIRTUAL, *DELAYED)]

STAYS = 0.03
"""Share of slot time by which another part may change."""


@pytest.mark.parametrize("name", DOSES)
def test_the_part_follows_its_dose_and_no_other_does(name: str, weft: Weft, tmp_path: Path) -> None:
    dose = DOSES[name]
    found = [dose.measure(weft, each, tmp_path) for each in dose.doses]
    line = slope(found, dose.part)
    assert abs(line.value - 1) <= dose.tolerance + 2 * (line.error or 0.0), [
        (m.given, m.answer.seconds(dose.part)) for m in found
    ]
    others = moved(found, dose.part, dose.follows)
    assert all(abs(share) < STAYS for share in others.values()), others
