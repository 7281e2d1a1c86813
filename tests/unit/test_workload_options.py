"""Options of workloads that their programs cannot take, or whose right results would be called wrong, are refused before a run."""

import pytest

from weft.errors import UsageError
from weft.spec.parse import parse

KAFKA = {"services": ["kafka:1"]}


@pytest.mark.parametrize(
    ("kind", "keys", "words"),
    [
        ("file-open", {"read_bytes": "1024,1024"}, "there more than once"),
        ("file-open", {"read_bytes": "4K"}, "no positive whole number"),
        ("file-open", {"threads": "1,0"}, "no positive whole number"),
        ("file-open", {"size": "1M"}, "4194304 bytes does not fit into the file of 1048576"),
        ("file-open", {"reads": "2000000"}, "1000000"),
        ("dfsio", {"buffer": "2G"}, "at most 1.07 GB"),
        ("groupby", {"pairs": "3000000000"}, "2147483647"),
        ("count", {"unique_keys": "3000000000"}, "2147483639"),
        ("sort-by-key", {"key_length": "4"}, "20000 different keys have up to 5 characters"),
        ("stream-statistics", {"rate": "max", "first_rate": "0.5"}, "first_rate"),
    ],
)
def test_it_is_refused(kind: str, keys: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse({"workload": kind, **(KAFKA if kind.startswith("stream") else {})}, keys)
    assert words in f"{caught.value} {caught.value.hint}"


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        ("file-open", {"read_bytes": "1024,1000000", "size": "1M", "threads": "2"}),
        ("sort-by-key", {"key_length": "4", "unique_keys": "10000"}),
        ("sort-by-key-int", {"key_length": "4"}),
        ("stream-statistics", {"rate": "max", "first_rate": "1"}),
    ],
)
def test_what_they_take_is_not(kind: str, keys: dict[str, str]) -> None:
    parse({"workload": kind, **(KAFKA if kind.startswith("stream") else {})}, keys)
