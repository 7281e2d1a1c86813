"""IO500's result_summary.txt: both of its forms, and damaged ones."""

import json
import random
from pathlib import Path

import pytest

from tests.unit import damage
from weft.api import machines
from weft.cli.calibrate import calibrate
from weft.errors import UsageError
from weft.facts.io500 import summary
from weft.facts.io500.phases import CREATE, PHASES, READ_IN_ONE
from weft.report.sections import ceilings

RATES = {phase: 10.5 + number for number, phase in enumerate(PHASES)}
"""In IO500's units."""


def lines(old: bool) -> list[str]:
    """The results as the present program writes them, or as the script before it did."""
    found = []
    for number, (phase, (unit, _)) in enumerate(PHASES.items(), 1):
        if old:
            group, older = ("BW  ", "GB/s") if unit == "GiB/s" else ("IOPS", "kiops")
            name = phase.replace("-", "_")
            found.append(
                f"[RESULT] {group} phase {number} {name:>25} {RATES[phase]:20.3f} {older} : time 300.12 seconds"
            )
        else:
            found.append(f"[RESULT] {phase:>20} {RATES[phase]:15.6f} {unit} : time 300.123 seconds")
    return found


def text(old: bool = False) -> str:
    if old:
        return "\n".join([*lines(old), "[SCORE] Bandwidth 13.4 GB/s : IOPS 27.7 kiops : TOTAL 19.2\n"])
    first = [
        "IO500 version io500-sc25 (standard)",
        "[      ]  timestamp  0.000000 kIOPS : time 0.000 seconds",
    ]
    return "\n".join([*first, *lines(old), "[SCORE ] Bandwidth 13.4 GiB/s : IOPS 27.7 kiops : TOTAL 19.2\n"])


@pytest.mark.parametrize("old", [False, True])
def test_both_forms_have_the_same_figures(old: bool) -> None:
    found = summary.read(text(old), "r.txt")
    assert found.rates[CREATE] == pytest.approx(RATES[CREATE] * 1000)
    assert found.rates["ior-easy-write"] == pytest.approx(RATES["ior-easy-write"] * 2**30)
    assert (set(found.rates), found.notes) == (set(PHASES), ())
    assert found.version == ("" if old else "io500-sc25 (standard)")


@pytest.mark.parametrize(
    ("old", "new"), [("[RESULT] ", "[RESULT-invalid] "), ("300.123 seconds", "300.123 seconds [INVALID]")]
)
def test_results_that_io500_itself_calls_invalid_are_read_and_named(old: str, new: str) -> None:
    found = summary.read(text().replace(old, new, 1), "r.txt")
    assert found.rates[CREATE] == pytest.approx(RATES[CREATE] * 1000)
    assert found.notes == (f"IO500 marks as invalid: {CREATE}",)


WRONG = [
    ("", "r.txt is no result_summary.txt of IO500: no line has a result"),
    ("\x00\x05\x16\x07Mac OS X", "no line has a result"),
    (text().replace("kIOPS : time 300.123 seconds", "kIOPS", 1), "line 3 is damaged"),
    (text().replace("10.500000", "1O.5", 1), "line 3 is damaged: the rate '1O.5' is none"),
    (text().replace("10.500000", "nan", 1), "the rate 'nan' is none"),
    (text().replace("10.500000", "-1", 1), "the rate '-1' is none"),
    (text().replace(" kIOPS", " ops", 2), "the unit 'ops' is none"),
    (text() + lines(old=False)[0].replace("10.5", "11.5"), "mdtest-easy-write is there twice"),
    ("[RESULT]\x1b[2J\n", "line 1 is damaged: '.RESULT.\\?.2J'"),
]


@pytest.mark.parametrize(("damaged", "words"), WRONG)
def test_what_is_damaged_is_named(damaged: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        summary.read(damaged, "r.txt")
    assert len(caught.value.message.splitlines()) == 1


@pytest.mark.parametrize("old", [False, True])
def test_any_damage_is_a_sentence(old: bool) -> None:
    whole, chance, lengths = text(old).encode(), random.Random(1), []
    for _ in range(2000):
        try:
            summary.read(damage.bytes_of(whole, chance).decode(errors="replace"), "r.txt")
        except UsageError as error:
            lengths.append(len(error.message.splitlines()))
    assert {*lengths} == {1}
    assert 200 < len(lengths) < 2000


def test_a_file_that_ends_early_has_no_other_figures() -> None:
    whole = summary.read(text(), "r.txt").rates
    for length in range(len(text())):
        try:
            found = summary.read(text()[:length], "r.txt")
        except UsageError:
            continue
        assert found.rates.items() <= whole.items()


def test_what_is_missing_or_invalid_is_noted() -> None:
    some = "\n".join(one for one in lines(old=False) if "find" not in one and "hard-stat" not in one)
    more = "\n[RESULT] mdworkbench-bench 1.0 kIOPS : time 3.0 seconds\n"
    marked = some.replace("seconds", "seconds [INVALID]", 1)
    assert summary.read(marked + more, "r.txt").notes == (
        "not measured: mdtest-hard-stat, find",
        "not used: mdworkbench-bench",
        "IO500 marks as invalid: mdtest-easy-write",
    )


@pytest.fixture
def result(tmp_path: Path) -> Path:
    path = tmp_path / "result_summary.txt"
    path.write_text(text())
    return path


def test_a_result_is_printed_and_predicted_on(result: Path, capsys: pytest.CaptureFixture[str]) -> None:
    calibrate(import_=result)
    shown = capsys.readouterr().out
    assert "10.500" in shown
    assert f"--machine {result}" in shown.replace("\n", "")
    found = machines.of_name(str(result)).storages["mount"]
    assert found.rate == 10_500
    assert found.latency == pytest.approx(500e-6)
    calibrate(import_=result, as_json=True)
    assert json.loads(capsys.readouterr().out)["values"]["metadata.rate"]["value"] == 10_500


def test_processes_are_read_from_mdtests_own_output(result: Path) -> None:
    before = machines.of_name(str(result)).storages["mount"].latencies
    words = "mdtest-4.1.0+dev was launched with 640 total task(s) on 80 node(s)\n"
    result.with_name("mdtest-easy-write.txt").write_text(words)
    after = machines.of_name(str(result)).storages["mount"]
    assert after.latencies[1] == pytest.approx(640 / 10_500 / 2)
    assert after.latencies[1] > before[1]
    assert after.client_bandwidth < machines.of_name("io500:helios").storages["mount"].client_bandwidth


def test_a_result_without_what_a_prediction_needs_is_an_error(result: Path, tmp_path: Path) -> None:
    result.write_text("\n".join(one for one in lines(old=False) if READ_IN_ONE not in one))
    with pytest.raises(UsageError, match=f"has no rate of {READ_IN_ONE}"):
        calibrate(import_=result)
    with pytest.raises(UsageError, match="is not readable"):
        calibrate(import_=tmp_path / "none.txt")
    (tmp_path / "large.txt").write_bytes(b"x" * (2 << 20))
    with pytest.raises(UsageError, match="is not readable"):
        calibrate(import_=tmp_path / "large.txt")
    with pytest.raises(UsageError, match="--import measures nothing"):
        calibrate(import_=result, nodes="local:2")


def test_only_the_same_calls_have_ios_names() -> None:
    assert {*ceilings.AS_IO500} == {
        "mdtest-easy-write",
        "mdtest-easy-delete",
        "ior-easy-write",
        "ior-easy-read",
    }
