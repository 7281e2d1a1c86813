"""What a file or a record of somebody else may run is shown, and asked for."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest
from pydantic import BaseModel

from weft.api import again
from weft.api.flags import Flags
from weft.api.request import study_of
from weft.cli import main
from weft.errors import UsageError
from weft.host.site import profile
from weft.spec.executing import executing
from weft.spec.model import FAMILIES, Spec
from weft.spec.parse import parse
from weft.text.executes import Executes

SPEC = """
workload = "terasort"
security = "none"
[engine]
kind = "spark"
[engine.conf]
"spark.executorEnv.LD_PRELOAD" = "/tmp/evil.so\\u009b2J"
[nodes]
kind = "ssh"
hosts = "a"
trusted = true
options = "-o ProxyCommand=sh"
"""
ALL = {"security", "engine.conf.spark.executorEnv.LD_PRELOAD", "nodes.options"}

HARMLESS = {
    "disk.path", "mount.path", "delayed.path",  # directories of data
    "delayed.profile", "delayed.values", "delayed.faults",  # figures of the emulation
    "several.shares", "kafka.topics",  # figures
    "ssh.hosts", "ssh.fabric", "slurm.fabric",  # names, which are checked
    "slurm.partition", "slurm.account", "slurm.qos", "slurm.time", "slurm.constraint",  # one directive each
    "gridengine.pe",
    *(f"{kind}.{key}" for kind in ("gridengine", "pbs", "lsf", "flux", "oar")
      for key in ("queue", "account", "time", "fabric")),  # one directive each, as of Slurm
    "virtual.rate", "virtual.storage_rate",  # of a pattern
    "own-sql.tables", "own-sql.result", "own-job.stage", "trace.file",  # files of data
    "own-job.name",
    "grep.pattern", "nexmark.queries", "sql-join.queries", "tpcds.queries", "file-open.read_bytes", "file-open.threads",  # parameters
    "persistent.name", "persistent.directory",  # of weft up, which reads no file
    "spec.probes", "yarn.table",
    "profile.shared", "profile.local", "profile.fabric", "scratch.default", "scratch.evidence", "scratch.page",
    "limits.storages",
}  # fmt: skip
"""Keys with text, paths or lists that name no program."""


def models() -> Iterator[tuple[str, type[BaseModel]]]:
    for family in FAMILIES.values():
        yield from family.items()
    for name in ("slurm", "container", "scratch", "limits"):
        yield name, type(getattr(profile.Profile(), name))
    yield from (("profile", profile.Profile), ("spec", Spec))


def free(annotation: Any) -> bool:
    """Whether a value can have text of its author's choice."""
    if get_origin(annotation) is not None:
        return "Literal" not in str(get_origin(annotation)) and any(map(free, get_args(annotation)))
    return isinstance(annotation, type) and issubclass(annotation, (str, Path))


