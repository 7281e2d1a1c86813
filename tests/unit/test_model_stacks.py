"""Sampled stacks by category: single stacks, and those of a real executor's tasks, so that a change of a rule shows."""

import gzip
from pathlib import Path

import pytest

from tests.unit.report_fakes import make_record
from weft.analysis.compare.compare import compare
from weft.analysis.compare.headline import headlines
from weft.analysis.compare.study import explained
from weft.analysis.explain import stacks
from weft.analysis.explain.stacks import CATEGORIES, NO_RULE, categorise
from weft.analysis.summary.gather import summarize
from weft.facts import rules
from weft.report.draw.blocks import Table, Words
from weft.report.sections.profile import cpu_time
from weft.text.entry import Entry

REAL = Path(__file__).parent / "logs" / "spark-4.3-terasort.collapsed.gz"
"""Task threads of an executor of Spark 4.3.0 in a sort of 300 MB (3,000,000 rows), by async-profiler 4.1, ctimer, 10 ms."""


@pytest.mark.parametrize(
    ("stack", "category"),
    [
        ("java/lang/Thread.run;org/apache/spark/util/collection/TimSort.sort;me/Row.compareTo;java/lang/String.compareTo", "sort"),
        ("org/apache/spark/rdd/MapPartitionsRDD.compute;me/Job.lambda$0;java/util/HashMap.get", "user code"),
        ("org/apache/spark/scheduler/Task.run;java/util/HashMap.get", "engine"),
        ("org/apache/spark/serializer/KryoSerializer.read;org/apache/spark/unsafe/Platform.copyMemory", "serialisation"),
        ("org/apache/spark/RangePartitioner.getPartition;org/apache/spark/sql/catalyst/expressions/GeneratedClass$SpecificOrdering.compare;org/apache/spark/sql/catalyst/expressions/UnsafeRow.getBinary", "partitioning"),
        ("org/apache/spark/util/collection/unsafe/sort/UnsafeInMemorySorter.getSortedIterator;org/apache/spark/sql/catalyst/expressions/GeneratedClass$SpecificOrdering.compare;org/apache/spark/sql/catalyst/expressions/UnsafeRow.getBinary", "sort"),
        ("me/Job.run;java/io/FileOutputStream.writeBytes;__GI_write", "kernel"),
        ("me/Job.run;sun/nio/ch/FileDispatcherImpl.write0;write;do_syscall_64_[k]", "kernel"),
        ("me/Job.run;java/util/zip/CRC32C.update;updateBytesCRC32C", "checksum"),
        ("me/Job.run;/usr/lib/x86_64-linux-gnu/libz.so.1.2.13", "compression"),
        ("me/Job.run;java/util/zip/Deflater.deflateBytesBytes;deflate", "compression"),
        ("java/lang/Thread.run;java/lang/ClassLoader.loadClass", "jvm"),
        ("org/apache/hadoop/mapred/MapTask.run;org/apache/hadoop/util/QuickSort.sort;org/apache/hadoop/mapred/MapTask$MapOutputBuffer.compare", "sort"),
        ("org/apache/flink/streaming/runtime/tasks/StreamTask.invoke;org/apache/flink/runtime/io/network/partition/X.add", "network"),
        ("org/apache/flink/runtime/io/network/api/serialization/X.read;org/apache/flink/core/memory/MemorySegment.get;sun/misc/Unsafe.copyMemory", "serialisation"),
        ("org/apache/flink/streaming/runtime/tasks/StreamTask.invoke;me/Sorter.bytes;org/apache/flink/core/memory/MemorySegment.get;sun/misc/Unsafe.copyMemory", "user code"),
        ("java/lang/Thread.run;java/util/Objects.requireNonNull", NO_RULE),
        ("", NO_RULE),
    ],
)  # fmt: skip
def test_the_frame_nearest_the_leaf_decides(stack: str, category: str) -> None:
    assert categorise(stack.split(";")) == category


def real(directory: Path) -> Path:
    folder = directory / "profile" / "node1" / "engine"
    folder.mkdir(parents=True)
    (folder / "23618.collapsed").write_bytes(gzip.decompress(REAL.read_bytes()))
    (folder / "7.collapsed").write_text("[main tid=1];org/apache/spark/deploy/master/Master.main 500\n")
    return directory / "profile"


