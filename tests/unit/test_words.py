"""Code, messages and documents use the terms of the manuals of Spark, Hadoop and Slurm, not expressions of weft's own.

Each rule is a regular expression with what to write instead. See the glossary in CONTRIBUTING.md.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.test_taste import KINDS, ROOT, own

RULES = {
    r"\battend(ants?|ers?|\.py)\b": "remote agent",
    r"\bcaretak(ers?|ing)\b": "cleanup watchdog",
    r"\bstanding\b": "persistent cluster; running",
    r"\b(stands?|stood) (on|upon|in|at|by|below|above|beside|before|after|behind|there|here|until|ready)\b": (
        "is backed by, runs on, is in"
    ),
    r"\b(cluster|engine|service|daemon|session|file system|hdfs|yarn|realm)s? (stands?|stood)\b": "is running",
    r"\bstood\b": "was, ran",
    r"\bbrought\b": "dependencies; added, moved",
    r"\b(engine|spark|flink|hadoop|job|stage|history|yarn)(s?'s?)? accounts?\b|\b(its|their|own) accounts?\b": (
        "event log, job history, job metrics"
    ),
    r"\baccounts? of (its|their|what|jobs|stages)\b": "event log, job history, job metrics",
    r"(, |\b(time|said|written|given|kind|spec|order|real|study|coordinates) )in words\b": "as text",
    r"\b(last|its|their|own|these|those|further|same|more|command|daemon|program|client|user)('s|s')? words\b": (
        "arguments; message, output"
    ),
    r"\bwords (after|before|of (a|the|its|one) (command|daemon|program|client|user))\b": "arguments",
    r"\b_?told\b": "reported, shown, logged, configured",
    r"\btells\b": "reports, shows, returns",
    r"\b_?said\b": "output, reported, answer",
    r"\bspoken to\b": "supported",
    r"\bwhoever\b": "the process that, anybody who",
    r"\banew\b": "again",
    r"\bheld against\b": "compared with",
    r"\bmend(ed|s)?\b": "fix",
    r"\b(goes|go|went) on where\b": "continues where",
    r"\bcannot be meant\b|\bnobody means\b": "invalid, makes no sense",
    r"\b(kept|done|made|gone) for good\b": "permanently",
}
"""By expression: what to write instead."""

ITSELF = {
    Path("tests/unit/test_words.py"),
    Path("tests/unit/test_identifiers.py"),
    Path("src/weft/record/migrations.py"),
    Path("tests/unit/test_migrations.py"),
}
"""The rules, and the terms of older records."""
OLD = ROOT / "tests" / "unit" / "records"


def found(path: Path) -> list[str]:
    """Where a file has one of the expressions, with what to write instead."""
    text = path.read_text()
    return [
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]!r}: write {better}"
        for pattern, better in RULES.items()
        for match in re.finditer(pattern, text, re.IGNORECASE)
    ]


def texts() -> list[Path]:
    """All of weft's own texts."""
    paths = {*own(*KINDS), *ROOT.glob("*.md"), *(ROOT / "tools").glob("*"), ROOT / "weft", ROOT / "test"}
    return sorted(
        path
        for path in paths
        if path.is_file() and path.relative_to(ROOT) not in ITSELF and OLD not in path.parents
    )


def test_texts_use_the_terms_of_the_glossary() -> None:
    assert [hit for path in texts() for hit in found(path)] == []


READERS = {
    r"\bprocessors?\b(?! architecture)": "CPU",
    r"\bcollectors?\b": "GC",
    r"\bcompilers\b": "JIT compilation",
    r"\bstorages\b": "storage, storage types",
    r"\b(no|measured|the|those) ceilings?\b|\bceilings by\b": "measured peak",
    r"\bgauges\b": "utilisation",
    r"\bbands?\b": "prediction interval",
    r"\bgreatest\b|(?<!at )\bleast\b(?=,| value)": "min, max",
    r"\bwitness(es)?\b": "check",
    r"\bbeside\b": "next to, with, while",
    r"\band kin\b": "and others",
    r"\btails? of (a|the|each) stages?\b": "stragglers",
    r"\ba way (out|to the registries)\b": "Internet access",
    r"\bnames of scratch\b": "metadata operations",
    r"\bby (its|their) intervals?\b": "surely, perhaps",
}
"""What a reader of guides, of --help, of messages and of pages does not see, with the term of the manuals of Slurm, Spark and Lustre."""
_CODE = re.compile(
    r"^ *```.*?^ *```$|<!-- evidence.*?<!-- end of evidence -->|`[^`\n]+`", re.DOTALL | re.MULTILINE
)

