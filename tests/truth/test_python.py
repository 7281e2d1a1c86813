"""A query of TPC-DS whose price is a pandas UDF: next to nothing of its slot time is without a name."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.local.conftest import Weft
from tests.needs import JAVA, NATIVE, needs
from tests.truth.answers import explained
from tests.truth.programs import PYTHON, with_pandas

pytestmark = [pytest.mark.long, needs(*JAVA, *NATIVE)]


def tables(folder: Path, scale: float) -> Path:
    """The tables of TPC-DS as Parquet."""
    out, more = folder / "tables", [f"--{name}={folder / name}" for name in ("queries", "scratch", "outcome")]
    argv = [sys.executable, "-m", "weft.tables.generate", f"--scale={scale}", f"--output={out}", *more]
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
    return out


def test_tpcds_with_a_pandas_udf_has_names_for_its_time(
    weft: Weft, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", with_pandas())
    job = str(PYTHON / "tpcds.py")
    found = explained(weft, "submit", "--nodes", "local:2", "--", job, str(tables(tmp_path, 1)))
    assert found.share("unclassified") <= 0.1
    assert found.seconds("Python: exchange with the JVM") > 0
    assert found.seconds("Python: start and imports") > 0
    assert found.seconds("Python: worker") == 0
