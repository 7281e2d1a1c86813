"""What a survey found: which storage for scratch on this machine, for which class of job, to how many nodes."""

from weft import __version__
from weft.analysis.predict.survey import ALIKE, Best, Surveyed
from weft.report.draw.blocks import Number, Section, Table, Words
from weft.report.draw.html import HtmlPage, render
from weft.text.numbers import seconds


def sections(surveyed: Surveyed) -> list[Section]:
    """The answer, and the measurements."""
    return [_answer(surveyed), _cells(surveyed)]


def _answer(surveyed: Surveyed) -> Section:
    answer = Words(f"No default: {surveyed.because}.", "warn")
    if surveyed.default:
        answer = Words(f"Default scratch: {surveyed.default}, {surveyed.because}.", "good")
    rows = [(one.job, one.job_class or "not measured", _storages(one)) for one in surveyed.best]
    note = (
        f"Good: at most {ALIKE:.2f} times the best on as many nodes. The class is from the measured parts of the run where"
        f" the job is slowest. Medians of {surveyed.repeat} run{'s' if surveyed.repeat != 1 else ''}: a difference of less than a tenth is none."
    )
    table = Table(["job", "class", "good for scratch"], rows, note)
    return Section("answer", f"Which storage for scratch on {surveyed.host}", [answer, table])


def _storages(best: Best) -> str:
    return "; ".join(
        f"{name} on {', '.join(map(str, nodes))} node{'s' if nodes != (1,) else ''}"
        for name, nodes in best.storages
    )


def _cells(surveyed: Surveyed) -> Section:
    columns = ["job", Number("nodes"), "scratch", Number("seconds"), Number("over the best"), "record"]
    rows = [
        (
            cell.job,
            str(cell.nodes),
            cell.storage,
            seconds(cell.seconds) if cell.seconds else "-",
            f"{cell.ratio:.2f}" if cell.ratio else cell.reason,
            cell.records[-1].rpartition("/")[2],
        )
        for cell in surveyed.cells
    ]
    return Section("cells", "What was measured", [Table(columns, rows)])


def page(surveyed: Surveyed) -> str:
    """One self-contained page."""
    return render(
        HtmlPage(
            title=f"Survey of {surveyed.host}",
            badge="SURVEY",
            tone="plain",
            sentences=[f"Default scratch: {surveyed.default}." if surveyed.default else "No default yet."],
            footer=[f"weft {__version__}; `weft show RECORD` shows each run."],
            data=surveyed.model_dump_json(),
            sections=sections(surveyed),
        )
    )
