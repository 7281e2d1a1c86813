"""What weft knows of each engine: in one place, and complete."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.source import nodes
from weft.adapters.engines import KINDS
from weft.adapters.workloads import KINDS as WORKLOADS
from weft.facts import engines, logs, rules, threadkinds
from weft.facts.threadkinds import kind, programs
from weft.host import settings

SOURCE = settings.SOURCE / "src" / "weft"
NAMES = set(engines.ALL) - {"limit", "null"} | {"mapreduce", "tez"}
"""`limit` is a word of its own, and `null` a storage, a probe and nodes, too."""
OWN = ("adapters/engines/", "facts/engines/")
EXCUSED = {
    "analysis/summary/gather.py": "the fields of the sections on one engine",
    "api/notebook.py": "a notebook's session is one of Spark",
    "report/sections/flink.py": "a section on one engine",
    "report/sections/mapreduce.py": "a section on one engine",
    "adapters/workloads/nexmark.py": "DuckDB as the checker of answers",
    "adapters/workloads/nexmarksql.py": "the texts of queries, in each engine's SQL",
    "adapters/workloads/tablework.py": "DuckDB as the checker of answers",
    "tables/check.py": "DuckDB as the checker of answers",
    "tables/nexmark.py": "DuckDB as the checker of answers",
    "tables/generate.py": "DuckDB as the generator of tables",
    "adapters/services/hadoop.py": "the distribution of Hadoop, with HDFS and YARN",
}
"""Modules that name an engine for a reason."""


def named(each: Iterable[ast.AST]) -> Iterator[ast.expr]:
    """Keys of dicts, and both sides of comparisons, with the entries of lists there."""
    for node in each:
        if isinstance(node, ast.Dict):
            yield from (key for key in node.keys if key)
        elif isinstance(node, ast.Compare):
            for side in (node.left, *node.comparators):
                yield from side.elts if isinstance(side, (ast.Tuple, ast.List, ast.Set)) else [side]


def sniffs(each: Iterable[ast.AST]) -> bool:
    return any(isinstance(one, ast.Constant) and one.value in NAMES for one in named(each))


@pytest.mark.parametrize("text", ['{"spark": 1}', 'x = "flink" in homes', 'y == "tez"', 'z in ("a", "hive")'])
def test_a_table_of_engines_is_recognised(text: str) -> None:
    assert sniffs(ast.walk(ast.parse(text)))


def test_no_module_outside_of_the_engines_and_their_facts_asks_which_engine_it_is() -> None:
    paths = {str(path.relative_to(SOURCE)): path for path in SOURCE.rglob("*.py")}
    found = {name for name, path in paths.items() if not name.startswith(OWN) and sniffs(nodes(path))}
    assert found == set(EXCUSED)


def test_every_engine_has_its_facts() -> None:
    assert set(engines.ALL) == set(KINDS)


def test_an_engine_whose_tasks_are_explained_has_a_log_and_rules_of_its_threads() -> None:
    with_rules = {name for name, facts in engines.ALL.items() if facts.rules}
    assert with_rules == set(logs.every()) == {"dask", "flink", "hadoop", "hive", "ray", "spark"}
    # stacks are of JVMs
    of_jvms = [table for table in rules.of_engines() if not table["threads"].get("titled")]
    assert len(of_jvms) == len(with_rules) - 2
    assert all({"threads", "side", "frame"} <= set(table) for table in of_jvms)


def test_the_threads_of_tez_have_kinds_and_its_stacks_sides() -> None:
    assert "TezChild" in programs()
    assert kind("TezChild", "Fetcher_O {Map_") == "server"
    assert any(
        "tez/MapRecordProcessor" in str(table.get("side", {}).get("map")) for table in rules.of_engines()
    )


def test_what_measures_a_scheduler_is_a_workload_of_the_engine() -> None:
    for name, facts in engines.ALL.items():
        if facts.empty_job:
            assert name in WORKLOADS[facts.empty_job["kind"]].engines
            assert logs.of(name)


def test_the_facts_of_an_engine_of_another_version_are_none() -> None:
    assert engines.of("unheard") == engines.of("timely")


def test_tables_are_imported_only_when_a_log_is_read() -> None:
    assert not [
        path for path in Path(engines.__file__).parent.glob("*/__init__.py") if "polars" in path.read_text()
    ]


def test_the_preload_library_has_room_for_all_kinds_and_rules() -> None:
    """It counts nothing at all if one does not fit."""
    source = (settings.SOURCE / "native/scratch/core/src/threads.rs").read_text()
    room = {name: int(found) for name, found in re.findall(r"const (MAX_\w+): usize = (\d+);", source)}
    rules = threadkinds.preload_rules().split(":")
    kinds = {threadkinds.OTHER, *(re.split("[@=]", rule)[0] for rule in rules)}
    assert len(kinds) <= room["MAX_KINDS"]
    assert len(rules) <= room["MAX_RULES"]
