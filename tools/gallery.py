"""A page of reports from records: one of each kind that docs/gallery.toml names, with what to read off it."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from weft.analysis.compare import study as studies
from weft.analysis.compare.headline import headlines
from weft.host import settings
from weft.record import record
from weft.record.head import Head
from weft.record.record import Stored
from weft.report.pages import page, study

ABOUT = (
    "Each page is one file, made by `weft report` from a record. The command below a title makes such a record;"
    " `tools/docs DIRECTORY RECORDS` makes this gallery from a directory of records."
)
HEAD = ("workload", "engine", "nodes", "input", "output", "scratch")
"""What an entry may ask of a record, as the record's own head has it."""


def pages(folder: Path, records: Path | None) -> str:
    """Writes the reports to a folder and returns the page about them."""
    folder.mkdir(parents=True)
    found = record.all_records(records) if records else []
    lines = ["# Gallery", "", ABOUT]
    for entry in tomllib.loads((settings.SOURCE / "docs" / "gallery.toml").read_text())["report"]:
        name = _study(folder, found, entry["study"]) if "study" in entry else _run(folder, found, entry)
        shown = f"[Open the report]({name})" if name else "There was no such record when this site was built."
        lines += [
            "",
            f"## {entry['title']}",
            "",
            f"```\n{entry['command']}\n```",
            "",
            entry["read"].strip(),
            "",
            shown,
        ]
    return "\n".join([*lines, ""])


def _run(folder: Path, found: Sequence[Stored], entry: Mapping[str, Any]) -> str:
    """The newest valid run that is what the entry wants; empty if there is none."""
    wanted = {key: entry[key] for key in HEAD if key in entry}
    fits = [each for each in found if each.verdict != "INVALID" and fit(each.head, wanted)]
    if not fits:
        return ""
    name = "-".join(str(value).partition(":")[0] for value in wanted.values()).replace("+", "-") + ".html"
    page.write(fits[-1], folder / name)
    return name


def fit(head: Head, wanted: Mapping[str, str]) -> bool:
    """Whether a record has each value, or one that begins with it before a colon."""
    return all(f"{getattr(head, key)}:".startswith(f"{value}:") for key, value in wanted.items())


def _study(folder: Path, found: Sequence[Stored], name: str) -> str:
    lines = headlines(found, name)
    if not lines:
        return ""
    page.save(study.text(studies.of_study(lines, name, settings.studies() / name)), folder / f"{name}.html")
    return f"{name}.html"
