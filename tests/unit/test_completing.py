"""Completion of values in the shell: fast, and the same names as the programs know."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.report_fakes import make_record
from weft.adapters.probes import listed as probes
from weft.cli import completing
from weft.host import settings
from weft.spec.model import FAMILIES

FOLDERS = {
    "workloads": "workload",
    "engines": "engine",
    "nodes": "nodes",
    "storage": "scratch",
    "services": "services",
}


def completed(line: str) -> list[str]:
    """What a shell gets for the last word of a line."""
    words = {
        "_WEFT_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split(" ")) - 1),
    }
    environment = {**os.environ, **words, "PYTHONPATH": str(settings.SOURCE / "src")}
    argv = [sys.executable, "-P", "-m", "weft"]
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(("folder", "family"), FOLDERS.items())
def test_kinds_are_those_that_users_write(folder: str, family: str) -> None:
    assert set(completing.kinds(folder)) == set(FAMILIES[family].listed)


def test_probes_are_those_that_users_name() -> None:
    assert set(completing.kinds("probes")) == set(probes())


def test_values_of_options_and_arguments_are_completed(tmp_path: Path) -> None:
    make_record(settings.runs() / "20260131-one", head={"labels": ["good"]})
    (settings.state() / "clusters").mkdir(parents=True)
    (settings.state() / "clusters" / "mine.lock").touch()
    (tmp_path / "study.toml").touch()
    for line, expected in (
        ("weft run tera", ["terasort", "teracount"]),
        ("weft plan tera", ["terasort", "teracount"]),
        (f"weft run {tmp_path}/stu", [f"{tmp_path}/study.toml"]),
        ("weft run terasort --scratch po", ["pool"]),
        ("weft run terasort --engine fl", ["flink"]),
        ("weft run terasort --probe file", ["fileops"]),
        ("weft calibrate --scratch disk,mem", ["disk,memory"]),
        ("weft show 2026", ["20260131-one"]),
        ("weft runs --label go", ["good"]),
        ("weft down mi", ["mine"]),
        ("weft submit --to mi", ["mine"]),
        ("weft settings poo", ["pool"]),
    ):
        assert sorted(completed(line)) == sorted(expected), line


def test_completing_loads_no_adapter() -> None:
    program = "import sys\nfrom weft.cli import completing\ncompleting.workload(None, None, '')\ncompleting.kind(None, None, '')\nprint(*sys.modules)"
    argv = [sys.executable, "-P", "-c", program]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert not [
        name for name in done.stdout.split() if name.startswith(("weft.adapters", "pydantic", "rich"))
    ]


def test_a_record_of_somebody_else_completes_to_no_escape_sequence() -> None:
    make_record(settings.runs() / "a\x1b[31m")
    bad = settings.runs() / "bad"
    bad.mkdir()
    for text in ("{", "[]", '{"labels": 5}', '{"labels": [5, "a\\u001bb", "ok"]}'):
        (bad / "record.json").write_text(text)
        assert completing.run(None, None, "") == ["last", "bad"]
        assert set(completing.label(None, None, "")) <= {"ok"}
