"""What `weft run` prints at its end, and in which order."""

import sys
from pathlib import Path

import pytest

from tests.unit.report_fakes import make_record
from weft.cli import printing
from weft.record.record import Stored


def test_an_outcome_is_printed_before_its_page_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stored, before = make_record(tmp_path / "one"), []
    monkeypatch.setenv("WEFT_RUNS", str(tmp_path))
    summary_of = printing.summary_of

    def noted(*args: Stored, **how: list[Stored]) -> object:
        before.append(capsys.readouterr().out)
        return summary_of(*args, **how)

    monkeypatch.setattr(printing, "summary_of", noted)
    printing.tell([stored], as_json=False)
    assert [out.splitlines()[0].split()[0] for out in before] == [stored.verdict]
    assert capsys.readouterr().out.splitlines()[-1] == f"  report {stored.directory / 'report.html'}"


def test_each_record_has_its_page_also_if_nobody_reads_the_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = [make_record(tmp_path / name) for name in ("one", "two")]
    monkeypatch.setenv("WEFT_RUNS", str(tmp_path))

    class Closed:
        def write(self, text: str) -> int:
            raise BrokenPipeError(text)

        def flush(self) -> None:
            pass

    monkeypatch.setattr(sys, "stdout", Closed())
    with pytest.raises(BrokenPipeError):
        printing.tell(results, as_json=False)
    assert all((each.directory / "report.html").exists() for each in results)
