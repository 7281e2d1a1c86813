"""The Java that weft downloads, against what weft says of it before it is there."""

import subprocess
from pathlib import Path

import pytest

from weft.adapters import engines, services
from weft.host.provision import jdk

OF_ENGINES = {module for engine in engines.KINDS.values() for module in engine.java_modules}
NEEDED = sorted(OF_ENGINES | {module for each in services.KINDS.values() for module in each.java_modules})


@pytest.fixture(scope="module")
def own() -> Path:
    return jdk.own(print) / "bin" / "java"


def test_some_modules_are_needed_and_those_that_it_lacks_are_among_them() -> None:
    assert set(jdk.OWN_LACKS) < set(NEEDED)


@pytest.mark.parametrize("module", NEEDED)
def test_it_lacks_what_weft_expects_and_nothing_else(own: Path, module: str) -> None:
    argv = [str(own), f"--add-modules={module}", "-version"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert (done.returncode != 0) == (module in jdk.OWN_LACKS), done.stdout + done.stderr
