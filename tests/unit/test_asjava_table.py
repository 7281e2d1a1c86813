"""Rows with options of weft for Java, next to those with Java's defaults."""

from tests.unit.test_evidence_tables import shown


def test_a_ratio_is_within_each_round() -> None:
    taken = [("flink raw", 1, 9.0), ("flink raw, as Java does", 1, 10.0), ("flink raw", 2, 16.0)]
    rows = [
        {"cell": {"row": name}, "repeat": number, "measures": {"seconds": seconds}}
        for name, number, seconds in taken
    ]
    lines = shown("jit", *rows)
    assert lines[2] == "| flink raw, the measured part | `weft's` | 10.0 | 12.5 (9.00 to 16.0) | 0.90 |"
    assert len(lines) == 3
