"""What engines derive from their nodes: numbers in the record, text where it is shown."""

from weft.analysis.read.resolved import Resolved
from weft.record.derived import Derived, shown

SPARK = Derived(
    slots=4, executor_heap=1_234_567_890, sizes={"driver heap": 1 << 30}, notes={"security": "none"}
)


def test_figures_are_text_only_where_they_are_shown() -> None:
    assert shown({"spark": SPARK}) == {
        "slots": "4",
        "executor heap": "1.23 GB",
        "driver heap": "1.07 GB",
        "security": "none",
    }
    assert SPARK.model_dump(exclude_defaults=True)["executor_heap"] == 1_234_567_890


def test_the_slots_of_several_engines_are_known_if_they_are_the_same() -> None:
    names = ({"hdfs": Derived(), "spark": SPARK}, {"spark": SPARK, "flink": Derived(slots=4)})
    assert [Resolved(derived=each).slots for each in names] == [4, 4]
    assert Resolved(derived={"spark": SPARK, "flink": Derived(slots=8)}).slots is None
    assert Resolved(derived=names[0]).executor_heap == 1_234_567_890


def test_the_kinds_of_engines_are_those_of_the_spec() -> None:
    one = {"kind": "hive", "on": "tez"}
    several = {"kind": "several", "engines": {"spark": {}, "flink": {}}}
    assert [Resolved(spec={"engine": engine}).engines for engine in (one, several)] == [
        ("hive",),
        ("spark", "flink"),
    ]
    assert Resolved().engines == ()
