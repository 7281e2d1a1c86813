"""Tables of rows of evidence: what they calculate from them."""

from typing import Any

import pytest
from figures import scores, tables
from figures.rows import Row

WHERE = {"time": "2026-11-24T10:00:00+0000", "commit": "abc1234", "machine": "2 cores", "load": 0.1}


def shown(name: str, *rows: Row) -> list[str]:
    return tables.TABLES[name].lines([{**WHERE, "verdict": "VALID", **row} for row in rows])


def test_students_quantiles_are_those_of_tables() -> None:
    wanted = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 10: 2.228, 30: 2.042}
    assert {free: round(scores.student(free), 3) for free in wanted} == wanted


def test_a_slope_through_three_points_is_known_badly() -> None:
    found = scores.slope([0, 1, 2], [0, 1.1, 1.9])
    assert (found.error, found.half) == (pytest.approx(0.0866, abs=1e-4), pytest.approx(1.10, abs=0.01))
    assert scores.slope([0, 1], [0, 1]).half is None


def test_an_error_that_is_the_same_at_each_dose_is_in_what_the_line_has_at_none() -> None:
    found = scores.slope([1, 2, 4], [0.5, 1.5, 3.5])
    assert (found.value, found.base) == (pytest.approx(1), pytest.approx(-0.5))
    three = scores.slope([0, 1, 2], [0, 1.1, 1.9])
    assert (three.base, three.base_half) == (pytest.approx(0.05), pytest.approx(1.42, abs=0.01))
    assert scores.slope([0, 1], [1, 2]).base_half is None


def test_a_share_of_hits_is_known_as_clopper_and_pearson_say() -> None:
    assert scores.held(29, 30) == (pytest.approx(0.8278, abs=1e-4), pytest.approx(0.9992, abs=1e-4))
    assert scores.held(0, 10)[0] == 0
    assert scores.held(10, 10)[1] == 1


def test_a_wide_interval_scores_worse_than_a_narrow_one_and_a_miss_worse_than_both() -> None:
    narrow, wide, missed = (
        scores.interval_score(low, high, real, 0.9)
        for low, high, real in ((9, 11, 10), (5, 20, 10), (9, 11, 15))
    )
    assert narrow < wide < missed


def dose(cell: str, given: float, found: float) -> dict[str, Any]:
    parts = {"metadata: scratch": found, "CPU": 5.0 + found / 10, "run-queue wait": found / 2}
    about = {"what": "delay", "unit": "us", "part": "metadata: scratch"}
    return {
        "name": "metadata",
        "kind": "dose",
        "cell": cell,
        "repeat": 0,
        "given": given,
        "slots": 1,
        "wall": 20.0,
        "parts": parts,
        **about,
    }


def test_a_dose_has_its_slope_and_what_else_changed_with_it() -> None:
    table = shown("doses", dose("0", 0, 0), dose("500", 1, 1.1), dose("1000", 2, 1.9))
    line = table[2]
    assert "0.950 ± 1.100 | 0.05 ± 1.42 |" in line
    assert line.endswith("| `CPU` +1.0 % | `run-queue wait` +4.8 % |")
    assert table[-1] == "`network` was a part in 0 of 3 runs on one node."
    wrong = dose("1000", 2, 2) | {"parts": {"network": 1.0}}
    assert shown("doses", dose("0", 0, 0), wrong)[-1] == "`network` was a part in 1 of 2 runs on one node."


def cell(number: int, predicted: float, real: float, nearest: float, **more: Any) -> dict[str, Any]:
    point = {"seconds": predicted, "low": predicted / 1.2, "high": predicted * 1.2, "factor": 2}
    where = {"from": "groupby", "mappers": number}
    return {
        "kind": "cell",
        "key": str(where),
        "cell": where,
        "predicted": point,
        "nearest": {"run": "r", "seconds": nearest},
        "ernest": {"runs": 4, "seconds": 2 * real},
        "seconds": real,
        "seed": 7,
        "refused": 2,
        **more,
    }


