"""What is shown while a run goes: forward only, and whole lines where nobody looks."""

from io import StringIO

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from weft.run.progress import Progress


@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 1000)), min_size=1))
def test_progress_only_moves_forward_and_is_never_all_before_the_end(counts: list[tuple[int, int]]) -> None:
    progress, shown = Progress(Console(file=StringIO())), []
    with progress.phase("run"):
        for done, total in counts:
            progress.fraction(done, total)
            shown.append(int(progress.detail.removesuffix(" %")))
    assert shown == sorted(shown)
    assert shown[-1] < 100


def test_each_phase_begins_at_nothing() -> None:
    progress = Progress(Console(file=StringIO()))
    for _ in range(2):
        with progress.phase("run"):
            assert (progress.detail, progress.share) == ("", 0)
            progress.fraction(9, 10)


def test_a_line_is_not_wrapped_where_there_is_no_terminal() -> None:
    out = StringIO()
    Progress(Console(file=out)).say("a word " * 60)
    assert out.getvalue().count("\n") == 1
