"""Commands of this checkout, as benchmarks give them."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
ROOT = Path(__file__).parent.parent
WEFT = str(ROOT / "weft")


def weft(*arguments: str, **environment: str) -> str:
    """What a command of weft prints. Raises CalledProcessError; its messages are seen as they come."""
    command, variables = [WEFT, *arguments], {**os.environ, **environment}
    return subprocess.run(command, env=variables, check=True, stdout=subprocess.PIPE, text=True).stdout


def commit(checkout: Path) -> str:
    """The commit of a checkout of weft."""
    argv = ["git", "-C", str(checkout), "rev-parse", "--short=12", "HEAD"]
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout.strip()


def alternated(variants: Sequence[T], repeat: int) -> list[T]:
    """Variants in the order of a repetition: each second one is backwards, so that no variant is always the later one."""
    return list(reversed(variants)) if repeat % 2 else list(variants)


def crowded(folder: Path) -> str:
    """The jar of a job that crowds its heap, compiled in a folder."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT / 'tools'}:{ROOT}"}
    python = [str(ROOT / "tools" / "python"), str(ROOT / "requirements-dev.lock"), "-P"]
    argv = [*python, "-m", "tests.truth.programs", str(folder.absolute())]
    done = subprocess.run(argv, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.splitlines()[-1]