def test_predictions_are_scored_with_their_width_and_next_to_the_nearest_run() -> None:
    lines = shown("unseen", cell(1, 10, 10, 8), cell(2, 20, 20, 10), cell(3, 30, 60, 12))
    assert lines[6].startswith(
        "Drawn besides, and refused by weft: 2 cells. Cells whose run failed: 0. The 90 % intervals would hold 9% to 99% of"
    )
    assert lines[2].startswith("| 7 | `weft predict` | ")
    model, nearest, ernest = (line.partition(" | ")[2].split(" | ") for line in lines[2:5])
    assert model[1:6] == ["0%", "1.80", "2.00", "2 of 3", "1.44"]
    assert float(model[6].strip(" |")) == pytest.approx((3 * 0.3646 + 20 * 0.5108) / 3, abs=0.01)
    assert nearest[1] == "50%"
    assert ernest[0].startswith("Ernest's four terms")
    assert ernest[1:6] == ["100%", "2.00", "2.00", "90% by choice", "4.00"]
    assert "| groupby | 0%, 2 of 3, 1.00 |" in lines
    assert lines[-1] == "| groupby, mappers `3` | 7 | 30.0 | 25.0 to 36.0 | 12.0 | 60.0 | -50 % |"


def test_each_draw_is_scored_alone_with_its_failed_cells_and_those_of_earlier_draws() -> None:
    first, later = [cell(number, 10, 10, 8) for number in (1, 2)], {"seed": 8, "refused": 0}
    failed: dict[str, Any] = {"kind": "failed", "key": "x", "cell": {"from": "groupby"}, "seed": 8}
    second = [cell(1, 10, 10, 8, **later), cell(3, 10, 20, 8, **later), failed]
    lines = shown("unseen", *first, *second)
    (note,) = [line for line in lines if line.startswith("Drawn besides")]
    assert "refused by weft: 2, 0 cells. Cells whose run failed: 0, 1. " in note
    assert (
        "In a draw before it, too: 1 of 2 cells of each draw after the first; of the others 0 of 1 are in the interval."
        in note
    )
    assert "| groupby | 0%, 2 of 2, 1.00 | 25%, 1 of 2, 1.50 |" in lines
    assert lines[-1].startswith("| groupby, mappers `3` | 8 | ")


def test_the_same_cell_of_two_draws_is_no_repetition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "read", lambda name: [cell(1, 10, 10, 8), cell(1, 10, 11, 8, seed=8)])
    assert tables.kind("unseen") == "single runs"


def ratio(nodes: int, value: float | list[float], low: float, high: float, **more: Any) -> dict[str, Any]:
    found = {"low": low, "high": high, "predicted": (low * high) ** 0.5, "factor": 144}
    return {
        "kind": "point",
        "what": "GroupBy",
        "cell": {"machine": "cori", "nodes": nodes},
        "value": value,
        **found,
        **more,
    }


def test_published_ratios_are_shown_with_what_they_are_missed_by() -> None:
    lines = shown(
        "published",
        ratio(1, 6, 2.0, 4.5, used=True, trend="GroupBy on Cori"),
        ratio(80, 60, 1.0, 4.0, trend="GroupBy on Cori"),
        ratio(2, [1.5, 2.5], 2.0, 2.0, counted=True),
    )
    assert lines[2] == "| GroupBy * | cori | 1 | 6 | 3 | 2 to 4.5 | 2.0 | yes |"
    assert lines[3].endswith("| 30.0 | no |")
    assert lines[4] == "| GroupBy + | cori | 2 | 1.5 to 2.5 | 2 | 2 to 2 | 1.0 | yes |"
    assert lines[6].startswith(
        "Within a factor of two: 2 of 3; of those that were not known while the model was made (without *), 1 of 2; "
        "of those, without calls that were counted in the very runs (without +), 0 of 1."
    )
    assert lines[6].endswith("in the interval of 1 of 3.")
    assert lines[-1] == "| GroupBy on Cori | 1 to 80 | grows | falls | no |"