def test_the_tasks_of_a_real_executor_have_categories(tmp_path: Path) -> None:
    found = stacks.profile(stacks.read(Entry(real(tmp_path))))
    assert found.processes == 1
    table = found.columns
    assert list(table) == ["map", "reduce", "other tasks", "outside of tasks"]
    assert table["map"] == {
        "partitioning": 0.41, "serialisation": 0.45, "iterator": 0.07, "checksum": 0.08, "compression": 0.56, "network": 0.02,
        "file system": 0.04, "engine": 0.25, "kernel": 0.35, "jvm": 0.15,
    }  # fmt: skip
    assert table["reduce"]["sort"] == 2.02
    sides = [column for side, column in table.items() if side != stacks.BACKGROUND]
    every = sum(sum(column.values()) for column in sides)
    assert sum(column.get(NO_RULE, 0) for column in sides) < 0.01 * every
    assert table[stacks.BACKGROUND]["compiler"] > 0


def test_the_page_has_the_profile_and_the_published_one(tmp_path: Path) -> None:
    stored = make_record(tmp_path / "record", head={"probes": ["engine", "profile"]})
    real(stored.directory)
    summary = summarize(stored)
    first, *_, paper, words = cpu_time(summary).blocks
    assert isinstance(first, Table)
    assert isinstance(paper, Table)
    assert isinstance(words, Words)
    assert list(paper.columns)[1:] == [
        "map, here",
        "map, paper",
        "reduce, here",
        "reduce, paper",
    ]
    assert paper.rows[2][0] == "sorting"
    assert paper.rows[2][2::2] == ("16 %", "45 %")
    assert "java/lang/ThreadGroup.remove" in words.text


def test_another_workload_has_no_published_profile(tmp_path: Path) -> None:
    stored = make_record(tmp_path / "record", head={"workload": "wordcount"})
    real(stored.directory)
    tables = [block for block in cpu_time(summarize(stored)).blocks if isinstance(block, Table)]
    assert len(tables) == 1


def test_a_probe_that_left_nothing_is_named(tmp_path: Path) -> None:
    stored = make_record(tmp_path / "record", head={"probes": ["profile"]})
    assert cpu_time(summarize(stored)).unseen == {"CPU time by category": "the probe wrote no stacks"}
    other = make_record(tmp_path / "other")
    assert not cpu_time(summarize(other)).unseen


def test_rules_name_known_categories() -> None:
    for table in (rules.shared(rules.HOTSPOT), *rules.of_engines()):
        assert {*table.get("leaf", {}), *table.get("frame", {})} <= set(CATEGORIES)


def test_runs_with_stacks_are_compared_by_what_the_cpu_did(tmp_path: Path) -> None:
    """The categories share the part of the CPU; where one run has no stacks, none is divided."""
    first, second, third = (make_record(tmp_path / name) for name in ("a", "b", "c"))
    real(first.directory)
    real(second.directory)
    whole = compare(explained(headlines([first, third])), "two", each=True)
    split = compare(explained(headlines([first, second])), "two", each=True)
    assert not [name for group in whole.groups for name in group.parts if name.startswith("CPU: ")]
    for before, after in zip(whole.groups, split.groups, strict=True):
        categories = {name: part for name, part in after.parts.items() if name.startswith("CPU: ")}
        assert max(categories, key=lambda name: categories[name]) == "CPU: sort"
        assert sum(categories.values()) == pytest.approx(before.parts["CPU"])
        assert "CPU" not in after.parts


def test_the_tasks_of_real_containers_have_categories(tmp_path: Path) -> None:
    """A map and a reduce container of Hadoop 3.5.0: the thread of the task is the JVM's first."""
    folder = tmp_path / "node1" / "engine"
    folder.mkdir(parents=True)
    for number, side in enumerate(("map", "reduce")):
        text = gzip.decompress((REAL.parent / f"hadoop-3.5-terasort-{side}.collapsed.gz").read_bytes())
        (folder / f"{number}.collapsed").write_bytes(text)
    found = stacks.profile(stacks.read(Entry(tmp_path)))
    assert found.processes == 2
    assert list(found.columns) == ["map", "reduce", "other tasks", stacks.BACKGROUND]
    assert sorted(found.columns["map"], key=lambda name: -found.columns["map"][name])[1] == "sort"
    assert found.columns["reduce"]["checksum"] > 0
    sides = [column for side, column in found.columns.items() if side != stacks.BACKGROUND]
    assert not any(NO_RULE in column for column in sides)
