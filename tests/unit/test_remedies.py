"""What `weft advise` says of files on a Lustre: a pool though it was never calibrated, and Lustre's own remedies without a gain."""

from dataclasses import replace

import pytest

from tests.unit.prediction_jobs import groupby, job
from tests.unit.test_prediction_report import MACHINE, SPEC, on_lustre, slow
from weft.analysis.predict import advice, remedies
from weft.analysis.predict.jobprofile import CallsPerTask, JobProfile
from weft.report.pages import advice as advice_page

UNKNOWN = replace(MACHINE, storages={}, mounts={})
"""Nothing was calibrated on it."""


def large() -> JobProfile:
    """As `slow`, with reads, and with too much on scratch for the memory of a node."""
    reads = CallsPerTask("scratch", "read", 8, 0.08)
    sizes = {"scratch written": 4e9, "scratch read": 1e5}
    stages = [replace(stage, calls=[*stage.calls, reads], bytes=sizes) for stage in slow().stages]
    return replace(job(stages), storages={"scratch": "mount"})


def test_a_pool_is_advice_on_a_lustre_that_was_never_calibrated() -> None:
    found = advice.advise(on_lustre(large()), "/runs/run", UNKNOWN)
    both = (*found.lines, *found.uncertain)
    line = next(line for line in both if line.family == "storage of scratch")
    assert line.flags == ("--scratch", "pool:/l/me")
    # the opens are gone, and what reads took remains
    assert 0.4 < line.gain < 0.5


def test_lustres_own_remedies_have_no_gain() -> None:
    small = replace(on_lustre(slow()), lustre=frozenset({"scratch"}))
    found = advice.advise(small, "/runs/run", UNKNOWN)
    assert [one.flags for one in found.unmeasured] == [
        ("--scratch", "mount:/l/me,mdt=1M"),
        ("--scratch", "mount:/l/me,spread=true"),
    ]
    shown = str(advice_page.section(found).blocks)
    assert "measured on no Lustre" in shown
    assert "weft run /runs/run/spec.toml --scratch mount:/l/me,mdt=1M" in shown
    assert not any("mdt" in word for line in (*found.lines, *found.uncertain) for word in line.flags)


def test_large_files_are_striped_and_other_file_systems_have_no_remedies() -> None:
    big = replace(on_lustre(large()), lustre=frozenset({"scratch"}))
    assert [one.flags[-1] for one in advice.advise(big, "/r", UNKNOWN).unmeasured] == [
        "mount:/l/me,progressive=true",
        "mount:/l/me,spread=true",
    ]
    assert advice.advise(on_lustre(large()), "/r", UNKNOWN).unmeasured == ()
    healthy = replace(on_lustre(groupby()), lustre=frozenset({"scratch"}))
    assert advice.advise(healthy, "/r", UNKNOWN).unmeasured == ()
    pooled = {**SPEC, "scratch": {"kind": "pool", "path": "/l/me"}}
    assert [one.flags for one in remedies.of_lustre(large(), pooled, frozenset({"scratch"}))] == [(), ()]


@pytest.mark.parametrize(
    ("label", "description", "found"),
    [
        ("mount", "Lustre at /l/weft-RUN-scratch", True),
        ("mount", "GPFS at /g/weft-RUN-scratch", False),
        ("pool+mount", "Lustre at /l", False),
        ("delayed:lustre", "latencyfs with the profile lustre over /tmp", False),
    ],
)
def test_only_files_on_lustre_itself_have_its_remedies(label: str, description: str, found: bool) -> None:
    assert remedies.on_lustre(label, description) is found
