"""A dose of one thing in a function of Dask or of Ray: its part follows, and the others stay."""

from pathlib import Path

import pytest

from tests.local.conftest import Weft
from tests.needs import DELAYED, VIRTUAL, needs
from tests.truth.doses import require_part_follows
from tests.truth.taskdoses import DOSES

pytestmark = [pytest.mark.long, needs(*VIRTUAL, *DELAYED)]


@pytest.mark.parametrize("name", DOSES)
def test_the_part_follows_its_dose_and_no_other_does(name: str, weft: Weft, tmp_path: Path) -> None:
    require_part_follows(DOSES[name], weft, tmp_path)