def test_every_key_that_can_name_a_program_is_marked_or_excused() -> None:
    rows = {
        f"{kind}.{name}": any(isinstance(mark, Executes) for mark in field.metadata)
        for kind, model in models()
        for name, field in model.model_fields.items()
        if free(field.annotation)
    }
    assert {key for key, marked in rows.items() if not marked} - HARMLESS == set(), "mark it with Executes"
    assert HARMLESS & {key for key, marked in rows.items() if marked} == set()


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A record of another user."""
    record = tmp_path / "record"
    record.mkdir()
    (record / "spec.toml").write_text(SPEC)
    if os.geteuid() == 0:
        os.chown(record / "spec.toml", 65534, 65534)
    else:
        (record / "spec.toml").chmod(0o666)
    return record


def test_a_spec_names_what_it_runs_and_nothing_else(foreign: Path) -> None:
    ((_, spec),) = study_of(str(foreign / "spec.toml"), Flags(trust=True)).cells()
    found = executing(spec)
    assert found.keys() == ALL
    assert "\x9b" not in str(found)
    assert executing(parse({"workload": "terasort:1GB", "scratch": "disk:/tmp"})) == {}


def test_parts_of_parts_are_found(tmp_path: Path) -> None:
    job = tmp_path / "job.py"
    job.touch()
    table = {
        "workload": {"kind": "own-job", "program": str(job), "conf": {"a": "b"}, "directory": "/"},
        "engine": "spark",
        "services": {"kafka": {"conf": {"metric.reporters": "Evil"}}},
        "output": {"kind": "pool", "on": {"kind": "hdfs", "conf": {"c": "d"}}},
    }
    with pytest.raises(UsageError):
        parse({**table, "output": {"kind": "nothing"}})
    keys = set(executing(parse({**table, "output": {"kind": "hdfs", "conf": {"c": "d"}}})))
    assert keys >= {
        "workload.program",
        "workload.conf.a",
        "workload.directory",
        "services.kafka.conf.metric.reporters",
    }
    assert "output.conf.c" in keys


def test_a_file_of_another_user_is_asked_about(foreign: Path) -> None:
    for ask in (lambda: study_of(str(foreign / "spec.toml"), Flags()), lambda: again.study(str(foreign), ())):
        with pytest.raises(UsageError, match="runs what its author chose, as you") as refused:
            ask()
        assert {line.split(" = ")[0] for line in refused.value.tail} == ALL
        assert "--trust" in refused.value.hint
    assert again.study(str(foreign), (), trust=True).cells()


@pytest.mark.parametrize("words", [["run"], ["run", "--json"]])
def test_the_command_ends_with_code_2(
    foreign: Path, words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["weft", *words, str(foreign / "spec.toml")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "nodes.options = ['-o', 'ProxyCommand=sh']" in capsys.readouterr().err


def test_a_file_of_ones_own_is_not_asked_about(tmp_path: Path) -> None:
    (tmp_path / "spec.toml").write_text(SPEC)
    assert study_of(str(tmp_path / "spec.toml"), Flags()).cells()
    (tmp_path / "spec.toml").chmod(0o666)
    with pytest.raises(UsageError, match="runs what its author chose"):
        study_of(str(tmp_path / "spec.toml"), Flags())


def test_neither_is_one_that_names_no_program_nor_what_the_user_gave_himself(foreign: Path) -> None:
    (foreign / "spec.toml").write_text('workload = "terasort:1GB"\n')
    assert study_of(str(foreign / "spec.toml"), Flags(set=("spark.a.b=c",))).cells()


def test_the_guide_lists_every_key_that_executes() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "guide" / "security.md").read_text()
    marked = {
        name
        for _, model in models()
        for name, field in model.model_fields.items()
        if any(isinstance(mark, Executes) for mark in field.metadata)
    }
    assert [name for name in sorted(marked) if not re.search(rf"[`.]{name}`", guide)] == []


def test_the_guide_has_such_keys_of_engines_and_workloads_by_their_whole_name() -> None:
    """A workload and an engine have keys of one name: `workload.packages` is another than `engine.packages`."""
    guide = (Path(__file__).parents[2] / "docs" / "guide" / "security.md").read_text()
    marked = {
        f"{family}.{name}"
        for family in ("engine", "workload")
        for model in FAMILIES[family].values()
        for name, field in model.model_fields.items()
        if any(isinstance(mark, Executes) for mark in field.metadata)
    }
    assert [key for key in sorted(marked) if f"`{key}`" not in guide] == []


def test_the_guide_names_tests_that_exist() -> None:
    root = Path(__file__).parents[2]
    guide = (root / "docs" / "guide" / "security.md").read_text()
    table = guide.partition("## Who may do what")[2].partition("\n## ")[0]
    assert [
        name for name in re.findall(r"`(\w+/test_\w+\.py)`", table) if not (root / "tests" / name).exists()
    ] == []
