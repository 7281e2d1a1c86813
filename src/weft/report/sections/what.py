"""Sections of a run's page: what was run, and how long its phases took."""

from collections.abc import Mapping

from pydantic import JsonValue

from weft.analysis.summary.summary import Summary
from weft.report.draw.blocks import Bar, Block, CommandBlock, Facts, Listing, Number, Section, Table, Words
from weft.text.numbers import amount, maybe
from weft.text.units import show_seconds, show_size


def what_was_run(summary: Summary) -> Section:
    """Workload, engine, nodes and the storage of each role."""
    blocks: list[Block] = []
    cell = ", ".join(f"{key} = {value}" for key, value in summary.coordinates.items())
    pairs = [
        ("program", summary.program),
        ("workload", " of ".join(filter(None, [summary.workload, maybe(show_size, summary.size)]))),
        ("method", _method(summary.facts.get("method"))),
        ("engine", summary.engine_named),
        ("nodes", summary.nodes_asked),
        ("persistent cluster", summary.cluster),
        ("application", "its executors were there before the run" if summary.application else ""),
        ("input", f"was made by the run {summary.input_of}" if summary.input_of else ""),
        ("node-hours of the run phase", maybe(lambda hours: f"{hours:.3g}", summary.node_hours)),
        ("batch job", summary.batch_job),
        ("study", " ".join(filter(None, [summary.study, cell and f"({cell})"]))),
        *summary.derived.items(),
    ]
    blocks.append(Facts([(name, value) for name, value in pairs if value]))
    if summary.again:
        blocks.append(CommandBlock("The same run again", summary.again))
    blocks.append(_places(summary))
    if summary.nodes:
        rows = [(n.name, n.address, amount(n.cores), maybe(show_size, n.memory)) for n in summary.nodes]
        blocks.append(Table(["node", "address", Number("cores"), Number("memory")], rows))
    if summary.limits:
        blocks.append(Listing([f"Limit of these nodes: {limit}" for limit in summary.limits], "quiet"))
    return Section("what", "What was run", blocks)


_METHODS: Mapping[str, str] = {
    "stock": "stock: the engine's own operators",
    "raw": "raw: weft's sorter, the limit of this engine's data path",
    "kryo": "kryo: sortByKey of Spark's RDDs",
    "own": "own: weft's blocks and messages",
    "graphx": "graphx: GraphX's operators",
}


def _method(name: JsonValue) -> str:
    return _METHODS.get(name, name) if isinstance(name, str) else ""


def _places(summary: Summary) -> Table:
    rows = [
        (place.role, place.storage, " - EMULATED: ".join(filter(None, [place.description, place.emulated])))
        for place in summary.places
    ]
    asked = [(role, storage, "") for role, storage in summary.storages.items()]
    return Table(["role", "storage", "description"], rows or asked)


def phases(summary: Summary) -> Section:
    """Phases as a bar; only the time of a valid run is a result."""
    if not summary.phases:
        return Section("phases", "Phases", unseen={"phases": "the record contains none"})
    parts = [
        (span.name + ("" if span.ended else " (cut off)"), span.seconds, show_seconds(span.seconds))
        for span in summary.phases
    ]
    families = ["run" if span.name == "run" else "phase" for span in summary.phases]
    blocks: list[Block] = [Bar(parts, families)]
    if summary.verdict != "VALID":
        blocks.append(
            Words("These are durations of a run without a checked result, not measurements.", "warn")
        )
    return Section("phases", "Phases", blocks)
