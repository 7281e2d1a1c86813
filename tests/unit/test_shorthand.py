"""The one-line form of an adapter's table."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.text.shorthand import expand

POSITIONAL = {"disk": "path", "memory": "size", "virtual": "count"}
WORDS = st.text(st.characters(codec="ascii", categories=["L", "N"], include_characters="/._-"), min_size=1)


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("disk", {"kind": "disk"}),
        ("disk:/a/b", {"kind": "disk", "path": "/a/b"}),
        ("memory:2G", {"kind": "memory", "size": "2G"}),
        ("virtual:3,rate=1gbit", {"kind": "virtual", "count": "3", "rate": "1gbit"}),
        ("disk,path=/a", {"kind": "disk", "path": "/a"}),
        ("disk:path=/a:b", {"kind": "disk", "path": "/a:b"}),
        ("disk,path=/a:b", {"kind": "disk", "path": "/a:b"}),
        ("memory:", {"kind": "memory"}),
    ],
)
def test_a_word_is_a_table(text: str, table: dict[str, str]) -> None:
    assert expand(text, POSITIONAL) == table


@pytest.mark.parametrize("text", ["disk:a,b", "disk:/a,path=/b", "disk,path=/a,path=/b"])
def test_what_can_be_meant_in_two_ways_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"no key|set twice"):
        expand(text, POSITIONAL)


def test_a_table_passes_through() -> None:
    table = {"kind": "disk"}
    assert expand(table, POSITIONAL) is table


@given(st.sampled_from(sorted(POSITIONAL)), st.dictionaries(WORDS, WORDS))
def test_what_is_written_reads_back(kind: str, options: dict[str, str]) -> None:
    options.pop("kind", None)
    text = ",".join([kind, *(f"{key}={value}" for key, value in options.items())])
    assert expand(text, POSITIONAL) == {"kind": kind, **options}
