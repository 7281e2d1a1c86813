"""The numbers of nodes that `weft predict` is asked for, and how they are shown."""

from dataclasses import replace

import pytest

from tests.unit.prediction_jobs import groupby
from tests.unit.test_prediction_report import MACHINE, on_lustre
from weft.analysis.predict import prediction
from weft.analysis.predict.machine import Machine
from weft.analysis.predict.prediction import Scenario
from weft.api.predictions import counts
from weft.errors import UsageError
from weft.report.pages import prediction as prediction_page


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


def test_one_node_is_no_plural() -> None:
    run = on_lustre(groupby(tasks=1, slots=1))
    found = prediction.predict(run, MACHINE, Scenario(MACHINE, [1]))
    assert found.curves[0].sentence.startswith("fastest on 1 node: ")
    assert "on 1 node x 1 core. " in prediction_page.trust(found)


def test_a_prediction_names_what_was_fitted_to_the_runs_that_test_it() -> None:
    run = on_lustre(groupby(tasks=1, slots=1))
    found = prediction.predict(run, MACHINE, Scenario(MACHINE, [1]))
    tested = found.model_copy(update={"left_out": 2, "left_out_error": 0.1})
    text = prediction_page.trust(tested)
    assert "predicted as a test: 2, with a median error of 10 %" in text
    assert "The share of warm-up may be fitted to the same runs, so that others may be further off." in text
    assert "warm-up" not in prediction_page.trust(found)


def test_more_nodes_on_the_same_cpus_than_were_measured_have_a_note() -> None:
    run = on_lustre(groupby(tasks=1, slots=1))
    shared = replace(MACHINE, processors=2)

    def doubted(machine: Machine, nodes: int) -> bool:
        notes = prediction.predict(run, shared, Scenario(machine, [nodes])).notes
        return any("nodes share one machine's CPUs" in note for note in notes)

    assert doubted(shared, 2)
    assert not doubted(shared, 1)
    assert not doubted(MACHINE, 2)
