"""The runs of a study with what a comparison needs: where their time went, and the papers of the study's folder."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from weft.analysis.compare.against import against, in_order
from weft.analysis.compare.compare import Comparison, compare
from weft.analysis.compare.headline import Headline
from weft.analysis.compare.operations import operations
from weft.analysis.compare.published import load as paper_of
from weft.analysis.summary.gather import summarize
from weft.errors import RecordError
from weft.record.record import read


def of_study(lines: Sequence[Headline], name: str, folder: Path | None) -> Comparison:
    """The runs of a study, compared with the papers in its folder if there are any."""
    paper = paper_of(folder) if folder else None
    if paper is None:
        return compare(explained(lines), f"study {name}")
    ordered = in_order(explained(lines), paper.expected)
    return compare(ordered, f"study {name}").model_copy(update={"against": against(ordered, paper)})


def explained(lines: Sequence[Headline]) -> list[Headline]:
    """The same lines with where the time of valid runs went, and their file operations."""
    return [_explained(line) if line.seconds is not None else line for line in lines]


def _explained(line: Headline) -> Headline:
    try:
        found = summarize(read(Path(line.directory))).explanation
    except RecordError:  # a record that went away since it was listed
        return line
    return replace(line, explanation=found, operations=operations(Path(line.directory)))
