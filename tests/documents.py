"""The commands that documents show: which test runs them, and what those need that no test runs.

A block of commands has the language sh. A comment in the line above it marks what is not run as it stands:
`<!-- needs four hosts -->`, or `<!-- tested by tests/local/test_bundle.py -->` where a test does the same in another form.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PATTERNS = ("*.md", "docs/**/*.md", "*/*.md", "java/**/*.md", "native/*/*.md", "studies/*/*.md")
README = "tests/local/test_readme.py"
RUN_BY = {
    "README.md": README,
    "docs/guide/calibrate.md": README,
    "docs/guide/dask.md": README,
    "docs/guide/doctor.md": README,
    "docs/guide/explain.md": README,
    "docs/guide/first-run.md": README,
    "docs/guide/flink.md": README,
    "docs/guide/hadoop.md": README,
    "docs/guide/hdfs.md": README,
    "docs/guide/on-slurm.md": "tests/hosts/test_guide.py",
    "docs/guide/one-node.md": README,
    "docs/guide/own-cluster.md": "tests/local/test_persistent.py",
    "docs/guide/ray.md": README,
    "docs/guide/scratch.md": README,
    "docs/guide/slow-on-lustre.md": README,
    "docs/guide/streams.md": README,
    "docs/guide/submit.md": README,
    "docs/guide/timely.md": README,
    "examples/README.md": README,
}
"""By document: the test that runs all of its commands without a mark, in their order."""
_BLOCK = re.compile(
    r"^(?P<indent> *)```(?P<language>[^\n]*)\n(?P<text>.*?)^(?P=indent)```$", re.DOTALL | re.MULTILINE
)
_MARK = re.compile(r"<!-- (needs|tested by) (.+) -->")


@dataclass(frozen=True)
class Block:
    """Between two fences."""

    line: int
    """Of its first fence, from 1."""
    language: str
    mark: str
    """The comment in the line above; empty if there is none."""
    text: str

    @property
    def commands(self) -> list[str]:
        """Without comments; continued lines are one."""
        lines = [line.strip() for line in self.text.replace("\\\n", " ").splitlines()]
        return [line for line in lines if line and not line.startswith("#")]


def documents() -> list[str]:
    """Paths below the checkout, without what cargo and Maven unpack."""
    found = {path.relative_to(ROOT) for pattern in PATTERNS for path in ROOT.glob(pattern)}
    return sorted(str(path) for path in found if "target" not in path.parts)


def blocks(text: str) -> Iterator[Block]:
    for found in _BLOCK.finditer(text):
        before = text[: found.start()].splitlines()
        above = before[-1].strip() if before else ""
        mark = above if above.startswith("<!--") else ""
        yield Block(len(before) + 1, found["language"], mark, found["text"])


def commands(document: str) -> list[str]:
    """What a test runs of it: the commands of blocks without a mark."""
    every = blocks((ROOT / document).read_text())
    return [line for block in every if block.language == "sh" and not block.mark for line in block.commands]


def unchecked(document: str, text: str) -> list[str]:
    """Where a document shows a command that no test runs and that has no mark, and marks that say nothing."""
    return [f"{document}:{block.line}: {why}" for block in blocks(text) for why in _wrong(document, block)]


def _wrong(document: str, block: Block) -> Iterator[str]:
    mark = _MARK.fullmatch(block.mark)
    if not block.language:
        yield "a block without a language: sh for commands, text for what is none"
    elif block.mark and not mark:
        yield f"{block.mark} is neither <!-- needs ... --> nor <!-- tested by PATH -->"
    elif mark and mark[1] == "tested by" and not (ROOT / mark[2]).exists():
        yield f"{mark[2]} does not exist"
    elif block.language == "sh" and not mark and document not in RUN_BY:
        yield "commands that no test runs, without a mark"
