"""What the command line asks of a run: Slurm's options, added probes, defaults of the site profile, other names."""

from pathlib import Path

import pytest

from weft.api import again
from weft.api.flags import Flags
from weft.api.request import study_of
from weft.cli.chosen import say_chosen
from weft.errors import UsageError
from weft.host import settings
from weft.host.schedulers.slurm import commands
from weft.spec.model import PROBES, Spec


def asked(what: str = "terasort", **flags: object) -> Spec:
    ((_, spec),) = study_of(what, Flags(**flags)).cells()
    return spec


def notes(capsys: pytest.CaptureFixture[str], what: str = "terasort", **flags: object) -> str:
    say_chosen(study_of(what, Flags(**flags)), Flags(**flags))
    return capsys.readouterr().err


@pytest.fixture(autouse=True)
def without_slurm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "installed", lambda: False)


def site(text: str) -> None:
    settings.site().write_text(text)


def test_slurms_options_are_settings_of_slurm_nodes() -> None:
    nodes = asked(slurm=4, partition="debug", account="me", time="20m").nodes
    assert nodes == asked(nodes="slurm:4,partition=debug,account=me,time=20").nodes
    assert asked(nodes="slurm:2", time="1:00:00").nodes.time == "1:00:00"


@pytest.mark.parametrize(
    ("time", "minutes"),
    [("8h", "480"), ("90s", "2"), ("1.5h", "90"), ("7d", "10080"), ("60", "60"), ("2-00", "2-00")],
)
def test_a_time_limit_is_written_as_any_time_or_as_slurm_does(time: str, minutes: str) -> None:
    assert asked(nodes="slurm:1", time=time).nodes.time == minutes
    site(f'[slurm]\ntime = "{time}"\n')
    assert asked(nodes="slurm:1", time=time).nodes.time == minutes


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({"nodes": "virtual:2", "time": "8h"}, "belong to a Slurm job, not to nodes virtual"),
        ({"partition": "debug"}, "belong to a Slurm job"),
        ({"nodes": "slurm:2", "slurm": 4}, "--nodes and -N are two kinds of nodes"),
    ],
)  # fmt: skip
def test_slurms_options_are_refused_for_other_nodes(flags: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        asked(**flags)


def test_a_probe_is_added_to_the_default_ones() -> None:
    assert asked(probes=("fileops", "profile")).probes == (*PROBES, "fileops", "profile")
    assert asked(set=("probes=+fileops",)).probes == (*PROBES, "fileops")
    assert asked(set=("probes=proc,+fileops,proc",)).probes == ("proc", "fileops")
    assert asked(set=("probes=proc",), probes=("pauses",)).probes == ("proc", "pauses")


def test_a_probe_is_added_to_those_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('workload = "terasort"\nprobes = ["proc"]\n')
    assert asked(str(file), probes=("fileops",)).probes == ("proc", "fileops")


def test_a_probe_is_added_to_those_of_a_record_that_is_run_again(tmp_path: Path) -> None:
    (tmp_path / "spec.toml").write_text('workload = "terasort"\nprobes = ["proc"]\n')
    ((_, spec),) = again.study(str(tmp_path), ("--probe", "fileops", "--set", "partitions=8")).cells()
    assert spec.probes == ("proc", "fileops")
    assert spec.workload.partitions == 8


def test_an_added_probe_leaves_those_that_weft_adds_itself() -> None:
    added = {"fileops": "files are on delayed:lustre"}
    assert asked(scratch="delayed:lustre").added_probes() == added
    assert asked(scratch="delayed:lustre", probes=("profile",)).added_probes() == added
    assert asked(scratch="delayed:lustre", set=("probes=proc,threads,engine",)).added_probes() == {}


def test_an_unknown_probe_is_named_with_those_that_exist() -> None:
    with pytest.raises(UsageError, match=r"unknown probe 'fileop'; known: proc, .*fileops"):
        asked(probes=("fileop",))


def test_nodes_and_engine_have_defaults_in_the_profile(capsys: pytest.CaptureFixture[str]) -> None:
    site('nodes = "virtual:3"\nengine = "flink"\n')
    assert (asked().nodes.count, asked().engine.kind) == (3, "flink")
    assert notes(capsys) == (
        f"nodes virtual:3: the default of {settings.site()}; --nodes changes it\n"
        f"engine flink: the default of {settings.site()}; --engine changes it\n"
    )
    assert notes(capsys, nodes="local:1", engine="spark") == ""
    assert asked(nodes="local:1").nodes.kind == "local"
    assert asked(slurm=2).nodes.kind == "slurm"
    assert asked(set=("nodes.cores=1",)).nodes.kind == "local", (
        "a key of other nodes is not one of the default"
    )


def test_a_default_engine_is_left_out_where_it_does_not_run_the_workload(
    capsys: pytest.CaptureFixture[str],
) -> None:
    site('engine = "flink"\n[scratch]\ndefault = "pool"\n')
    assert asked("groupby").engine.kind == "spark"
    assert notes(capsys, "groupby").startswith("scratch pool")
    assert asked().engine.kind == "flink"


def test_where_slurm_is_a_run_on_this_machine_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It may be a login node."""
    monkeypatch.setattr(commands, "installed", lambda: True)
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    assert "on this machine: -N 4" in notes(capsys)
    assert notes(capsys, nodes="local:1") == ""
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    assert notes(capsys) == ""


def test_default_nodes_are_never_left_out() -> None:
    """The run would be on this machine instead, which may be a login node."""
    site('nodes = "virtual:3"\n')
    with pytest.raises(UsageError, match="limit runs on 1 node only, not on 3"):
        asked(engine="limit")


def test_a_file_has_no_defaults(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('workload = "terasort"\n')
    site('nodes = "virtual:3"\nengine = "flink"\n')
    assert (asked(str(file)).nodes.kind, asked(str(file)).engine.kind) == ("local", "spark")


def test_scratch_that_is_named_by_its_file_system_says_what_it_is(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert asked(scratch=f"lustre:{tmp_path}").scratch == asked(scratch=f"mount:{tmp_path}").scratch
    assert notes(capsys, scratch=f"lustre:{tmp_path}") == (
        f"scratch lustre:{tmp_path} is mount:{tmp_path}, a directory on Lustre; pool:{tmp_path} keeps many files in a few large ones\n"
    )
    assert (
        notes(capsys, input=f"gpfs:{tmp_path}")
        == f"input gpfs:{tmp_path} is mount:{tmp_path}, a directory on GPFS\n"
    )


@pytest.mark.parametrize(
    ("flags", "changes"),
    [
        (Flags(scratch="disk"), False),
        (Flags(set=("scratch.size=1G",)), False),
        (Flags(size="2MB"), True),
        (Flags(input="memory"), True),
    ],
)
def test_a_flag_that_the_matrix_overrides_in_each_cell_is_refused(
    flags: Flags, changes: bool, tmp_path: Path
) -> None:
    cases = '[{ name = "a", input = "disk" }, { name = "b", output = "memory" }]'
    (tmp_path / "s.toml").write_text(
        f'workload = "terasort"\n[matrix]\nscratch = ["memory", "disk"]\nplace = {cases}\n'
    )
    if changes:
        assert len(study_of(str(tmp_path / "s.toml"), flags).cells()) == 4
        return
    with pytest.raises(UsageError, match="is set by the matrix of s in each run"):
        study_of(str(tmp_path / "s.toml"), flags)
