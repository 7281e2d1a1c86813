"""What `weft advise` says where nothing is predicted."""

from pathlib import Path

import pytest

from tests.unit.report_fakes import make_record
from weft.analysis.explain.timeparts import Suggestion
from weft.analysis.summary.gather import summarize
from weft.api import advice


def test_a_benchmarks_program_is_not_the_users_where_nothing_is_predicted_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(advice, "MOST_TASKS", 0)
    stored = make_record(tmp_path / "run")
    program = Suggestion(part="no task: driver", change="fewer stages", gain=0.3, program=True)
    explained = summarize(stored).explanation
    assert explained is not None
    found = advice.of(stored, explained.model_copy(update={"findings": (program,)}))
    assert found.notes[0].startswith("nothing was predicted")
    assert (found.own, found.first) == (False, None)
