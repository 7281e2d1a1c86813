"""What tools that explain runs say of jobs with a known defect: right, in part, wrong or silent, by figures/diagnosis.py."""

from collections import Counter
from collections.abc import Sequence

from figures.diagnosis import DEFECTS, PART, RIGHT, SILENT, WRONG, Finding, others, verdict
from figures.rows import Row
from figures.shown import table

HEALTHY = "nothing"


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each job, a column for each tool, and how often each verdict was given, apart for jobs with a defect and healthy ones."""
    tools = list(dict.fromkeys(name for row in rows for name in row["answers"]))
    body = []
    for cell in dict.fromkeys(row["cell"] for row in rows):
        mine = [row for row in rows if row["cell"] == cell]
        says = DEFECTS[mine[0]["cause"]].says if mine[0]["cause"] else HEALTHY
        body.append(
            [cell, says, *("; ".join(dict.fromkeys(_word(row, name) for row in mine)) for name in tools)]
        )
    ill, healthy = ([row for row in rows if bool(row["cause"]) is sick] for sick in (True, False))
    body += [_total(f"defects {which}", ill, which, tools) for which in (RIGHT, PART, WRONG, SILENT)]
    body.append(_total("healthy jobs with a false alarm", healthy, WRONG, tools))
    return table(["job", "to be named", *tools], body)


def _total(name: str, rows: Sequence[Row], which: str, tools: Sequence[str]) -> list[str]:
    counted = [Counter(verdict(_answer(row, tool), row["cause"]) for row in rows) for tool in tools]
    return [f"**{name}**", "", *(f"{each[which]} of {len(rows)}" for each in counted)]


def _word(row: Row, name: str) -> str:
    """The verdict, and the other causes that the answer claims."""
    answer, cause = _answer(row, name), row["cause"]
    found, more = verdict(answer, cause), others(answer, cause)
    if not more:
        return found
    return f"{found}: {', '.join(more)}" if found == WRONG else f"{found}, and {', '.join(more)}"


def _answer(row: Row, name: str) -> list[Finding]:
    return [Finding(**each) for each in row["answers"][name]]
