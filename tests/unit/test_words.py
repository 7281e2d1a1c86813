"""Code, messages and documents use the terms of the manuals of Spark, Hadoop and Slurm, not expressions of weft's own.

Each rule is a regular expression with what to write instead. See the glossary in CONTRIBUTING.md.
"""

import re
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


@pytest.mark.parametrize(
    "text",
    ["the cluster stands on memory", "it is told what to do", "Spark's account of its stages", "its words"],
)
def test_the_rules_find_what_they_are_for(text: str) -> None:
    assert any(re.search(pattern, text) for pattern in RULES)
