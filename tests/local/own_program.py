"""A program of a cluster's owner, whose module is not in its directory, and whose module's package is the owner's."""

import sys
from pathlib import Path

from tests.local.conftest import Weft

_MODULE = """
from owned import FACTOR
def twice(x): return FACTOR * x
"""


def own_packages(folder: Path) -> Path:
    """A directory like an environment of venv, with the package `owned`."""
    site = folder / "environment" / "lib" / "python{}.{}".format(*sys.version_info) / "site-packages"
    site.mkdir(parents=True)
    (site / "owned.py").write_text("FACTOR = 2\n")
    return folder / "environment"


def require_own_program(weft: Weft, folder: Path, program: str) -> None:
    """On the persistent cluster `mine`, a program that imports `twice`: it prints a sum and its arguments, and exits with 9."""
    modules, job = folder / "modules" / "twice.py", folder / "job" / "job.py"
    for path, text in ((modules, _MODULE), (job, program)):
        path.parent.mkdir()
        path.write_text(text)
    done = weft("submit", "--to", "mine", "--py-files", str(modules), "--", str(job), "--own")
    assert (done.returncode, "sum 90 ['--own']" in done.stdout) == (9, True), done.stderr
