"""What tools/docs makes from definitions: commands, keys, classes; and the choice of records for the gallery."""

import importlib.util
import json
import re
import shlex
from pathlib import Path
from types import ModuleType

import pytest

from weft.cli.verbs import VERBS, load
from weft.host import settings
from weft.spec.model import FAMILIES

ROOT = settings.SOURCE


def tool(name: str) -> ModuleType:
    found = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_every_verb_and_its_options_are_on_the_page_of_commands() -> None:
    text = tool("reference").commands()
    assert [verb for verb in VERBS if f"\n## weft {verb}\n" not in text] == []
    assert "\n## weft site init\n" in text
    assert "| `--scratch` |" in text


def test_every_kind_and_its_keys_are_on_the_page_of_keys() -> None:
    text = tool("reference").keys()
    kinds = {
        kind
        for family in FAMILIES.values()
        for kind, model in family.items()
        if getattr(model, "configurable", True)
    }
    assert [kind for kind in kinds if f"\n### {kind}\n" not in text] == []
    assert "| `matrix` |" not in text
    assert "| `shuffle_seed` |" not in text
    assert "| `partitions` |" in text


def test_the_classes_of_each_family_are_on_the_page_of_adapters() -> None:
    text = tool("reference").adapters()
    for name in ("Storage", "Nodes", "Engine", "Workload", "Probe", "Service", "Layout", "Place"):
        assert f"\n### {name}\n" in text
    assert "def sketch(self, role: Role, nodes: Members, work: WorkDirectory) -> Place" in text


def test_text_is_no_markup() -> None:
    escaped = tool("reference")._escaped
    assert escaped("a_b, *c*, <d>, [e], `f_g`") == "a\\_b, \\*c\\*, \\<d>, \\[e\\], `f_g`"


@pytest.mark.parametrize(
    ("head", "fits"),
    [
        ({"engine": "spark", "scratch": "delayed:lustre"}, True),
        ({"engine": "spark", "scratch": "delayed"}, True),
        ({"engine": "spark", "scratch": "pool+delayed:lustre"}, False),
        ({"engine": "flink", "scratch": "delayed:lustre"}, False),
        ({"scratch": "delayed:lustre"}, False),
    ],
)
def test_an_entry_of_the_gallery_takes_records_that_fit(head: dict[str, str], fits: bool) -> None:
    assert tool("gallery").fit(head, {"engine": "spark", "scratch": "delayed"}) == fits


def test_the_gallery_has_a_report_where_there_is_a_record_and_the_command_where_there_is_none(
    tmp_path: Path,
) -> None:
    record = tmp_path / "runs" / "20261122-120000-terasort-spark-0001"
    record.mkdir(parents=True)
    head = {"schema": 2, "verdict": "VALID", "workload": "terasort", "engine": "spark", "scratch": "disk"}
    (record / "record.json").write_text(json.dumps({**head, "id": record.name, "phases": {"run": 1.0}}))
    text = tool("gallery").pages(tmp_path / "gallery", tmp_path / "runs")
    assert text.count("[Open the report]") == 1
    assert "VALID" in (tmp_path / "gallery" / "terasort-spark-disk.html").read_text()
    assert "weft run terasort --engine flink" in text


def test_every_guide_is_below_a_question_or_below_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    documenting = tool("documenting")
    monkeypatch.setattr(documenting, "GUIDES", {"Which engine": ("flink",)})
    first, rest = documenting.guides()
    assert first == {"Which engine": ["docs/guide/flink.md"]}
    assert len(rest["More"]) == len(list((ROOT / "docs/guide").glob("*.md"))) - 1


def shown() -> list[tuple[str, str]]:
    """Every command of weft in the code blocks of documents, with its document."""
    paths = [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *ROOT.glob("*/*.md"),
        *ROOT.glob("studies/*/*.md"),
    ]
    blocks = [
        (str(path.relative_to(ROOT)), block)
        for path in sorted(set(paths))
        for block in re.findall(r"(?ms)^ *```(?:sh)?\n(.*?)^ *```", path.read_text())
    ]
    lines = [
        (path, line.strip()) for path, block in blocks for line in block.replace("\\\n", " ").splitlines()
    ]
    return [(path, line) for path, line in lines if re.match(r"(\./|~/weft/bin/|\$ )?weft [a-z]", line)]


@pytest.mark.parametrize(("path", "line"), shown())
def test_every_command_that_a_document_shows_has_options_that_exist(path: str, line: str) -> None:
    _, verb, *words = shlex.split(line.removeprefix("$ "), comments=True)
    assert verb in VERBS
    command = load(verb)
    if verb == "site":
        command, words = command.commands[words[0]], words[1:]
    command.make_context(verb, words)
