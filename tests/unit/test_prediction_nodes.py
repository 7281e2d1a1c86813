"""The numbers of nodes that `weft predict` is asked for."""

import pytest

from weft.api.predictions import counts
from weft.errors import UsageError


@pytest.mark.parametrize(
    ("text", "found"),
    [("2..320", [2, 4, 8, 16, 32, 64, 128, 256, 320]), ("4,2", [2, 4]), ("3..3", [3]), ("1..2", [1, 2])],
)
def test_numbers_of_nodes(text: str, found: list[int]) -> None:
    assert counts(text) == found


@pytest.mark.parametrize(
    "text", ["", "0", "4..2", "0..3", "2-4", "1,,2", "1..9999999999", "00,4", "2,9999999999"]
)
def test_wrong_numbers_of_nodes_are_errors(text: str) -> None:
    with pytest.raises(UsageError, match="--nodes"):
        counts(text)
