"""The table of what tools say of jobs with a known defect."""

import shutil

import otherexplainers
import pytest
from figures import tables

from weft.errors import MissingError


def test_without_a_python_for_the_other_tools_the_bench_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(MissingError, match=r"Python 3\.12") as raised:
        otherexplainers.programs()
    assert "PATH" in raised.value.hint


def test_the_table_has_a_line_for_each_job_and_counts_each_verdict() -> None:
    right, wrong, nothing = [{"text": "bandwidth between nodes"}], [{"text": "High GC"}], []
    rows = [
        {"cell": "links", "cause": "slow links", "answers": {"one": right, "other": wrong, "third": nothing}},
        {"cell": "none", "cause": "", "answers": {"one": wrong, "other": nothing, "third": nothing}},
        {
            "cell": "links",
            "cause": "slow links",
            "answers": {"one": right, "other": right + wrong, "third": nothing},
        },
    ]
    assert tables.TABLES["explainers"].lines(rows)[2:] == [
        "| links | the network under the shuffle | right | wrong: memory; right, and memory | silent |",
        "| none | nothing | wrong: memory | right | right |",
        "| **defects right** |  | 2 of 2 | 1 of 2 | 0 of 2 |",
        "| **defects in part** |  | 0 of 2 | 0 of 2 | 0 of 2 |",
        "| **defects wrong** |  | 0 of 2 | 1 of 2 | 0 of 2 |",
        "| **defects silent** |  | 0 of 2 | 0 of 2 | 2 of 2 |",
        "| **healthy jobs with a false alarm** |  | 1 of 1 | 0 of 1 | 0 of 1 |",
    ]
