"""What benchmarks share: which of several variants is first."""

import runpy

from weft.host import settings

BENCH = runpy.run_path(str(settings.SOURCE / "bench" / "commands.py"))


def test_which_variant_is_first_changes_with_each_repetition() -> None:
    orders = [BENCH["alternated"](["this", "other"], repeat) for repeat in (-1, 0, 1, 2)]
    assert orders == [["other", "this"], ["this", "other"], ["other", "this"], ["this", "other"]]


def test_the_only_variant_is_first_always() -> None:
    assert BENCH["alternated"](("this",), 1) == ["this"]
