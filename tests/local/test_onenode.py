"""DuckDB and Sail on one node: checked answers, wrong ones that are caught, spills in scratch, and who may connect."""

import json
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import duckdb
import psutil
import pytest

from tests.local.conftest import Weft, written_to_scratch
from tests.needs import JAVA, NATIVE, VIRTUAL, needs
from weft.host import settings

pytestmark = needs(*JAVA)
DUCKDB = ("--engine", "duckdb", "--nodes", "local:1")
SAIL = ("--engine", "sail", "--nodes", "virtual:1")
JOIN = ("sql-join", "--set", "visits=20000", "--set", "queries=join,aggregation")
FEW = ("tpcds", "--set", "scale=0.01", "--set", "queries=q3,q50,q94")
PROGRAMS = "src/weft/adapters/engines/onenode/programs/weft_sql"
LISTEN = "0A"
SAIL_WRONG = {"q61", "q66"}
"""Queries whose quotients of decimals have too few digits on Sail 0.7.2."""


@pytest.mark.parametrize("words", [JOIN, FEW], ids=lambda words: words[0])
def test_duckdb_is_valid_and_says_that_it_is_self_checked(weft: Weft, words: tuple[str, ...]) -> None:
    result = weft.result("run", *words, *DUCKDB)
    assert result["verdict"] == "VALID", result
    assert (
        json.loads((weft.record() / "record.json").read_text())["checked_by"]
        == "another version of the engine"
    )


@needs(*VIRTUAL)
def test_sail_is_valid_on_queries_of_tpcds(weft: Weft) -> None:
    result = weft.result("run", *FEW, *SAIL)
    assert result["verdict"] == "VALID", result


@needs(*VIRTUAL)
def test_sail_is_valid_and_listens_on_the_nodes_address_and_its_one_port_only(weft: Weft) -> None:
    out, err = weft.home / "out", weft.home / "err"
    with out.open("w", encoding="utf-8") as stdout, err.open("w", encoding="utf-8") as stderr:
        # pipes that nobody reads during the run would block it
        argv = [sys.executable, "-m", "weft", "run", *JOIN, *SAIL, "--json"]
        process = subprocess.Popen(
            argv, env=weft.environment, cwd=weft.home, stdout=stdout, stderr=stderr, text=True
        )
    weft.started.append(process)
    found, end = set(), time.monotonic() + 440
    while process.poll() is None and time.monotonic() < end:
        with suppress(OSError, ValueError, psutil.Error):  # there is no record yet, or a process has ended
            found |= listening(weft)
        time.sleep(0.05)
    assert process.poll() == 0, err.read_text()
    assert json.loads(out.read_text())["verdict"] == "VALID", err.read_text()
    assert found == {("10.87.0.1", 50051)}


def listening(weft: Weft) -> set[tuple[str, int]]:
    """Addresses and ports on which anything in the network of the server's node listens."""
    found, here = set(), Path("/proc/self/ns/net").readlink()
    for process in weft.processes("pysail"):
        if Path(f"/proc/{process.pid}/ns/net").readlink() == here:
            continue  # it is about to enter the node
        for name in ("tcp", "tcp6"):
            rows = Path(f"/proc/{process.pid}/net/{name}").read_text().splitlines()[1:]
            local = [row.split()[1].split(":") for row in rows if row.split()[3] == LISTEN]
            found |= {
                (".".join(str(byte) for byte in bytes.fromhex(address)[::-1]), int(port, 16))
                for address, port in local
            }
    return found


MUTANTS = {
    "duckdb": ("duck.py", '"COPY weft_result TO', '"COPY (FROM weft_result OFFSET 1) TO', DUCKDB),
    "sail": (
        "sail.py",
        "pq.write_table(rows.toArrow(), attempt)",
        "pq.write_table(rows.toArrow()[1:], attempt)",
        SAIL,
    ),
}
"""Programs that lose a row: the file, what is there, and what is there instead."""


@pytest.mark.parametrize(
    "name", [pytest.param("duckdb"), pytest.param("sail", marks=(pytest.mark.long, needs(*VIRTUAL)))]
)
def test_a_program_that_loses_a_row_is_caught(weft: Weft, tmp_path: Path, name: str) -> None:
    file, right, wrong, words = MUTANTS[name]
    copy = tmp_path / "checkout"
    copy.mkdir()
    for path in settings.SOURCE.iterdir():
        if path.name == "src":
            shutil.copytree(path, copy / "src", ignore=shutil.ignore_patterns("__pycache__"))
        elif path.name in {"java", "native"}:
            (copy / path.name).symlink_to(path)
    program = copy / PROGRAMS / file
    text = program.read_text()
    assert text.count(right) == 1
    program.write_text(text.replace(right, wrong))
    done = weft("run", "sql-join", "--set", "visits=2000", *words, "--json", PYTHONPATH=str(copy / "src"))
    result = json.loads(done.stdout)
    assert result["verdict"] == "INVALID", result
    assert "rows instead of" in result["reason"], result