def sort(row: str, seconds: float, repeat: int) -> dict[str, Any]:
    return {
        "cell": {"row": row},
        "repeat": repeat,
        "size": 10**9,
        "cores": 2,
        "measures": {"seconds": seconds},
        "phases": {"run": 2 * seconds},
    }


def test_an_engine_is_compared_with_the_limit_of_the_node() -> None:
    limit = [sort("limit, files to files", 1.0, number) for number in range(3)]
    others = [
        sort(row, took, number) for row, took in (("b", 8.0), ("spark raw", 4.0)) for number in range(3)
    ]
    lines = shown("limit", *others, *limit)
    assert lines[0] == "| row | 1 GB: MB/s and core | of the limit | with the job's start |"
    assert lines[3] == "| spark raw | 125 (125 to 125) | 0.25 (0.25 to 0.25) | 0.12 (0.12 to 0.12) |"
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| limit, files to files", "| spark raw", "| b"]


def probed(probes: str, seconds: float, repeat: int) -> dict[str, Any]:
    return {
        "cell": {"probes": probes},
        "repeat": repeat,
        "measures": {"seconds": seconds},
        "phases": {"run": seconds, "start": 3},
    }


def test_an_overhead_is_of_runs_of_one_round() -> None:
    rounds = [10.0, 20.0]
    rows = [
        probed(name, taken * factor, number)
        for number, taken in enumerate(rounds)
        for name, factor in (("null", 1), ("proc", 1.1))
    ]
    assert (
        shown("overhead", *rows)[2]
        == "| the whole job | `proc` | 15.0 (10.0 to 20.0) | 16.5 (11.0 to 22.0) | 1.10 (1.10 to 1.10) |"
    )


def test_a_study_has_its_cells_its_ratios_and_each_rule_with_its_outcome() -> None:
    rows = [
        {
            "cell": {"nodes": at, "scratch": scratch},
            "repeat": number,
            "measures": {"seconds": seconds},
            "parts": {"CPU": 5.0, "x": seconds},
        }
        for number in range(2)
        for at, scratch, seconds in (("1", "memory", 10.0), ("1", "delayed:lustre-2014", 50.0))
    ]
    lines = shown("nersc-lustre", *rows)
    assert "| `1` | 10.0 (10.0 to 10.0) | 50.0 (50.0 to 50.0) | 5.00 (5.00 to 5.00) | - | - |" in lines
    assert "| `1` | x +40.0 |" in lines
    assert "Of 9 rules: 1 agrees, 8 not measured." in lines
    assert any(
        line.endswith("| at least 4 | 5.00 (5.00 to 5.00) | agrees (in all of 2 runs) |") for line in lines
    )


def test_the_rate_of_a_stream_is_the_one_that_was_offered_and_not_its_throughput() -> None:
    rows = [
        {
            "cell": {"work": "windows_spark", "backend": backend},
            "measures": {"records_per_second": 0.5 * rate, "latency_mean_seconds": 1.0},
            "facts": {"offered_per_second": rate, "sustained": True},
            "parts": {},
        }
        for backend, rate in (("lustre", 9000.0), ("datawarp", 6000.0))
    ]
    lines = shown("zib-datawarp", *rows)
    assert (
        lines[0]
        == "| work | `lustre`, sustained records/s | `datawarp`, sustained records/s | `datawarp` over `lustre` |"
    )
    assert lines[2] == "| `windows_spark` | 9,000 | 6,000 | 0.67 |"


def test_calls_have_what_counting_adds_within_a_round() -> None:
    rounds = [
        {
            "cell": "round",
            "repeat": number,
            "calls": {"access": [500.0, 590.0 + number], "lseek": [80.0, 130.0]},
        }
        for number in range(6)
    ]
    assert (
        shown("calls", *rounds)[2] == "| by path (`access`) | 500 [500, 500] | 592 [590, 595] | 92 [90, 95] |"
    )


