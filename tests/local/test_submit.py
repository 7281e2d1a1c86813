"""Jobs of users: the examples, on several nodes and scratches, and what becomes of a job that fails."""

from pathlib import Path

import pytest

from tests.local.conftest import Weft, root

EXAMPLES = Path(__file__).parents[2] / "examples"
WORDS = "total 79997"
JOINED = "joined 25000 orders worth 624975000"

ON = [
    pytest.param("local:2", "disk", "word_count.py", WORDS, id="local-disk"),
    pytest.param("local:2", "pool", "parquet_join.py", JOINED, id="local-pool"),
    pytest.param("virtual:2", "pool", "word_count.py", WORDS, id="virtual-pool", marks=root),
]


@pytest.mark.parametrize(("nodes", "scratch", "program", "printed"), ON)
def test_an_example_runs_with_its_output_a_record_and_a_report(
    weft: Weft, nodes: str, scratch: str, program: str, printed: str
) -> None:
    done = weft("submit", "--nodes", nodes, "--scratch", scratch, "--", str(EXAMPLES / program))
    assert done.returncode == 0, done.stderr
    assert printed in done.stdout.splitlines()
    assert weft.head()["verdict"] == "UNCHECKED"
    assert (weft.record() / "report.html").stat().st_size > 10_000
    assert printed in (weft.record() / "outcomes" / "stdout").read_text()


def test_an_argument_reaches_the_job(weft: Weft) -> None:
    text = weft.home / "a text.txt"
    text.write_text("one two\ntwo\n")
    done = weft("submit", "--", str(EXAMPLES / "word_count.py"), str(text))
    assert done.returncode == 0, done.stderr
    assert [line.split() for line in done.stdout.splitlines()[:3]] == [
        ["2", "two"],
        ["1", "one"],
        ["total", "3"],
    ]


def test_tables_below_a_directory_of_ones_own_are_removed(weft: Weft) -> None:
    own = weft.home / "tables"
    own.mkdir()
    done = weft("submit", "--", str(EXAMPLES / "parquet_join.py"), str(own))
    assert JOINED in done.stdout, done.stderr
    assert list(own.iterdir()) == []


def test_the_exit_code_of_a_job_is_that_of_weft(weft: Weft) -> None:
    job = weft.home / "seven.py"
    job.write_text(
        "import sys\nfrom pyspark.sql import SparkSession\n"
        "spark = SparkSession.builder.getOrCreate()\nprint('rows', spark.range(10).repartition(3).count())\n"
        "spark.stop()\nsys.exit(7)\n"
    )
    done = weft("submit", "--", str(job))
    assert done.returncode == 7, done.stderr
    assert "rows 10" in done.stdout
    assert weft.head()["verdict"] == "INVALID"
    assert "exit code 7" in weft.head()["reason"]
    assert (weft.record() / "report.html").exists()
