"""The definitions of containers fit what tools/build makes, and each other; nothing here builds them."""

import json
import re
import shlex
import tomllib
from fnmatch import fnmatch

import building
import pytest

from tests.local import bare
from tests.needs import packages
from weft import __version__
from weft.host import settings

ROOT = settings.SOURCE
WHEEL = f"weft-{__version__}-py3-none-manylinux_{building.GLIBC.replace('.', '_')}_x86_64.whl"
HIDDEN = ("/tmp", "/var/tmp", "/root", "/home", "/dev", "/proc", "/sys")
"""Apptainer binds the host's there while it builds."""


def dockerfile() -> dict[str, list[str]]:
    """By instruction: its arguments, each as one line."""
    text = (ROOT / "packaging" / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line.split(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#")]
    return {name: [rest for each, rest in lines if each == name] for name, _ in lines}


def definition() -> dict[str, list[str]]:
    """By section of Apptainer's definition: its lines; the header is the section without a name."""
    text = re.sub(r"(?m)^#.*\n", "", (ROOT / "packaging" / "weft.def").read_text())
    parts = re.split(r"(?m)^%(\w+)\n", f"%\n{text}".removeprefix("%\n"))
    named = {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}
    return {
        name: [line.strip() for line in body.splitlines() if line.strip()] for name, body in named.items()
    }


def steps() -> list[str]:
    """What Docker's one RUN does."""
    (run,) = dockerfile()["RUN"]
    return [" ".join(step.split()) for step in run.split("&&")]


def test_both_take_the_same_steps_on_the_same_system() -> None:
    made = definition()
    assert set(made) == {"", "files", "post", "environment", "runscript"}
    assert made[""] == ["Bootstrap: docker", f"From: {dockerfile()['FROM'][0]}"]
    assert made["post"] == steps()
    assert made["files"] == dockerfile()["COPY"]
    assert made["environment"] == [f"export {line}" for line in dockerfile()["ENV"]]


def test_the_wheel_that_is_built_is_copied_where_it_is_installed_from() -> None:
    (pattern, target), *others = [line.split() for line in dockerfile()["COPY"]]
    assert others == []
    assert fnmatch(WHEEL, pattern)
    assert not target.startswith(HIDDEN)
    assert target.endswith("/")
    install = next(step for step in steps() if "pip install" in step)
    assert shlex.split(install)[-1] == target + pattern


def test_what_starts_is_a_program_of_the_wheel_on_the_search_path() -> None:
    programs = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert json.loads(dockerfile()["ENTRYPOINT"][0]) == ["weft"]
    assert definition()["runscript"] == ['exec weft "$@"']
    assert "weft" in programs
    made = next(step.split()[-1] for step in steps() if "-m venv" in step)
    assert dockerfile()["ENV"] == [f"PATH={made}/bin:$PATH"]


def test_the_packages_are_those_with_which_the_wheel_is_tested_and_programs_that_weft_starts() -> None:
    install = next(step for step in steps() if "apt-get install" in step)
    named = {word for word in install.split()[2:] if not word.startswith("-")}
    known = {package for several in packages().values() for package in several}
    assert set(bare.PACKAGES.split(",")) <= named
    assert named - set(bare.PACKAGES.split(",")) <= known


@pytest.mark.parametrize("name", ["Dockerfile", "weft.def"])
def test_each_begins_with_how_it_is_built(name: str) -> None:
    first = (ROOT / "packaging" / name).read_text().partition("\n")[0]
    assert f"packaging/{name}" in first