def test_advice_has_what_was_predicted_and_what_was_real() -> None:
    line = {"family": "network", "change": "no limit", "gain": 0.4, "low": 0.3, "high": 0.5, "flags": ["--x"]}
    tried = {"old": [10.0, 11.0], "new": [6.0, 6.1], "real": 0.42, "held": True}
    lines = shown(
        "advised",
        {"cell": "links", "remedy": "network", "lines": [line], "tried": tried},
        {"cell": "none", "remedy": "", "lines": [], "tried": None},
    )
    assert (
        lines[2]
        == "| links | no limit | 40 % | 30 % to 50 % | 42 % | 10.5 (10.0 to 11.0) | 6.05 (6.00 to 6.10) |"
    )
    assert "rightly none, in 2 of 2; the real gain was in its interval in 1 of 1" in lines[-1]


def test_the_time_until_the_first_task_has_its_parts_and_the_ratio_of_runs_that_followed_each_other() -> None:
    parts = {"before": 1.0, "cluster": 2.0, "input": 0.5, "job": 4.5}
    lines = shown(
        "first-task",
        *(
            {
                "cell": {"engine": "spark", "command": "run", "weft": which},
                "repeat": number,
                "of": which,
                "seconds": seconds + number,
                "parts": parts,
                "cpu_seconds": 20.0,
            }
            for number in range(2)
            for which, seconds in (("this", 8.0), ("other", 10.0))
        ),
    )
    assert lines[0].endswith("| other, s | over it |")
    assert lines[2].startswith("| `weft run`, spark | 8.50 (8.00 to 9.00) | 1.00 (1.00 to 1.00) | 2.00")
    assert lines[2].endswith("| 10.5 (10.0 to 11.0) | 0.81 (0.80 to 0.82) |")


def test_the_time_from_an_empty_cache_has_its_parts_and_a_wheel_is_not_compared_with_another_checkout() -> (
    None
):
    parts = {"packages": 30.0, "set-up": 20.0, "cluster": 5.0, "job": 10.0, "end": 5.0}
    runs = [("clone", "this", 70.0), ("clone", "other", 140.0), ("wheel", "this", 60.0)]
    lines = shown(
        "first-run",
        *(
            {
                "cell": {"from": start, "weft": which},
                "repeat": 0,
                "of": which,
                "seconds": seconds,
                "parts": parts,
            }
            for start, which, seconds in runs
        ),
    )
    assert lines[0].endswith("| other, s | over it |")
    assert lines[2].endswith("| 70.0 | 30.0 | 20.0 | 5.00 | 10.0 | 5.00 | 140 | 0.50 |")
    assert lines[3].endswith("| 60.0 | 30.0 | 20.0 | 5.00 | 10.0 | 5.00 | - | - |")


