"""What tools/docs makes from definitions: commands, keys, classes; and the choice of records for the gallery."""

import json
import re
import shlex
import subprocess
import tomllib
from itertools import pairwise
from pathlib import Path

import documenting
import gallery
import keptrecords
import optiontable
import pytest
import reference
import siteconfig

from weft.cli.verbs import VERBS, load
from weft.host import settings
from weft.record.head import Head
from weft.spec.model import FAMILIES

ROOT = settings.SOURCE


def test_every_verb_and_its_options_are_on_the_page_of_commands() -> None:
    text = reference.commands()
    assert [verb for verb in VERBS if f"\n## weft {verb}\n" not in text] == []
    assert "\n## weft site init\n" in text
    assert "| `--scratch STORAGE` |" in text


def test_every_option_has_a_type_and_a_default_which_is_the_one_of_the_code() -> None:
    rows = [line for line in reference.commands().splitlines() if line.startswith("| ")]
    cells = [row.strip("| ").split(" | ") for row in rows]
    assert [row for row in cells if len(row) != 4 or not all(row)] == []
    shown = set(rows)
    assert (
        "| `--choose first|sample` | one of these | `first` | the first jobs, or a seeded sample of all |"
        in shown
    )
    engine = next(row for row in rows if row.startswith("| `--engine ENGINE`"))
    assert "| text | `spark`, or that of the site profile |" in engine
    assert "| `--json` | flag | off | print the result as JSON |" in shown
    assert (
        "| `--port PORT` | whole number, at least 1024, at most 65000 | a free one | of --tunnel |" in shown
    )
    assert any(row.startswith("| `WORKLOAD|STUDY` | text | required |") for row in rows)


def test_what_is_taken_where_no_option_is_given_is_listed_for_options_that_exist() -> None:
    verbs = {f"weft {verb}": load(verb) for verb in VERBS}
    known = {
        (name, word)
        for name, verb in verbs.items()
        for each in verb.params
        for word in (*each.opts, each.metavar)
    }
    every = {("", word) for _, word in known}
    assert set(optiontable._TAKEN) <= known | every


def test_every_kind_and_its_keys_are_on_the_page_of_keys() -> None:
    text = reference.keys()
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
    text = reference.adapters()
    for name in ("Storage", "Nodes", "Engine", "Workload", "Probe", "Service", "Layout", "Place"):
        assert f"\n### {name}\n" in text
    assert "def sketch(self, role: Role, nodes: Members, work: WorkDirectory) -> Place" in text


def test_text_is_no_markup() -> None:
    escaped = optiontable.escaped
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
    assert gallery.fit(Head(**head), {"engine": "spark", "scratch": "delayed"}) == fits


def test_the_gallery_has_a_report_of_each_kept_record_and_the_command_where_there_is_none(
    tmp_path: Path,
) -> None:
    text = gallery.pages(tmp_path / "gallery", None)
    made = {path.name for path in (tmp_path / "gallery").iterdir()}
    assert made == set(re.findall(r"\[Open the report\]\((.*?)\)", text))
    assert len(made) == len(list(keptrecords.RECORDS.iterdir()))
    failed = "groupby-spark-memory-failed.html"
    assert failed in made
    assert "INVALID" in (tmp_path / "gallery" / failed).read_text()
    shown = set(re.findall(r"\(\.\./(docs/screens/.*?\.png)\)", text))
    assert len(shown) == len(made)
    assert all((ROOT / name).is_file() for name in shown)
    assert "| TeraSort on Flink | `weft run terasort --engine flink` |" in text


def test_a_record_that_is_given_replaces_one_that_is_kept(tmp_path: Path) -> None:
    record = tmp_path / "runs" / "20261122-120000-terasort-flink-0001"
    record.mkdir(parents=True)
    head = {"schema": 2, "verdict": "VALID", "workload": "terasort", "engine": "flink", "scratch": "disk"}
    (record / "record.json").write_text(json.dumps({**head, "id": record.name, "phases": {"run": 1.0}}))
    gallery.pages(tmp_path / "gallery", tmp_path / "runs")
    assert record.name in (tmp_path / "gallery" / "terasort-flink.html").read_text()


ENTRIES = tomllib.loads((ROOT / "docs/gallery.toml").read_text())["report"]


def test_the_gallery_has_every_study_and_an_entry_for_every_engine_that_weft_downloads_or_builds() -> None:
    assert {entry["study"] for entry in ENTRIES if "study" in entry} == {
        path.name for path in (ROOT / "studies").iterdir()
    }
    shown = {entry["engine"] for entry in ENTRIES if "engine" in entry}
    assert shown == set(FAMILIES["engine"]) - {"null", "powergraph"}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["title"])
def test_the_command_of_an_entry_makes_such_a_record(entry: dict[str, str]) -> None:
    _, verb, *words = shlex.split(entry["command"])
    load(verb).make_context(verb, list(words))
    wanted = {key: entry[key] for key in gallery.HEAD if key in entry}
    if verb == "run" and wanted:
        assert words[0].partition(":")[0] == wanted.pop("workload")
        asked = {"engine": "spark", "scratch": "disk", **dict(pairwise(words))}
        given = {key.removeprefix("--"): value for key, value in asked.items()}
        assert [key for key, value in wanted.items() if not f"{given[key]}:".startswith(f"{value}:")] == []


def test_every_guide_is_below_a_question_or_below_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documenting, "GUIDES", {"Which engine": ("flink",)})
    first, rest = documenting.guides()
    assert first == {"Which engine": ["docs/guide/flink.md"]}
    assert len(rest["More"]) == len(list((ROOT / "docs/guide").glob("*.md"))) - 1


def test_a_guide_counts_more_in_the_search_than_a_study() -> None:
    pages = ("docs/guide/scratch.md", "README.md", "reference/commands.md", "studies/nersc-lustre/README.md")
    found = [documenting.boost(name) for name in pages]
    assert found == sorted(found, reverse=True)
    assert found[0] > found[2] > found[3]


@pytest.mark.parametrize(
    ("origin", "address"),
    [
        ("https://example.org/weft.git", "https://example.org/weft"),
        ("https://me:secret@example.org:8443/weft", "https://example.org:8443/weft"),
        ("/home/me/weft", ""),
        ("git@example.org:weft.git", ""),
        ("", ""),
    ],
)
def test_the_site_leads_to_the_repository_where_a_clone_came_from_a_public_one(
    tmp_path: Path, origin: str, address: str
) -> None:
    (tmp_path / "CITATION.cff").write_text("title: weft\n")
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    if origin:
        subprocess.run(["git", "-C", tmp_path, "remote", "add", "origin", origin], check=True)
    assert siteconfig.repository(tmp_path) == address
    (tmp_path / "CITATION.cff").write_text("title: weft\nrepository-code: https://cited.org/weft\n")
    assert siteconfig.repository(tmp_path) == "https://cited.org/weft"
