"""TOML files of users: whatever is in them, or in their place, is a table or one sentence."""

import os
from pathlib import Path

import pytest

from weft.adapters.workloads import jobtrace
from weft.analysis.predict import machinefile
from weft.api import machines
from weft.errors import UsageError
from weft.spec import study


def test_brackets_without_end_are_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "deep.toml").write_text("a = " + "[" * 5000)
    with pytest.raises(UsageError, match="is not TOML: it is nested too deeply"):
        study.read(tmp_path / "deep.toml")
    with pytest.raises(UsageError, match="nested too deeply"):
        machinefile.parse("a = " + "[" * 5000, "here")


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    for read in (study.read, jobtrace.read, lambda path: machines.of_file(str(path))):
        with pytest.raises(UsageError, match="neither a regular file") as caught:
            read(pipe)
        assert caught.value.exit_code == 2


def test_a_link_to_a_study_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real.toml").write_text("workload = 'terasort'\n")
    (tmp_path / "link.toml").symlink_to("real.toml")
    assert study.read(tmp_path / "link.toml") == ("link", {"workload": "terasort"})
