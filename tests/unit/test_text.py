"""A table as TOML text reads back as the same table, but for secrets."""

import tomllib

from hypothesis import example, given
from hypothesis import strategies as st

from weft.text.redaction import redacted
from weft.text.toml import toml_of

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=6)
SCALAR = st.one_of(st.booleans(), st.integers(-(2**53), 2**53), TEXT)
KEY = TEXT.filter(bool)
TABLE = st.recursive(
    st.dictionaries(KEY, st.one_of(SCALAR, st.lists(SCALAR))),
    lambda inner: st.dictionaries(KEY, st.one_of(SCALAR, inner)),
    max_leaves=5,
)


@given(TABLE)
@example({"TOKEN": "0"})
def test_a_table_reads_back(table: dict[str, object]) -> None:
    assert tomllib.loads(toml_of(table, {})) == redacted(table)


def test_coordinates_are_comments_at_the_top() -> None:
    text = toml_of({"workload": "terasort", "scratch": {"kind": "disk"}}, {"nodes.count": 2})
    assert text.startswith('# "nodes.count" = 2\n')
    assert tomllib.loads(text) == {"workload": "terasort", "scratch": {"kind": "disk"}}


def test_values_and_keys_are_written_as_toml_has_them() -> None:
    table = {"engine": {"conf": {"spark.a.b": "c"}, "port": 1}, "probes": ["proc"], "x": True}
    assert tomllib.loads(toml_of(table, {})) == table
