"""Sections of a run's page: the files of its record."""

from collections.abc import Sequence

from weft.analysis.summary.summary import Summary
from weft.report.draw.blocks import Block, Folded, Number, Section, Table
from weft.report.draw.cells import Linked
from weft.text.units import show_size


def logs(summary: Summary) -> Section:
    """Every log; for a failed run, with the last lines of the newest, of which that to begin with is open."""
    if not summary.logs:
        return Section("logs", "Logs", unseen={"logs": "the record contains none"})
    table = Table(["log", Number("size")], [(Linked(log.path), show_size(log.size)) for log in summary.logs])
    ends = [
        Folded(f"End of {log.path}", "\n".join(log.tail), open=log.first) for log in summary.logs if log.tail
    ]
    return Section("logs", "Logs", [table, *ends])


def configuration(summary: Summary) -> Section:
    """The request, the resolved configuration and the generated files of the record."""
    blocks: Sequence[Block] = [Folded(document.title, document.text) for document in summary.documents]
    unseen = {} if blocks else {"configuration": "the record contains none"}
    return Section("configuration", "Configuration", blocks, unseen)
