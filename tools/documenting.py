"""What tools/docs does: copies the documents, adds what is made from definitions and records, and has mkdocs build the site."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gallery
import reference

from weft.cli import manual
from weft.cli.guard import run_guarded
from weft.errors import UsageError, WeftError
from weft.host import settings

ROOT = settings.SOURCE
GUIDE = "docs/guide"
GUIDES: Mapping[str, Sequence[str]] = {
    "Start": ("install", "first-run", "faq", "glossary", "others"),
    "Run my job": ("submit", "workloads", "own-cluster", "failures", "doctor"),
    "Which storage": ("scratch", "survey", "hdfs", "dedicated"),
    "Why is it slow": ("explain", "compare", "top", "calibrate", "predict", "trace", "import"),
    "Which engine": ("flink", "hadoop", "hive", "timely", "powergraph", "kafka", "streams"),
    "On a real machine": ("on-slurm", "on-hosts", "security"),
}
"""In the order of a user's questions; a guide that is in none of them is below `More`."""
DOCUMENTS = (
    "*.md",
    "docs/**/*.md",
    "examples/**/*.md",
    "bench/*.md",
    "studies/*/*.md",
    "native/*/*.md",
    "java/**/*.md",
)
FILES = (
    "LICENSE",
    "CITATION.cff",
    *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs" / "screens").glob("*.png"))),
    "examples/notebook.ipynb",
    "docs/site/iframe-worker.js",
    "docs/site/iframe-worker.LICENSE",
    "docs/site/extra.css",
)
LINK = re.compile(r"(?<=\]\()([^)#\s]+)(?=[)#])")
Nav = list[dict[str, Any]]


def main() -> None:
    if odd := [word for word in sys.argv[2:] if word.startswith("-")]:
        raise UsageError(f"unknown option {odd[0]}", hint="tools/docs [DIRECTORY [RECORDS]]")
    builder = Path(sys.argv[1])
    out = Path(sys.argv[2] if len(sys.argv) > 2 else settings.cache() / "docs").resolve()
    records = Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else None
    with tempfile.TemporaryDirectory(prefix="weft-docs-") as scratch:
        pages = Path(scratch) / "pages"
        copied = copy(pages)
        nav = [{"Start": "README.md"}, *guides(), *added(pages, records), *rest(copied)]
        config = Path(scratch) / "mkdocs.yml"
        config.write_text(json.dumps(configuration(nav, pages, out)))
        build(builder, config)
    man = out / "man" / "man1"
    man.mkdir(parents=True)
    for name, text in manual.pages().items():
        (man / name).write_text(text)
    print(out / "index.html")


def copy(pages: Path) -> list[str]:
    """Every document, below its own path, so that links among them hold as they are."""
    found = sorted(
        {path for pattern in DOCUMENTS for path in ROOT.glob(pattern) if "target" not in path.parts}
    )
    names = [str(path.relative_to(ROOT)) for path in found]
    for name in names:
        write(pages / name, linked(name))
    for name in FILES:
        (pages / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, pages / name)
    decisions = [name for name in names if name.startswith("docs/decisions/")]
    lines = [f"- [{title(pages / name)}]({Path(name).name})" for name in decisions]
    write(pages / "docs" / "decisions" / "README.md", "\n".join(["# Decisions", "", *lines, ""]))
    return [*names, "docs/decisions/README.md"]


def linked(document: str) -> str:
    """A document's text, in which a link to a folder leads to the page of that folder."""
    folder = (ROOT / document).parent

    def target(found: re.Match[str]) -> str:
        link = found[1]
        return f"{link.rstrip('/')}/README.md" if (folder / link).is_dir() else link

    return LINK.sub(target, (ROOT / document).read_text())


def guides() -> Nav:
    listed = {question: list(names) for question, names in GUIDES.items()}
    known = {path.stem for path in (ROOT / GUIDE).glob("*.md")}
    if others := sorted(known - {name for names in listed.values() for name in names}):
        listed["More"] = others
    return [{question: [f"{GUIDE}/{name}.md" for name in names]} for question, names in listed.items()]


def added(pages: Path, records: Path | None) -> Nav:
    """Pages that are made here: reference and gallery."""
    texts = {
        "reference/commands.md": reference.commands(),
        "reference/keys.md": reference.keys(),
        "reference/adapters.md": reference.adapters(),
        "gallery/README.md": gallery.pages(pages / "gallery", records),
    }
    for name, text in texts.items():
        write(pages / name, text)
    *references, shown = texts
    return [{"Gallery": [shown]}, {"Reference": references}]


def rest(copied: Sequence[str]) -> Nav:
    """Every other document."""
    left = [name for name in copied if not name.startswith(GUIDE) and name != "README.md"]
    decisions = [name for name in left if name.startswith("docs/decisions/")]
    experiments = [name for name in left if name.startswith(("studies/", "bench/"))]
    jobs = [name for name in left if name.startswith("examples/")]
    others = [name for name in left if name not in {*decisions, *experiments, *jobs}]
    return [
        {"Examples": jobs},
        {"Experiments": experiments},
        {"Change weft": [*others, {"Decisions": sorted(decisions, key=lambda name: "README" not in name)}]},
    ]


def configuration(nav: Nav, pages: Path, out: Path) -> dict[str, Any]:
    """For mkdocs: everything is local, and whatever does not fit together is a warning."""
    both = {"not_found": "warn", "absolute_links": "warn"}
    checked = {
        "nav": {"omitted_files": "warn", **both},
        "links": {"anchors": "warn", "unrecognized_links": "warn", **both},
    }
    return {
        "site_name": "weft",
        "site_description": "Runs data engines on HPC machines, and explains where the time goes",
        "docs_dir": str(pages),
        "site_dir": str(out),
        "use_directory_urls": False,
        "theme": {
            "name": "material",
            "font": False,
            "features": ["navigation.indexes", "navigation.top", "search.highlight", "content.code.copy"],
            "palette": [_palette("default", "slate", "dark"), _palette("slate", "default", "light")],
            "icon": {"logo": "material/chart-timeline"},
        },
        "extra": {"polyfills": ["docs/site/iframe-worker.js"], "generator": False},
        "extra_css": ["docs/site/extra.css"],
        "plugins": ["search", "offline"],
        "markdown_extensions": ["tables", "fenced_code", "sane_lists", {"toc": {"permalink": True}}],
        "validation": checked,
        "nav": nav,
    }


def _palette(scheme: str, other: str, brightness: str) -> dict[str, Any]:
    of_system = "light" if other == "slate" else "dark"
    toggle = {"icon": "material/brightness-6", "name": f"switch to {brightness}"}
    media = f"(prefers-color-scheme: {of_system})"
    return {"media": media, "scheme": scheme, "primary": "blue grey", "accent": "teal", "toggle": toggle}


def build(builder: Path, config: Path) -> None:
    """A warning ends it."""
    argv = [str(builder), "-m", "mkdocs", "build", "--strict", "--clean", "--config-file", str(config)]
    dated = {
        "SOURCE_DATE_EPOCH": os.environ.get("SOURCE_DATE_EPOCH", "1767225600"),
        "NO_MKDOCS_2_WARNING": "1",
    }
    done = subprocess.run(argv, env={**os.environ, **dated}, capture_output=True, text=True, check=False)
    warnings = [line for line in done.stderr.splitlines() if not line.startswith("INFO")]
    if done.returncode or warnings:
        raise WeftError("the documentation has warnings", tail=warnings[-30:])


def title(path: Path) -> str:
    return path.read_text().partition("\n")[0].lstrip("# ")


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


if __name__ == "__main__":
    run_guarded(main)
