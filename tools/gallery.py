"""A page of reports from records: one of each kind that docs/gallery.toml names, with what to read off it."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import keptrecords

from weft.analysis.compare import study as studies
from weft.analysis.compare.headline import headlines
from weft.analysis.summary.gather import summarize
from weft.host import settings
from weft.record import record
from weft.record.head import Head
from weft.record.record import Stored
from weft.report.pages import page, study

ABOUT = (
    "Each page is one file, made by `weft report` from a record. The command below a title makes such a record. The"
    " repository keeps some; `tools/docs DIRECTORY RECORDS` takes a directory of records too."
)
MORE = "Of these, there was no record when this site was built."
HEAD = ("workload", "engine", "nodes", "input", "output", "scratch")
"""What an entry may ask of a record, as the record's own head has it."""
SCREENS = settings.SOURCE / "docs" / "screens"


def pages(folder: Path, records: Path | None) -> str:
    """Writes the reports to a folder and returns the page about them: of kept records, and of those in a directory."""
    folder.mkdir(parents=True)
    lines, missing = ["# Gallery", "", ABOUT], []
    with keptrecords.unpacked() as kept:
        found = [*record.all_records(kept), *(record.all_records(records) if records else [])]
        for entry in tomllib.loads((settings.SOURCE / "docs" / "gallery.toml").read_text())["report"]:
            links = _study(folder, found, entry["study"]) if "study" in entry else _run(folder, found, entry)
            if links:
                code = ["```", entry["command"], "```"]
                lines += ["", f"## {entry['title']}", "", *code, "", entry["read"].strip(), "", *links]
            else:
                missing.append(f"| {entry['title']} | `{entry['command']}` |")
    table = ["", "## More", "", MORE, "", "| what | command |", "|---|---|", *missing]
    return "\n".join([*lines, *(table if missing else ()), ""])


def _run(folder: Path, found: Sequence[Stored], entry: Mapping[str, Any]) -> list[str]:
    """The last run that is what the entry wants, with its picture if there is one; nothing if there is none."""
    wanted = {key: entry[key] for key in HEAD if key in entry}
    failed = entry.get("verdict") == "INVALID"
    fits = [each for each in found if (each.verdict == "INVALID") == failed and fit(each.head, wanted)]
    if not fits:
        return []
    words = [str(value).partition(":")[0].replace("+", "-") for value in wanted.values()]
    name = f"{'-'.join([*words, *(['failed'] if failed else [])])}.html"
    # the record is not there with the site: its logs are no links
    page.save(page.text(summarize(fits[-1])), folder / name)
    screen = SCREENS / f"{fits[-1].directory.name}.png"
    picture = f"[![{entry['title']}](../docs/screens/{screen.name})]({name})"
    return [f"[Open the report]({name})", *(("", picture) if screen.exists() else ())]


def fit(head: Head, wanted: Mapping[str, str]) -> bool:
    """Whether a record has each value, or one that begins with it before a colon."""
    return all(f"{getattr(head, key)}:".startswith(f"{value}:") for key, value in wanted.items())


def _study(folder: Path, found: Sequence[Stored], name: str) -> list[str]:
    lines = headlines(found, name)
    if not lines:
        return []
    page.save(study.text(studies.of_study(lines, name, settings.studies() / name)), folder / f"{name}.html")
    return [f"[Open the report]({name}.html)"]
