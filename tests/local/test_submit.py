"""Jobs of users: the examples, on several nodes and scratches, and what becomes of a job that fails."""

import json
import tarfile
from pathlib import Path

import pytest

from tests.local.conftest import Weft
from tests.needs import NATIVE, VIRTUAL, needs

EXAMPLES = Path(__file__).parents[2] / "examples"
JOINED = "joined 25000 orders worth 624975000"


def submitted(weft: Weft, *words: str) -> list[str]:
    """The lines that a job prints, which has a record and a report."""
    done = weft("submit", *words)
    assert done.returncode == 0, done.stderr
    assert weft.head()["verdict"] == "UNCHECKED"
    assert (weft.record() / "report.html").stat().st_size > 10_000
    output = (weft.record() / "outcomes" / "stdout").read_text()
    assert done.stdout.startswith(output)
    return output.splitlines()


@needs(*NATIVE, *VIRTUAL)
def test_an_example_runs_with_its_output_a_record_and_a_report(weft: Weft) -> None:
    words = ["--nodes", "virtual:2", "--scratch", "pool"]
    assert "total 79997" in submitted(weft, *words, "--", str(EXAMPLES / "word_count.py"))


@pytest.mark.long
@needs(*NATIVE)
def test_tables_below_a_directory_of_ones_own_are_removed(weft: Weft) -> None:
    own = weft.home / "tables"
    own.mkdir()
    done = weft("submit", "--scratch", "pool", "--json", "--", str(EXAMPLES / "parquet_join.py"), str(own))
    assert json.loads(done.stdout)["verdict"] == "UNCHECKED", "standard output is the results alone"
    assert JOINED in done.stderr
    assert list(own.iterdir()) == []


def test_arguments_reach_the_job_whose_exit_code_is_that_of_weft(weft: Weft) -> None:
    job = weft.home / "seven.py"
    job.write_text(
        "import sys\nfrom pyspark.sql import SparkSession\n"
        "spark = SparkSession.builder.getOrCreate()\nprint('rows', spark.range(10).repartition(3).count())\n"
        "print(sys.argv[1:])\nspark.stop()\nsys.exit(7)\n"
    )
    done = weft("submit", "--", str(job), "a text.txt")
    assert done.returncode == 7, done.stderr
    assert done.stdout.startswith("rows 10\n['a text.txt']\n")
    assert weft.head()["verdict"] == "INVALID"
    assert "exit code 7" in weft.head()["reason"]
    assert (weft.record() / "report.html").exists()


def test_a_job_that_asks_for_more_than_any_node_has_ends_at_once(weft: Weft) -> None:
    done = weft("submit", "--conf", "spark.executor.cores=4096", "--", str(EXAMPLES / "word_count.py"))
    assert done.returncode == 1, done.stderr
    assert "no executor can ever start" in weft.head()["reason"]
    assert "spark.executor.cores" in " ".join(done.stderr.split()).partition("hint:")[2]


def test_a_failed_python_job_is_explained_by_what_its_output_says(weft: Weft) -> None:
    """spark-submit gives a program's standard error to its standard output."""
    job = weft.home / "missing.py"
    job.write_text(
        "from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\n"
        "spark.read.text('/nonexistent/input').count()\n"
    )
    done = weft("submit", "--", str(job))
    assert done.returncode == 1, done.stderr
    assert "the input file:/nonexistent/input does not exist" in weft.head()["reason"]
    assert "missing.py, line 3" in weft.head()["reason"]
    assert "times faster" not in done.stderr + done.stdout
    evidence = weft.head()["evidence"]
    assert (evidence["file"], evidence["rule"]) == ("outcomes/stdout", "no-input")
    line = (weft.record() / evidence["file"]).read_text().splitlines()[evidence["line"] - 1]
    assert evidence["excerpt"] in line
    outcome = next(line for line in done.stdout.splitlines() if line.startswith("INVALID"))
    assert outcome.startswith("INVALID  missing.py failed on node1: the input file:")
    page = (weft.record() / "report.html").read_text()
    assert page.index("missing.py failed on node1: the input") < page.index("has no time")
    assert f"outcomes/stdout:{evidence['line']}" in page


def test_a_job_that_takes_too_long_is_ended_with_what_it_did_last(weft: Weft) -> None:
    job = weft.home / "slow.py"
    job.write_text("import time\nprint('waiting for the moon', flush=True)\ntime.sleep(600)\n")
    done = weft("submit", "--set", "timeout=15s", "--", str(job))
    assert done.returncode == 1, done.stderr
    assert "slow.py did not end within its time limit of 15 s on node1" in weft.head()["reason"]
    evidence = weft.head()["evidence"]
    assert (evidence["rule"], evidence["excerpt"]) == ("time-limit", "waiting for the moon")


CHECKED = """
import sys
from pathlib import Path
from pyspark import SparkContext
context = SparkContext()
source, target, wanted = sys.argv[1:]
rows = context.textFile(source).map(int).collect()
context.parallelize(rows, 2).map(lambda row: row + int(open("env/add.txt").read())).saveAsTextFile(target)
print("sum", sum(rows))
context.stop()
"""


def test_a_job_with_a_check_is_a_measurement_with_its_own_input_and_output(weft: Weft) -> None:
    job, numbers, added = (weft.home / name for name in ("sum.py", "numbers.txt", "add.txt"))
    job.write_text(CHECKED)
    numbers.write_text("1\n2\n3\n")
    added.write_text("10")
    with tarfile.open(weft.home / "env.tar.gz", "w:gz") as archive:
        archive.add(added, "add.txt")
    check = weft.home / "check.py"
    check.write_text(
        "import sys\nfrom pathlib import Path\n"
        "found = sorted(int(row) for part in Path(sys.argv[1]).glob('part-*') for row in part.read_text().split())\n"
        "print('found', found)\nsys.exit(0 if found == [11, 12, 13] and 'sum 6' in Path(sys.argv[2]).read_text() else 1)\n"
    )
    storage = (
        "--nodes",
        "local:1",
        "--input",
        "memory",
        "--stage",
        "numbers.txt",
        "--output",
        f"disk:{weft.home}",
    )
    words = (*storage, "--archives", "env.tar.gz#env", "--name", "adding", "--label", "mine", "--repeat", "2")
    program = (str(job), "{input}/numbers.txt", "{output}/result", "x")
    done = weft("submit", *words, "--check", f"python3 {check} {{output}}/result {{stdout}}", *program)
    assert done.returncode == 0, done.stderr
    head = weft.head()
    assert (head["verdict"], head["checked_by"], head["labels"]) == (
        "VALID",
        "the user's own command",
        ["mine"],
    )
    assert head["facts"]["check"]["lines"] == ["found [11, 12, 13]"]
    assert len(json.loads(weft("runs", "--label", "mine", "--json").stdout)) == 2
    assert weft("compare", "label:mine", "--reference", "1h").returncode == 0
    assert weft("compare", "label:mine", "--reference", "10ms").returncode == 1
    assert [path.name for path in weft.home.glob("weft-*")] == [], "the output is removed with the run"

    wrong = weft("submit", *storage[:6], "--output", "memory", "--archives", "env.tar.gz#env",
                 "--check", "sh -c 'echo it is wrong >&2; exit 3'", *program)  # fmt: skip
    assert wrong.returncode == 1
    assert "sum 6" in wrong.stdout
    assert weft.head()["verdict"] == "INVALID"
    assert weft.head()["reason"] == "the check ended with exit code 3: it is wrong"
    assert "check: it is wrong" in wrong.stdout