_MARKUP = re.compile(r"{[%{#].*?[%}#]}|<[^>]*>")


def shown() -> Iterator[tuple[str, int, str]]:
    """What readers see: documents without code and without tables that are made from rows; strings of the program, its templates
    and rules. Each with its file and line."""
    documents = [
        ROOT / "README.md",
        ROOT / "CHANGELOG.md",
        *(ROOT / "docs" / "guide").glob("*.md"),
        *(ROOT / "docs" / "releases").glob("*.md"),
    ]
    for path in documents:
        text = _CODE.sub(lambda found: "\n" * found[0].count("\n"), path.read_text())
        yield from ((str(path.relative_to(ROOT)), at, line) for at, line in enumerate(text.splitlines(), 1))
    source = ROOT / "src" / "weft"
    for path in source.rglob("*.py"):
        name = str(path.relative_to(ROOT))
        yield from ((name, at, text) for at, text in sentences(path, help_of=path.parent.name == "cli"))
    for path in (*source.rglob("*.j2"), *source.rglob("*.toml")):
        for at, row in enumerate(path.read_text().splitlines(), 1):
            # of a key and its value, the value
            yield (
                str(path.relative_to(ROOT)),
                at,
                (row.partition("=")[2] if path.suffix == ".toml" else _MARKUP.sub("", row)),
            )


def sentences(path: Path, *, help_of: bool) -> Iterator[tuple[int, str]]:
    """Strings with spaces, with their line; docstrings only where they are the help of a command."""
    tree = ast.parse(path.read_text())
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)] if help_of else []
    helps = {id(one.body[0]) for one in functions}
    silent = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr) and id(one) not in helps}
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and id(node) not in silent else None
        if isinstance(text, str) and " " in text.strip():
            yield node.lineno, text


NAMED = {
    "adapters/probes/fileops.py": "kinds of thread, as samples name them",
    "facts/hotspot.toml": "kinds of thread, as samples name them",
}
"""Files below src/weft that name what records call so, with the reason."""


def test_readers_see_the_terms_of_the_manuals_of_slurm_spark_and_lustre() -> None:
    hits = [
        f"{file}:{line}: {match[0]!r}: write {better}"
        for file, line, text in shown()
        if file.removeprefix("src/weft/") not in NAMED
        for pattern, better in READERS.items()
        for match in re.finditer(pattern, text, re.IGNORECASE)
    ]
    assert hits == []


def test_what_readers_see_is_guides_help_messages_and_pages() -> None:
    seen = {file for file, _, _ in shown()}
    for name in ("README.md", "CHANGELOG.md", "docs/guide/explain.md", "src/weft/cli/records.py", "src/weft/host/settings.py",
                 "src/weft/report/sections/explain.py", "src/weft/report/draw/page.html.j2",
                 "src/weft/analysis/explain/advice.toml"):  # fmt: skip
        assert name in seen
    texts = [text for file, _, text in shown() if file == "src/weft/cli/records.py"]
    assert any("Show where the time went" in text for text in texts), "the help of a command is its docstring"


@pytest.mark.parametrize(
    "text",
    ["the cluster stands on memory", "it is told what to do", "Spark's account of its stages", "its words"],
)
def test_the_rules_find_what_they_are_for(text: str) -> None:
    assert any(re.search(pattern, text) for pattern in RULES)


@pytest.mark.parametrize(
    "text",
    [
        "waiting for a processor",
        "pauses of the collector",
        "no ceilings",
        "min, greatest and sum",
        "least, most",
        "tail of a stage",
    ],
)
def test_the_rules_for_readers_find_what_they_are_for(text: str) -> None:
    assert any(re.search(pattern, text) for pattern in READERS)
