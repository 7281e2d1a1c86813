"""What is predicted from runs whose result nobody checked, from those that failed, and from persistent clusters."""

from dataclasses import replace

import pytest

from tests.unit.prediction_jobs import groupby
from tests.unit.report_fakes import make_record
from tests.unit.test_prediction_report import HERE, MACHINE, on_lustre
from weft.analysis.predict import advice, prediction, projection
from weft.analysis.predict.prediction import Scenario
from weft.analysis.predict.projection import Recorded
from weft.api import growing, related
from weft.errors import UsageError
from weft.host import settings
from weft.record.record import Stored
from weft.report.pages import prediction as page


def record(name: str, **head: object) -> Stored:
    return make_record(settings.runs() / name, head={"host": "a", **head})


def notes(recorded: Recorded, *tests: Recorded) -> tuple[str, ...]:
    return prediction.predict(recorded, HERE, Scenario(HERE, [2], ["memory"]), tests).notes


def test_a_job_that_nobody_checked_is_predicted_and_the_prediction_says_so() -> None:
    found = notes(projection.read(record("unchecked", verdict="UNCHECKED")))
    assert found[0] == "the result of unchecked was not checked: it may have done less than the work"
    assert not any("checked" in note for note in notes(projection.read(record("valid"))))


def test_a_correction_by_runs_that_nobody_checked_names_them() -> None:
    one = projection.read(record("one"))
    twice, again = (replace(one, name=name, checked=False) for name in ("twice", "again"))
    found = notes(one, replace(one, name="checked"), twice, again)
    assert "of the other runs, nobody checked the result of twice, again" in found
    found = notes(one, replace(twice, spec={**one.spec, "workload": {"kind": "pi"}}))
    assert not any("checked" in note for note in found)


def test_advice_on_a_run_that_nobody_checked_says_so() -> None:
    one = replace(on_lustre(groupby()), checked=False)
    assert advice.advise(one, "/runs/run", MACHINE).notes[0].startswith("the result of run was not checked")
    faster = replace(
        one, name="other", work=replace(one.work, engine="flink", wall=one.work.wall / 2), checked=False
    )
    (line,) = [
        line
        for found in [advice.advise(replace(one, checked=True), "/runs/run", MACHINE, [faster])]
        for line in (*found.lines, *found.uncertain)
        if line.family == "engine"
    ]
    assert line.counter.endswith(", and its result was not checked")


@pytest.mark.parametrize("verdict", ["INVALID", "RUNNING"])
def test_a_run_that_failed_or_was_cut_off_neither_is_predicted_nor_corrects(verdict: str) -> None:
    one, other = record("one"), record("other", verdict=verdict, pid=1, pid_start="")
    assert related.of(one, ("workload", "engine", "host")) == []
    with pytest.raises(UsageError, match="its time says nothing of a run that succeeds"):
        growing.read(other)


def test_a_persistent_cluster_lasts_until_somebody_ends_it_and_is_not_predicted() -> None:
    with pytest.raises(UsageError, match="a persistent cluster lasts until") as refused:
        growing.of({"kind": "persistent", "name": "mine"}, "spark")
    assert "weft run --to" in refused.value.hint


def test_a_page_has_the_note() -> None:
    found = projection.read(record("unchecked", verdict="UNCHECKED"))
    text = page.page(prediction.predict(found, HERE, Scenario(HERE, [2], ["memory"])))
    assert "was not checked" in text