@pytest.mark.parametrize(
    "words", [pytest.param(DUCKDB, id="duckdb"), pytest.param(SAIL, id="sail", marks=needs(*VIRTUAL))]
)
def test_a_query_of_the_user_has_its_columns_and_its_order(
    weft: Weft, tmp_path: Path, words: tuple[str, ...]
) -> None:
    duckdb.sql("SELECT range % 7 AS k, range AS v FROM range(100000)").write_parquet(
        str(tmp_path / "t.parquet")
    )
    query = tmp_path / "query.sql"
    query.write_text("SELECT k, count(*) AS n FROM t GROUP BY k ORDER BY k DESC; -- the end\n")
    out = tmp_path / "best.csv"
    tables = ("--table", f"t={tmp_path}/*.parquet", "--out", str(out))
    done = weft("submit", "--json", *words, *tables, str(query))
    assert json.loads(done.stdout)["verdict"] == "UNCHECKED", (done.stdout, done.stderr)
    assert out.read_text().splitlines() == [
        "k,n",
        "6,14285",
        "5,14285",
        "4,14286",
        "3,14286",
        "2,14286",
        "1,14286",
        "0,14286",
    ]


@pytest.mark.long
@needs(*NATIVE)
def test_what_does_not_fit_into_duckdbs_memory_is_written_to_scratch(weft: Weft) -> None:
    small = ("--set", "engine.memory=100MB", "--scratch", "pool", "--set", "probes=+fileops")
    words = ("--set", "visits=1000000", "--set", "sources=1000000", "--set", "queries=aggregation,join")
    result = weft.result("run", "sql-join", *words, *DUCKDB, *small)
    assert result["verdict"] == "VALID", result
    assert written_to_scratch(weft.record()) > 1_000_000


@pytest.mark.long
@needs(*VIRTUAL)
@pytest.mark.parametrize(("words", "wrong"), [(DUCKDB, set()), (SAIL, SAIL_WRONG)], ids=["duckdb", "sail"])
def test_the_answers_to_all_queries_of_tpcds(weft: Weft, words: tuple[str, ...], wrong: set[str]) -> None:
    result = weft.result("run", "tpcds", "--set", "scale=0.1", "--set", "limit=2m", *words)
    found = {row["query"] for row in result["facts"]["queries"] if row["answer"] != "right"}
    assert len(result["facts"]["queries"]) == 99
    assert found == wrong, result["reason"]


@needs(*VIRTUAL)
def test_sail_runs_a_program_of_the_user(weft: Weft) -> None:
    program = str(settings.SOURCE / "examples" / "parquet_join.py")
    done = weft("submit", "--json", *SAIL, "--", program)
    assert json.loads(done.stdout)["verdict"] == "UNCHECKED", (done.stdout, done.stderr)
    assert (weft.record() / "outcomes" / "stdout").read_text() == "joined 25000 orders worth 624975000\n"


SESSION = "from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\n"
LACKING = {
    f"{SESSION}spark.sparkContext": "the program uses what Spark Connect does not have: sparkContext",
    "from pyspark import SparkContext": "the program uses what Spark Connect does not have: SparkContext",
    SESSION.replace(".get", '.master("local[2]").get'): "the program sets a master of Spark",
}


@needs(*VIRTUAL)
@pytest.mark.parametrize(("text", "says"), LACKING.items(), ids=("session", "import", "master"))
def test_sail_names_what_spark_connect_does_not_have(
    weft: Weft, tmp_path: Path, text: str, says: str
) -> None:
    program = tmp_path / "job.py"
    program.write_text(text)
    done = weft("submit", *SAIL, "--set", "probes=null", "--", str(program))
    assert done.returncode == 1, done.stdout
    assert f"job.py failed on node1: {says}" in done.stderr, done.stderr
    assert "hint: " in done.stderr


@needs(*VIRTUAL)
def test_the_exit_code_of_a_program_on_sail_is_that_of_weft(weft: Weft, tmp_path: Path) -> None:
    program = tmp_path / "job.py"
    program.write_text(f"{SESSION}import sys\nsys.exit(7 if spark.range(10).count() == 10 else 1)\n")
    assert weft("submit", *SAIL, "--set", "probes=null", "--", str(program)).returncode == 7
