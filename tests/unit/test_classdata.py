"""Class-data archives: made once, and never in the way."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from weft.host.provision import classdata, jdk


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_CACHE", str(tmp_path / "cache"))


def version(scratch: Path) -> Sequence[str]:
    return ["-cp", "nothing", "-version"]


def test_an_archive_is_made_once(tmp_path: Path) -> None:
    said: list[str] = []
    first = classdata.build("thing", jdk.java(), tmp_path, version, said.append)
    assert first is not None
    assert first.stat().st_size > 0
    assert classdata.build("thing", jdk.java(), tmp_path, version, said.append) == first
    assert len(said) == 1
    assert [path.name for path in first.parent.iterdir()] == [first.name]


def test_listed_classes_are_archived_without_a_program(tmp_path: Path) -> None:
    said: list[str] = []
    listed = tmp_path / "thing.classes"
    lambdas = [
        "@lambda-form-invoker [LF_RESOLVE] DirectMethodHandle$Holder invokeStatic L_L",
        "@lambda-proxy no/such Thing",
    ]
    listed.write_text("\n".join(["java/lang Object String", "no/such Thing", *lambdas]))
    first = classdata.dump("thing", jdk.java(), listed, ["nothing"], said.append)
    assert first is not None, said
    assert [path.name for path in first.parent.iterdir()] == [first.name]
    assert classdata.dump("thing", jdk.java(), listed, ["nothing"], said.append) == first
    assert len(said) == 1


@pytest.mark.parametrize("name", ["hadoop", "flink"])
def test_a_list_of_classes_names_packages_and_what_is_in_them(name: str) -> None:
    lines = (classdata.LISTS / f"{name}.classes").read_text().splitlines()
    packages = [line.split(" ") for line in lines if line[0] != "@"]
    assert [package for package, *names in packages if "/" not in package or not names] == []
    assert len({package for package, *_ in packages}) == len(packages)
    assert sum(package.startswith(f"org/apache/{name}/") for package, *_ in packages) > 100


def test_training_that_fails_costs_speed_alone(tmp_path: Path) -> None:
    said: list[str] = []
    found = classdata.build(
        "thing", jdk.java(), tmp_path, lambda scratch: ["no.such.Program", str(scratch)], said.append
    )
    assert found is None
    assert "start slower" in json.dumps(said)
