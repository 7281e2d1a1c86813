"""Packages of the user's own on Dask and Ray: where Python searches for them, and what is refused."""

import sys
from pathlib import Path

import pytest

from tests.fakes import RECORD, fake_layout
from weft.adapters.engines.dask.engine import DaskEngine
from weft.adapters.engines.pythontasks import PythonTaskEngine
from weft.adapters.engines.ray.engine import RayEngine
from weft.errors import UsageError
from weft.layout.job import Job
from weft.run.topology import topology
from weft.spec.parse import parse

ENGINES = [DaskEngine, RayEngine]
MINE = "python{}.{}".format(*sys.version_info)


@pytest.mark.parametrize("kind", ENGINES)
def test_workers_and_programs_search_the_locked_packages_first(kind: type[PythonTaskEngine]) -> None:
    layout = fake_layout()
    engine = kind(packages=Path("/lustre/me/env"))
    for process in (*engine.plan(layout).daemons, engine.submit(Job("job", "TeraSort", [], RECORD), layout)):
        first, *_, site, directory = process.environment["PYTHONPATH"].split(":")
        assert first == str(layout.homes[engine.kind] / "lib")
        assert (site, directory) == (f"/lustre/me/env/lib/{MINE}/site-packages", "/lustre/me/env")
    assert engine.plan(layout).derived[engine.kind].shown()["own packages"] == "/lustre/me/env"
    assert "/lustre/me/env" in "".join(engine.client(layout).programs.values())


@pytest.mark.parametrize("kind", ENGINES)
def test_without_any_none_are_shown(kind: type[PythonTaskEngine]) -> None:
    assert "own packages" not in kind().plan(fake_layout()).derived[kind().kind].shown()


def refused(packages: Path) -> str:
    spec = parse({"workload": "wordcount", "engine": {"kind": "dask", "packages": str(packages)}})
    with pytest.raises(UsageError) as caught:
        topology(spec).require_possible(spec)
    first, hint = str(caught.value).split("\nhint: ")
    assert "--target" in hint
    return first


def test_a_directory_that_is_none_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path / "no") == f"engine.packages: {tmp_path / 'no'} does not exist"
    (tmp_path / "file").touch()
    assert refused(tmp_path / "file").endswith("is not a directory")


def test_an_environment_of_another_python_is_refused_and_one_of_this_is_not(tmp_path: Path) -> None:
    (tmp_path / "lib" / "python3.9").mkdir(parents=True)
    assert "are for python3.9, and weft runs its engines with " + MINE in refused(tmp_path)
    (tmp_path / "lib" / MINE).mkdir()
    spec = parse({"workload": "wordcount", "engine": {"kind": "dask", "packages": str(tmp_path)}})
    topology(spec).require_possible(spec)


def test_a_colon_in_its_path_is_refused() -> None:
    with pytest.raises(UsageError, match="colon"):
        parse({"workload": "wordcount", "engine": {"kind": "ray", "packages": "/lustre/a:b"}})
