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

import gallery
import reference
import siteconfig
from siteconfig import Nav

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
    "Why is it slow": (
        "slow-on-lustre",
        "explain",
        "tested",
        "compare",
        "top",
        "calibrate",
        "predict",
        "trace",
        "import",
    ),
    "Which engine": (
        "flink",
        "hadoop",
        "hive",
        "dask",
        "ray",
        "one-node",
        "timely",
        "powergraph",
        "kafka",
        "streams",
        "nexmark",
    ),
    "On a real machine": ("on-slurm", "on-batch-systems", "on-hosts", "security"),
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
    *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs" / "figures").glob("*.svg"))),
    "examples/notebook.ipynb",
    "docs/site/iframe-worker.js",
    "docs/site/iframe-worker.LICENSE",
    "docs/site/extra.css",
)
BOOSTS = {GUIDE: 8, "README.md": 4, "examples/": 2, "reference/": 2, "": 0.001}
"""By beginning of a page's path: what a match there counts in the search."""
LINK = re.compile(r"(?<=\]\()([^)#\s]+)(?=[)#])")


def main() -> None:
    if odd := [word for word in sys.argv[2:] if word.startswith("-")]:
        raise UsageError(f"unknown option {odd[0]}", hint="tools/docs [DIRECTORY [RECORDS]]")
    builder = Path(sys.argv[1])
    out = Path(sys.argv[2] if len(sys.argv) > 2 else settings.cache() / "docs").resolve()
    records = Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else None
    with tempfile.TemporaryDirectory(prefix="weft-docs-") as scratch:
        pages = Path(scratch) / "pages"
        copied = copy(pages)
        nav = [{"Home": "README.md"}, *guides(), *added(pages, records), *rest(copied)]
        config = Path(scratch) / "mkdocs.yml"
        config.write_text(json.dumps(siteconfig.configuration(nav, pages, out)))
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
        write(pages, name, linked(name))
    for name in FILES:
        (pages / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, pages / name)
    decisions = [name for name in names if name.startswith("docs/decisions/")]
    lines = [f"- [{title(name)}]({Path(name).name})" for name in decisions]
    listing = "docs/decisions/README.md"
    write(pages, listing, "\n".join(["# Decisions", "", *lines, ""]))
    return [*names, listing]


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
        write(pages, name, text)
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


def title(document: str) -> str:
    return (ROOT / document).read_text().partition("\n")[0].lstrip("# ")


def write(pages: Path, name: str, text: str) -> None:
    """A page, with what the search makes of it."""
    path = pages / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\nsearch:\n  boost: {boost(name)}\n---\n{text}")


def boost(name: str) -> float:
    """How much a match on a page counts in the search: what most readers look for is in the guides."""
    return next(factor for start, factor in BOOSTS.items() if name.startswith(start))


if __name__ == "__main__":
    run_guarded(main)
