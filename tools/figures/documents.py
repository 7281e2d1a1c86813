"""Places of documents that are made of evidence: between two comments, of which the first names the table.

    <!-- evidence: streams -->
    <!-- evidence: streams, else of 2026-11-23 -->

Everything in between is written by `tools/evidence`. The second form is of figures whose raw data was not kept: they stay, marked,
until there are rows.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from weft.host import settings

ROOT = settings.SOURCE
PATTERNS = (
    "*.md",
    "java/README.md",
    "native/*/README.md",
    "docs/*.md",
    "docs/guide/*.md",
    "docs/decisions/*.md",
    "studies/*/README.md",
    "bench/*.md",
)
END = "<!-- end of evidence -->"
_BLOCK = re.compile(
    r"^<!-- evidence: (?P<name>[\w/-]+)(?:, else of (?P<date>\d{4}-\d\d-\d\d))? -->\n(?P<text>.*?)^"
    + END
    + r"$",
    re.MULTILINE | re.DOTALL,
)
NOT_KEPT = re.compile(r"\(?[Ff]igures of \d{4}-\d\d-\d\d, raw data not kept\.?\)?")
"""What readers see of figures that nobody can check again."""
_WITHOUT_DATA = re.compile(r"\braw\s+data\s+(?:was\s+|were\s+)?not\s+kept\b")
"""The same in any sentence, also over two lines."""


@dataclass(frozen=True)
class Block:
    """One place."""

    document: str
    line: int
    name: str
    date: str
    """Of figures without raw data; empty for a table that has always had some."""
    text: str
    """In between."""


def documents() -> list[str]:
    """Paths of all documents that may have such places, below the checkout."""
    found = {path.relative_to(ROOT) for pattern in PATTERNS for path in ROOT.glob(pattern)}
    return sorted(map(str, found))


def blocks(document: str, text: str) -> Iterator[Block]:
    """The places of a document, in order. Raises ValueError for one that has no end."""
    found = list(_BLOCK.finditer(text))
    if len(found) != len(re.findall("^<!-- evidence: ", text, re.MULTILINE)):
        raise ValueError(f"{document}: a table of evidence has no end: {END}")
    for match in found:
        line = text.count("\n", 0, match.start()) + 1
        yield Block(document, line, match["name"], match["date"] or "", match["text"])


def all_blocks() -> list[Block]:
    """Of every document."""
    return [block for name in documents() for block in blocks(name, (ROOT / name).read_text())]


def written(block: Block, lines: list[str] | None) -> str:
    """The whole of a place, with these lines; without lines, as it is but marked."""
    if lines is None:
        text = block.text if NOT_KEPT.search(block.text) else f"\n{marked(block.date)}\n{block.text}"
        return f"<!-- evidence: {block.name}, else of {block.date} -->\n{text}{END}"
    return "\n".join([f"<!-- evidence: {block.name} -->", "", *lines, "", END])


def marked(date: str) -> str:
    """The sentence that every table without raw data has."""
    return f"*Figures of {date}, raw data not kept.*"


def replaced(document: str, text: str, new: dict[str, list[str] | None]) -> str:
    """A document's text with its tables as they have to be: those that are named here."""
    places = iter(list(blocks(document, text)))

    def place(match: re.Match[str]) -> str:
        block = next(places)
        return written(block, new[block.name]) if block.name in new else match[0]

    return _BLOCK.sub(place, text)


def prose(text: str) -> int:
    """How often a text outside of such places says that the raw data of figures was not kept."""
    return len(_WITHOUT_DATA.findall(_BLOCK.sub("", text)))


_TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)
_GIVEN = tuple(f"<!-- {how}, not measured -->\n\n" for how in ("given", "counted"))
"""Above a table of numbers that were chosen, published, or counted by a command in the text."""


def seems_measured(text: str) -> list[str]:
    """First lines of the tables outside of such places that have numbers in half of the cells of half of their rows."""
    outside = _FENCED.sub("", _BLOCK.sub("", text))
    return [
        table[0].partition("\n")[0]
        for table in _TABLE.finditer(outside)
        if not outside[: table.start()].endswith(_GIVEN) and _numbers(table[0].splitlines()[2:])
    ]


_FENCED = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)


def _numbers(body: list[str]) -> bool:
    rows = [[cell.strip().lstrip("*`+-±~") for cell in line.strip("|\n ").split("|")[1:]] for line in body]
    full = [[cell for cell in row if cell] for row in rows]
    of_digits = [2 * sum(cell[0].isdigit() for cell in row) >= len(row) > 0 for row in full]
    return 2 * sum(of_digits) >= len(body) > 0
