"""Makes the tables and the drawings of the documentation from `evidence/*.jsonl`: all of them, or only says what each is based on.

tools/evidence                     writes the tables into the documents, and the drawings into docs/figures
tools/evidence --check             each table beside its data, and how many are single runs, have intervals, or no raw data
tools/evidence --collect STUDY...  writes the rows of studies from the records in WEFT_RUNS: the newest of each repetition
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence

from figures import documents, drawings, shown, studyrows, tables
from figures.documents import Block

from weft.cli.guard import run_guarded
from weft.errors import UsageError

WITHOUT = "no raw data"
PROSE = "in prose, no raw data"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="tools/evidence", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--check", action="store_true", help="exit with 1 if a table or a drawing is not that of its rows"
    )
    parser.add_argument("--collect", nargs="+", metavar="STUDY", help="a study, or a benchmark that is one")
    given = parser.parse_args()
    if given.check:
        sys.exit(check())
    for name in given.collect or ():
        print(f"{studyrows.collect(name)}; tools/evidence writes them into the documents")
    if not given.collect:
        print("\n".join(write()) or "all tables are those of their rows")


def write() -> list[str]:
    """Put every table into its document, and draw every drawing; those that have changed."""
    new = {name: tables.lines(name) for name in tables.TABLES}
    changed = []
    for name in documents.documents():
        path = documents.ROOT / name
        text = path.read_text()
        if (made := documents.replaced(name, text, new)) != text:
            path.write_text(made)
            changed.append(name)
    for name in other_drawings():
        path = drawings.path_of(name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(drawings.drawn(name))
        changed.append(str(path.relative_to(documents.ROOT)))
    return changed


def other_drawings() -> list[str]:
    """Drawings that are not those of their rows."""
    paths = {name: drawings.path_of(name) for name in drawings.DRAWINGS}
    return [
        name for name, path in paths.items() if not path.exists() or path.read_text() != drawings.drawn(name)
    ]


def check() -> int:
    """Say what each table is made of; 1 if one of them is not what its rows make."""
    found = documents.all_blocks()
    different = [block for block in found if not equal(block)]
    for block in found:
        place = f"{block.document}:{block.line}"
        print(
            f"{block.name:22} {place:42} {behind(block)}{', NOT THE TABLE OF ITS ROWS' if block in different else ''}"
        )
    counts = Counter(category(block) for block in found if not tables.TABLES[block.name].bare)
    counts[PROSE] = sum(
        documents.prose((documents.ROOT / name).read_text()) for name in documents.documents()
    )
    kinds = (shown.MANY, shown.FEW, shown.SINGLE, WITHOUT, PROSE)
    print(f"{sum(counts.values())} claims: {', '.join(f'{counts[kind]} {kind}' for kind in kinds)}")
    odd = other_drawings()
    for name in odd:
        print(f"{drawings.path_of(name).relative_to(documents.ROOT)}: NOT THE DRAWING OF ITS ROWS")
    return 1 if different or odd else 0


def equal(block: Block) -> bool:
    """Whether a table is what its rows make, or is marked as one without rows."""
    _known(block)
    lines = tables.lines(block.name)
    if lines is None:
        return bool(block.date) and documents.marked(block.date) in block.text
    return documents.written(block, lines).splitlines()[1:-1] == block.text.splitlines()


def category(block: Block) -> str:
    """What a table is based on."""
    return tables.kind(block.name) if tables.read(block.name) else WITHOUT


def behind(block: Block) -> str:
    """The same with numbers, for people."""
    found = tables.read(block.name)
    if tables.TABLES[block.name].bare:
        return f"a list of {len(found)} lines"
    if not found:
        return (
            f"{WITHOUT}, figures of {block.date or 'no date'}; made by `{tables.TABLES[block.name].command}`"
        )
    commits: Sequence[str] = list(dict.fromkeys(str(row["commit"]) for row in found))
    return f"{category(block)}, {len(found)} rows, commit {', '.join(commits)}"


def _known(block: Block) -> None:
    if block.name not in tables.TABLES:
        where = f"{block.document}:{block.line}"
        raise UsageError(
            f"{where}: there is no table {block.name!r}", hint=f"one of {', '.join(tables.TABLES)}"
        )


if __name__ == "__main__":
    run_guarded(main)