@pytest.mark.parametrize("name", [name for name, table in tables.TABLES.items() if not table.bare])
def test_a_table_without_rows_is_none(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("figures.rows.read", lambda _: [])
    assert tables.lines(name) is None


def test_what_a_pool_saves_is_a_line_for_each_file_system() -> None:
    taken = {
        "memory": 10.0,
        "delayed:lustre": 20.0,
        "loopback,size=2G+delayed:lustre": 13.0,
        "pool+delayed:lustre": 12.5,
    }
    rows = [
        {"cell": {"workload.mappers": 40, "scratch": scratch}, "measures": {"seconds": seconds}}
        for scratch, seconds in taken.items()
    ]
    lines = shown("pool-pays", *rows)
    assert lines[2] == "| 1,600 | `lustre` | 20.0 | 13.0 | 12.5 | 10.0 | 1.60 |"
    assert len(lines) == 3
    more = [{"cell": {"workload.mappers": 200, "scratch": "memory"}, "measures": {"seconds": 13.0}}]
    assert (
        shown("pool-pays", *rows, *more)[-1] == "3 of 8 combinations of blocks and storage have no valid run."
    )


def of_boundary(
    engine: str, scale: float, seconds: float | None, reason: str = "", phase: str = "check"
) -> dict[str, Any]:
    valid = seconds is not None
    return {
        "cell": {"workload.scale": str(scale), "engine": engine},
        "asked": {"workload": {"queries": "q4,q72", "limit": "60s"}},
        "verdict": "VALID" if valid else "INVALID",
        "reason": reason,
        "phases": {"prepare": 1.0, phase: 1.0, "stop": 0.1},
        "measures": {"seconds": seconds} if valid else {},
    }


def test_the_fastest_engine_of_one_node_is_one_of_which_no_run_failed() -> None:
    wrong = "2 of 4 executions are wrong, first q4-1: Out of Memory Error"
    rows = [
        of_boundary("spark:executor_memory=600MB", 2, 30.0),
        of_boundary("sail:memory=600MB", 2, 9.0),
        of_boundary("sail:memory=600MB", 2, None, "Resources\n exhausted"),
        of_boundary("duckdb:memory=600MB", 2, 10.0),
        of_boundary("duckdb:memory=100MB", 2, None, wrong),
        of_boundary("sail:memory=100MB", 2, None, "server on node1 ended", phase="run"),
        of_boundary("duckdb:memory=4GB", 0.3, 1.0),
        of_boundary("sail:memory=4GB", 0.3, None, "answers on node1 was killed"),
        of_boundary("spark:executor_memory=4GB", 0.3, None, "no heap", phase="start"),
    ]
    lines = shown("boundary", *rows)
    assert lines[0] == "q4, q72: seconds of all, of which none may take longer than 60s."
    assert lines[4:] == [
        "| 0.3 | 4GB | did not start: no heap | check failed: answers on node1 was killed | 1.00 | DuckDB |",
        "| 2 | 100MB | - | engine failed: server on node1 ended | 2 of 4 queries failed, q4: Out of Memory Error | none |",
        "| 2 | 600MB | 30.0 | 9.00 (1 of 2 failed) | 10.0 | DuckDB |",
    ]


def test_an_engine_without_a_limit_is_refused() -> None:
    with pytest.raises(ValueError, match="flink is no engine with a memory limit"):
        shown("boundary", of_boundary("flink", 1, 1.0))


def test_an_emulation_is_shown_with_the_real_one_and_with_what_a_thousand_blocks_take() -> None:
    def run(scratch: str, mappers: int, seconds: float, opens: float) -> Row:
        parts = {"metadata: scratch, read side: open": opens, "data: scratch, map side: write": 1.0}
        cell = {"workload.mappers": str(mappers), "scratch": scratch}
        return {"cell": cell, "measures": {"seconds": seconds}, "parts": {**parts, "CPU": 3.0}}

    rows = [run("moosefs", 10, 4.0, 0.5), run("moosefs", 100, 14.0, 5.0)]
    rows += [run("delayed:calibrated.toml", 10, 5.0, 0.5), run("delayed:calibrated.toml", 100, 13.0, 4.0)]
    table = shown("moosefs", *rows)
    assert table[2].startswith("| 100 | 4.00 | 5.00 | 1.25 | 0.50, 0.50 |")
    assert table[-1].startswith("| 1,000 more, from 100 to 10,000 | 1.01 | 0.81 | 0.80 | 0.45, 0.35 |")
    missing = shown("moosefs", *rows[:3])
    assert missing[3].startswith("| 10,000 | 14.0 | - | - | 5.00, - |")
    assert missing[-1].startswith("| 1,000 more, from 100 to 10,000 | 1.01 | - | - | 0.45, - |")
    recalibrated = run("delayed:calibrated-0a1b2c3d.toml", 10, 8.0, 0.5)
    both = shown("moosefs", *rows, recalibrated)
    assert both[2].startswith("| calibrated-0a1b2c3d | 100 | 4.00 | 8.00 | 2.00 |")
    assert [line.split(" | ")[0] for line in both[2:]] == ["| calibrated-0a1b2c3d"] * 3 + ["| calibrated"] * 3
