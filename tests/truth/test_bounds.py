"""A bound against the run without the part: never beaten beyond the noise, and near it where the part is large."""

import pytest

from tests.local.conftest import Weft
from tests.needs import DELAYED, JAVA, VIRTUAL, needs
from tests.truth.answers import explained
from tests.truth.pairs import EQUAL, PAIRS, compared, measured

pytestmark = [pytest.mark.long, *[needs(*VIRTUAL, *JAVA, *DELAYED)]]

NOISE = 0.15
ROUNDS = 3


@pytest.mark.parametrize("part", PAIRS)
def test_the_bound_is_near_the_run_without_the_part(part: str, weft: Weft) -> None:
    found = compared(part, [measured(part, weft) for _ in range(ROUNDS)])
    assert found.real <= found.bound * (1 + NOISE)
    if found.share > 0.2:
        assert found.real >= found.expected * (1 - NOISE)


def test_equal_runs_have_equal_answers(weft: Weft) -> None:
    first, second = (explained(weft, *EQUAL) for _ in range(2))
    assert first.largest_of_tasks() == second.largest_of_tasks()
    for name in first.by_part.keys() | second.by_part.keys():
        shares = [each.by_part.get(name, 0.0) / each.slot_time for each in (first, second)]
        assert shares[0] == pytest.approx(shares[1], abs=0.1), name
