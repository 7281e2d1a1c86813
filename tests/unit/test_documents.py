"""Every command that a document shows is run by a test, or marked with what it needs; and its options exist."""

import re
import shlex

import pytest

from tests.documents import ROOT, RUN_BY, blocks, commands, documents, unchecked
from weft.cli.verbs import ALIASES, VERBS, load

SHOWN = [
    (document, line)
    for document in documents()
    for block in blocks((ROOT / document).read_text())
    for line in block.commands
    if block.language == "sh" and re.match(r"(\./|~/weft/bin/)?weft [a-z]", line)
]


@pytest.mark.parametrize("document", documents())
def test_every_command_of_a_document_is_run_by_a_test_or_marked(document: str) -> None:
    assert unchecked(document, (ROOT / document).read_text()) == []


@pytest.mark.parametrize(("document", "test"), RUN_BY.items())
def test_what_runs_a_documents_commands_names_it(document: str, test: str) -> None:
    assert commands(document)
    assert document in (ROOT / test).read_text() or "RUN_BY" in (ROOT / test).read_text()


@pytest.mark.parametrize(
    ("above", "language", "wrong"),
    [
        ("", "sh", "commands that no test runs"),
        ("<!-- needs four hosts -->\n", "sh", ""),
        ("<!-- tested by tests/unit/test_documents.py -->\n", "sh", ""),
        ("<!-- tested by tests/unit/test_nothing.py -->\n", "sh", "test_nothing.py does not exist"),
        ("<!-- need four hosts -->\n", "sh", "is neither"),
        ("<!-- needs four hosts -->\n\n", "sh", "commands that no test runs"),
        ("", "", "a block without a language"),
        ("", "text", ""),
    ],
)
def test_a_command_that_nothing_runs_is_named(above: str, language: str, wrong: str) -> None:
    found = unchecked("new.md", f"# New\n\n{above}```{language}\n./weft run terasort\n```\n")
    assert [wrong in line for line in found] == ([True] if wrong else [])
    assert all(line.startswith(f"new.md:{3 + above.count(chr(10))}: ") for line in found)


OF_OTHERS = (
    "No space left on device",
    "Operation not permitted",
    "Invalid cross-device link",
    "Permission denied",
    "Host key verification failed",
)
"""Messages of ssh and the kernel."""


def test_the_messages_of_the_faq_are_those_of_the_code() -> None:
    files = [*(ROOT / "src/weft").rglob("*.py"), *(ROOT / "native/scratch/src").rglob("*.rs")]
    code = " ".join("".join(path.read_text() for path in files).split())
    rows = [
        row.split("|")[1] for row in (ROOT / "docs/guide/faq.md").read_text().splitlines() if row[:2] == "| "
    ]
    shown = [part for row in rows for part in re.findall(r"`([^`]+)`", row) if len(part) > 12]
    # without the names, numbers and paths in them
    parts = {text: max(re.findall(r"[a-z][a-z ,;]+[a-z]", text), key=len) for text in shown}
    assert len(parts) > 15
    others = {text for text in parts if text.startswith(OF_OTHERS)}
    assert [text for text, part in parts.items() if text not in others and part not in code] == []


def test_commands_with_a_mark_are_not_run() -> None:
    text = "```sh\na \\\n  b\n# c\n```\n<!-- needs d -->\n```sh\nd\n```\n"
    assert [(block.commands, block.mark) for block in blocks(text)] == [
        (["a    b"], ""),
        (["d"], "<!-- needs d -->"),
    ]


@pytest.mark.parametrize(("document", "line"), SHOWN)
def test_every_command_that_a_document_shows_has_options_that_exist(document: str, line: str) -> None:
    _, first, *words = shlex.split(line, comments=True)
    verb, *more = ALIASES.get(first, (first,))
    assert verb in VERBS
    words = [*more, *words]
    command = load(verb)
    if verb == "site":
        command, words = command.commands[words[0]], words[1:]
    command.make_context(verb, words)
