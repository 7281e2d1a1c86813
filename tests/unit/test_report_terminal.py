"""What is printed of a record: texts of others as they are."""

import io
from pathlib import Path

from rich.console import Console

from tests.unit.report_fakes import make_record
from weft.analysis.summary.gather import summarize
from weft.report.pages import terminal


def test_backslashes_of_a_log_are_as_many_as_in_the_log(tmp_path: Path) -> None:
    lines = ["rlike \\[0-9]+ [a]", "spark-submit \\"]
    stored = make_record(tmp_path / "run", head={"verdict": "INVALID", "reason": "no \\[", "tail": lines})
    out = Console(width=160, record=True, file=io.StringIO())
    terminal.show(summarize(stored), out)
    shown = [line.strip() for line in out.export_text().splitlines()]
    assert {*lines, "no \\[."} <= {*shown}
