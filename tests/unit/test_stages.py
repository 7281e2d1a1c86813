"""What ./test says about tests that failed."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
import stages


class Runs:
    """Instead of pytest: some tests fail together, and what each does alone."""

    def __init__(self, failed: Sequence[str], alone: int = 0) -> None:
        self.failed, self.alone = failed, alone
        self.again: list[str] = []

    def __call__(self, _: str, argv: Sequence[str], env: Mapping[str, str] | None = None) -> int:
        if env is None:
            self.again.append(argv[-1])
            return self.alone
        Path(env["WEFT_TEST_FAILED"]).write_text("".join(f"{test}\n" for test in self.failed))
        return 1


def ended(runs: Runs, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What the end of ./test says, which failed in any case."""
    monkeypatch.setattr(stages, "run", runs)
    with pytest.raises(SystemExit) as exited:
        stages.pytest("unit tests", ["tests/unit"])
    assert exited.value.code == 1
    return capsys.readouterr().err.splitlines()


@pytest.mark.parametrize(
    ("alone", "says"),
    [(0, "fails only together with others: a defect of the test"), (1, "fails alone too")],
)
def test_a_test_that_failed_fails_all_and_is_run_alone_only_to_say_what_it_does_then(
    alone: int, says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failed = ["test_a.py::test_a", "test_b.py::test_b"]
    runs = Runs(failed, alone)
    lines = ended(runs, monkeypatch, capsys)
    assert runs.again == failed
    assert lines[-2:] == [f"== FAILED: {test} {says}" for test in failed]


def test_many_that_failed_are_not_run_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = Runs([f"test_a.py::test_{number}" for number in range(stages.FEW + 1)])
    assert ended(runs, monkeypatch, capsys)[-1].startswith("== FAILED: unit tests (exit code 1)")
    assert runs.again == []
