"""A program of a cluster's owner, whose module is not in its directory."""

from pathlib import Path

from tests.local.conftest import Weft


def require_own_program(weft: Weft, folder: Path, program: str) -> None:
    """On the persistent cluster `mine`, a program that imports `twice`: it prints a sum and its arguments, and exits with 9."""
    modules, job = folder / "modules" / "twice.py", folder / "job" / "job.py"
    for path, text in ((modules, "def twice(x): return 2 * x\n"), (job, program)):
        path.parent.mkdir()
        path.write_text(text)
    done = weft("submit", "--to", "mine", "--py-files", str(modules), "--", str(job), "--own")
    assert (done.returncode, "sum 90 ['--own']" in done.stdout) == (9, True), done.stderr
