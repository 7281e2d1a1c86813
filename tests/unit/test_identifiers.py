"""Names in code use the terms of the manuals, as texts do: read in parts, split at `_` and at capital letters."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.source import tree
from tests.unit.test_taste import ROOT

WORDS = {
    "account accounts": "event log, job history, job metrics",
    "anew": "again",
    "attended attendant attendants": "connected; remote agent",
    "beside": "background, companions, both, next to",
    "caretaker caretakers": "watchdog",
    "collector collectors": "gc",
    "dice": "rng",
    "furnish furnished": "prepare, prepared",
    "leftout": "holdout",
    "look looks looked": "poll, sample, inspect, list",
    "processor processors": "cpu, cpus",
    "said saying": "reported, shown, logged",
    "stand stands standing stood": "is, runs, is backed by; persistent",
    "stray strays": "orphan",
    "surprise": "overdispersion",
    "told tells": "reported, shown, configured",
    "unmappable": "no_mmap",
    "whoever": "any",
    "witness witnesses witnessed": "cross_check",
}
"""Words that stood for something else, with what to write instead."""
MEANT = {
    "account": "Slurm's --account",
    "processor": "a key of calibrations, which files have",
    "processors": "a key of machine files",
    "collector": "the consumer of a stream, a key of its results",
    "_collector": "the same",
    "_COLLECTOR": "the program that consumes a stream",
    "cpu_of_collector": "a counter in samples of records",
    "test_a_small_heap_keeps_the_garbage_collector_busy": "the garbage collector, in full",
    "test_a_standing_cluster_of_schema_1_is_a_persistent_one": "the term of schema 1",
    "looked_for": "the English verb",
    "_looked_at": "the English verb",
    "test_the_names_of_loopback_addresses_are_not_looked_up": "the English verb",
}
"""Names with such a word that mean just this, with the reason."""
BETTER = {word: better for words, better in WORDS.items() for word in words.split()}


def names(tree: ast.AST) -> Iterator[str]:
    """Everything that a module names, and the kinds of the events that it writes."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.Call(
                func=ast.Name(id="note") | ast.Attribute(attr="note"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield name.replace("-", "_")


def parts(name: str) -> list[str]:
    """The words of a name."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)]


def wrong(name: str) -> list[str]:
    return [f"{name}: write {BETTER[word]}" for word in parts(name) if word in BETTER and name not in MEANT]


def modules() -> list[Path]:
    return [path for folder in ("src", "tests", "tools", "bench") for path in (ROOT / folder).rglob("*.py")]


def test_names_use_the_terms_of_the_glossary() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {each}"
        for path in modules()
        for name in {path.stem, *names(tree(path))}
        for each in wrong(name)
    ]
    assert found == []


@pytest.mark.parametrize("name", ["_told_by_slurm", "Witnesses", "_STOOD", "account_missing", "diceSeed"])
def test_words_inside_of_names_are_found(name: str) -> None:
    assert wrong(name)
