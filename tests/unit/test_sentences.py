"""Sentences of the README, the guides and the list of changes have at most 30 words, and their lines fit into a wide terminal. Code, tables
and figures that are made from rows are left out."""

import re
from collections.abc import Iterator

import pytest

from tests.documents import ROOT

MOST = 30
WIDEST = 150
DOCUMENTS = [
    "README.md",
    "CHANGELOG.md",
    *sorted(
        str(path.relative_to(ROOT))
        for folder in ("guide", "releases")
        for path in (ROOT / "docs" / folder).glob("*.md")
    ),
]
_LEFT_OUT = (
    r"<!-- evidence.*?<!-- end of evidence -->",
    r"^ *```.*?^ *```$",
    r"<!--.*?-->",
    r"^\|.*?$",
    r"^#.*?$",
    r"^!\[.*?$",
)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_CODE = re.compile(r"`[^`]+`")
_ITEM = re.compile(r"^ *([-*]|\d+\.) ", re.MULTILINE)
_END = re.compile(r"(?<![a-z]\.[a-z])(?<!\bal)(?<!\bvs)[.!?][\"'*)]*\s+|\n{2,}")


def sentences(text: str) -> Iterator[str]:
    """Each as one line; what is in backquotes is one word, and of a link only its text remains."""
    for pattern in _LEFT_OUT:
        text = re.sub(pattern, "\n\n", text, flags=re.DOTALL | re.MULTILINE)
    text = _ITEM.sub("\n\n", _CODE.sub("code", _LINK.sub(r"\1", text)))
    for sentence in _END.split(text):
        if words := " ".join(sentence.split()):
            yield words


def length(sentence: str) -> int:
    """Words: what has a letter or a digit."""
    return sum(any(letter.isalnum() for letter in word) for word in sentence.split())


@pytest.mark.parametrize("document", DOCUMENTS)
def test_no_sentence_of_a_guide_has_more_than_30_words(document: str) -> None:
    found = sentences((ROOT / document).read_text())
    assert [f"{length(one)} words: {one}" for one in found if length(one) > MOST] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_no_line_of_a_guide_is_too_wide_for_a_terminal(document: str) -> None:
    assert wide((ROOT / document).read_text()) == []


def wide(text: str) -> list[str]:
    """Lines of paragraphs and lists that have too many letters."""
    for pattern in _LEFT_OUT:
        text = re.sub(pattern, "", text, flags=re.DOTALL | re.MULTILINE)
    return [line for line in text.splitlines() if len(line) > WIDEST]


def test_a_wide_line_is_seen() -> None:
    line = "w" * (WIDEST + 1)
    assert wide(f"{line}\n- {line}\n\n| {line} |\n```sh\n{line}\n```\n") == [line, f"- {line}"]


LONG = " ".join(["word"] * 31)


@pytest.mark.parametrize(
    ("text", "longest"),
    [
        (LONG, 31),
        (f"{LONG}. Short.", 31),
        (f"Short, as et al. say it. {LONG}", 31),
        (f"- {LONG}\n- short", 31),
        (f"| {LONG} |", 0),
        (f"```sh\n{LONG}\n```", 0),
        (f"Short: `{LONG}`.", 2),
        ("One [two three](https://example.org/four) five.", 4),
        (f"# {LONG}\n\nOne\ntwo.", 2),
        ("weft begins. weft ends.", 2),
        (f"<!-- evidence: x -->\n\n{LONG}\n\n<!-- end of evidence -->", 0),
        ("- one two\n- three", 2),
        (f"![{LONG}](page.png)\none two", 2),
    ],
)
def test_words_are_counted_by_sentence(text: str, longest: int) -> None:
    assert max(map(length, sentences(text)), default=0) == longest
