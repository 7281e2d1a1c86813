"""A section of a run's page: why it failed."""

from weft.analysis.summary.summary import Summary
from weft.report.draw.blocks import Block, Facts, Folded, Section, Words

_LEFT_BEHIND = "`weft ps` shows what it left behind on this machine, `weft clean` releases it"


def failure(summary: Summary) -> Section:
    """Why a run failed, the evidence or the last lines of the log that says so, and what to do."""
    if summary.verdict not in {"INVALID", "KILLED"}:
        return Section("failure", "Failure")
    blocks: list[Block] = []
    if summary.reason:
        blocks.append(Words(f"{summary.reason}.", "bad"))
    blocks += _evidence(summary)
    if found := hint(summary):
        blocks.append(Words(found, "warn"))
    return Section("failure", "Failure", blocks)


def hint(summary: Summary) -> str:
    """What to do about it; empty where nothing is known."""
    found = summary.hint or (_LEFT_BEHIND if summary.verdict == "KILLED" else "")
    return f"hint: {found}" if found else ""


def _evidence(summary: Summary) -> list[Block]:
    """The line that says why; without one, the end of the program's log."""
    if found := summary.evidence:
        pairs = [
            ("evidence", found.where),
            ("time", found.time),
            ("node", found.node),
            ("rule", found.rule or "none: the line is quoted"),
            ("says", found.excerpt),
        ]
        facts = Facts([(name, value) for name, value in pairs if value])
        lines = summary.around or summary.tail
        return [facts, *([Folded(f"Lines of {found.file}", "\n".join(lines), open=True)] if lines else [])]
    if summary.tail:
        return [Folded("Last lines of what failed", "\n".join(summary.tail), open=True)]
    ends = [log for log in summary.logs if log.first and log.tail]
    return [Folded(f"End of {log.path}", "\n".join(log.tail), open=True) for log in ends]
