"""The verdict in sentences."""

from weft.analysis.summary.streamed import SHOWN, Streamed
from weft.analysis.summary.summary import Summary
from weft.facts.checked import clause
from weft.report.draw.blocks import Tone
from weft.report.sections.explain import first_screen
from weft.text.numbers import seconds
from weft.text.units import show_seconds, show_size

TONES: dict[str, Tone] = {
    "VALID": "good",
    "INVALID": "bad",
    "KILLED": "bad",
    "RUNNING": "warn",
    "UNCHECKED": "warn",
}


def tone(summary: Summary) -> Tone:
    """The colour of the verdict."""
    return TONES.get(summary.verdict, "warn")


def subject(summary: Summary) -> str:
    """What was run: terasort (method stock) of 1 GB by spark 4.3.0 on 2 local nodes."""
    method = f" (method {named})" if (named := summary.facts.get("method")) else ""
    size = f" of {show_size(summary.size)}" if summary.size else ""
    what = summary.program or f"{summary.workload or 'a workload'}{method}{size}"
    return f"{what} by {summary.engine_named or 'an engine'} on {nodes(summary)}"


def nodes(summary: Summary) -> str:
    """2 local nodes."""
    kind, _, count = summary.nodes_asked.partition(":")
    count = count or str(len(summary.nodes) or "")
    return f"{count} {kind} node{'' if count == '1' else 's'}".strip()


def sentence(summary: Summary) -> str:
    """The outcome in one sentence."""
    what, ran = subject(summary), summary.result
    # the name of a file is written as it is
    what = what if summary.program else f"{what[0].upper()}{what[1:]}"
    match summary.verdict:
        case "VALID":
            speed = f", {show_size(summary.throughput)}/s in all" if summary.throughput else ""
            took = f" took {show_seconds(ran)}" if ran is not None else " ended"
            if summary.stream:
                took, speed = _latency(summary.stream), ""
            return f"{what}{took}{speed}; {clause(summary.checked_by)}."
        case "INVALID":
            reason = summary.reason or "No reason was recorded"
            return f"{reason}. {what} has no time."
        case "UNCHECKED" if "application" in summary.facts and "log" in summary.facts:
            ran = summary.seconds("run")
            took = f" took {show_seconds(ran)} by its log" if ran is not None else " has no time in its log"
            return f"{what}{took}, {summary.facts['log']}; nobody checked its result."
        case "UNCHECKED":
            ran = summary.seconds("run")
            took = f" after {show_seconds(ran)}" if ran is not None else ""
            return f"{what} ended{took}; nobody checked its result."
        case "RUNNING":
            return f"{what} is still running, now in phase {summary.phase or 'none'}."
    end = f" in phase {summary.phase}" if summary.phase else ""
    return f"{what} was cut off{end}: its writer died without a verdict, so it has no time."


def _latency(stream: Streamed) -> str:
    half, most = (seconds(stream.latency[name]) for name in SHOWN)
    return f": half of the records were in a result after {half} s, 99 % after {most} s"


def where(summary: Summary) -> list[str]:
    """Where the job's time went and what to try, or whether a stream was sustained; empty where it cannot be split."""
    if summary.stream:
        return [summary.stream.sentence]
    return first_screen(summary.explanation) if summary.explanation else []
