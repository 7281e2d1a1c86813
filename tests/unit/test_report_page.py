"""The page: one file, the same sections each time, numbers that are the summary's, and nothing from elsewhere."""

import io
import json
import os
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from rich.console import Console

from tests.unit.report_fakes import RESOLVED, make_record
from weft import report
from weft.analysis.read.nodes import NodeInfo, StorageLink
from weft.analysis.summary.gather import summarize
from weft.analysis.summary.summary import Series, Summary
from weft.api import results
from weft.errors import RecordError
from weft.host import settings
from weft.record.record import Stored, write_json
from weft.report.draw import charts
from weft.report.draw.blocks import Chart, Section, Table, Words, build
from weft.report.pages import page, terminal
from weft.report.pages.contents import makers
from weft.report.sections.before import the_run_before
from weft.report.sections.tasks import executors
from weft.report.sections.timeline import PANELS, lines, timeline
from weft.report.sections.what import what_was_run

TITLES = ["Where the time went", "What was run", "Phases", "Timeline", "Stages", "Executors", "Slowest tasks", "Losses and recoveries",
          "Bytes and throughput", "Logs", "Configuration", "Counters", "Not observed"]  # fmt: skip
VOID = {"meta", "br", "hr", "img", "link", "input"}


class Tree(HTMLParser):
    """Collects what a page holds, and fails where its tags do not nest."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.titles: list[str] = []
        self.text: list[str] = []
        self.data = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "h2":
            self.titles.append(data)
        if self.open and self.open[-1] == "script":
            self.data += data
        elif self.open and self.open[-1] != "style":
            self.text.append(data)


def parse(path: Path) -> Tree:
    tree = Tree()
    tree.feed(path.read_text())
    assert tree.open == []
    return tree


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Stored, Path]:
    stored = make_record(tmp_path_factory.mktemp("records") / "20231114-terasort")
    return stored, report.write(stored)


def test_it_is_in_the_record(whole: tuple[Stored, Path]) -> None:
    assert whole[1] == whole[0].directory / "report.html"


def test_it_has_every_section_in_order(whole: tuple[Stored, Path]) -> None:
    assert parse(whole[1]).titles == TITLES


def test_it_asks_the_network_for_nothing(whole: tuple[Stored, Path]) -> None:
    text = whole[1].read_text()
    assert set(re.findall(r"https?://[^\s\"'<]+", text)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@import|url\(|<link|<img|src=", text)


def test_its_only_script_is_its_numbers(whole: tuple[Stored, Path]) -> None:
    tree = parse(whole[1])
    assert [attributes["type"] for tag, attributes in tree.tags if tag == "script"] == ["application/json"]
    assert json.loads(tree.data) == json.loads(summarize(whole[0]).json_text())


def test_its_charts_are_drawn_and_scale(whole: tuple[Stored, Path]) -> None:
    pictures = [attributes for tag, attributes in parse(whole[1]).tags if tag == "svg"]
    assert (
        len(pictures) == 6
    )  # spans, CPU, waiting, network, memory, task times: the fake record has no disk counters
    assert all("viewbox" in picture and "width" not in picture for picture in pictures)
    assert "could not be drawn" not in whole[1].read_text()


def test_it_says_the_verdict_the_numbers_and_what_is_emulated(whole: tuple[Stored, Path]) -> None:
    text = " ".join(parse(whole[1]).text)
    for words in ("VALID", "8.0 s", "50 MB/s", "25 MB/s", "Emulated storage: a Lustre of 2015", "10.0 s", "1.5 x",
                  "executor 1 on 10.0.0.2 was lost", "all that the probe lustre observes (there is no Lustre client)", "file operations (add it with --probe fileops)",
                  "could not see", "the dead", "nodes share one kernel", "spark.ui.enabled false"):  # fmt: skip
        assert words in text, words


def test_it_says_the_same_twice(whole: tuple[Stored, Path], tmp_path: Path) -> None:
    again = page.write(whole[0], tmp_path / "again.html").read_text()
    base = os.path.relpath(whole[0].directory, tmp_path)
    assert again.replace(f'href="{base}/', 'href="./') == whole[1].read_text()


def test_logs_are_links_that_lead_to_them(whole: tuple[Stored, Path], tmp_path: Path) -> None:
    (whole[0].directory / "logs" / "node1" / "a?b%#.log").write_text("odd")
    for path in (whole[1].with_name("again-here.html"), tmp_path / "elsewhere.html"):
        tags = parse(page.write(whole[0], path)).tags
        found = [attributes["href"] or "" for tag, attributes in tags if tag == "a"]
        links = [unquote(link) for link in found if not link.startswith("#")]
        assert len(links) == 2
        assert all((path.parent / link).is_file() for link in links), links
    (whole[0].directory / "logs" / "node1" / "a?b%#.log").unlink()


def test_a_page_that_is_published_without_its_record_has_no_links(whole: tuple[Stored, Path]) -> None:
    assert "driver.log" in (text := page.text(summarize(whole[0])))
    assert not re.search(r'href="[^#]', text)


def test_it_has_the_command_that_makes_the_run_again(whole: tuple[Stored, Path]) -> None:
    assert f"<code>weft run {whole[0].directory}/spec.toml</code>" in whole[1].read_text()


def test_measured_and_run_phase_are_explained(whole: tuple[Stored, Path]) -> None:
    assert "measured: the time of the work by the program&#39;s own clock" in whole[1].read_text()
    summary = summarize(whole[0])
    (note,) = page.notes(summary.model_copy(update={"own_clock": False}))
    assert note.startswith("measured: the run phase;")


def test_an_own_job_has_its_programs_name(tmp_path: Path) -> None:
    stored = make_record(tmp_path / "run", head={"verdict": "UNCHECKED", "workload": "own-job"})
    own = {"kind": "own-job", "program": "/home/ada/count.py", "arguments": ["a b", "7"]}
    write_json(tmp_path / "run" / "resolved.json", {**RESOLVED, "spec": {"workload": own}})
    text = page.text(summarize(stored))
    assert "<h1>count.py &#39;a b&#39; 7: run</h1>" in text
    assert "count.py &#39;a b&#39; 7 by spark 4.3.0" in text


def test_the_run_before_has_a_column_in_the_page(tmp_path: Path) -> None:
    runs = settings.runs()
    make_record(runs / "0-other", head={"key": "other", "created": "2023-11-14T00"})
    make_record(runs / "1-before", head={"measured": 10.0, "created": "2023-11-14T01", "host": "n9"})
    make_record(runs / "2-later", head={"created": "2023-11-14T03"})
    stored = make_record(runs / "3-this", head={"created": "2023-11-14T02"})
    section = the_run_before(results.summary_of(stored))
    table = next(block for block in section.blocks if isinstance(block, Table))
    assert table.rows[1] == ("measured", "8.0 s", "10.0 s", "-20%")
    assert "1-before, of the same spec" in str(section.blocks[0])
    assert "on n9" in str(section.blocks[0])
    assert not the_run_before(summarize(stored)).blocks


def test_executors_say_what_they_did_and_from_where_they_read(tmp_path: Path) -> None:
    summary = summarize(make_record(tmp_path / "run"))
    first, second = (
        dict(zip(executors_of(summary).columns, row, strict=True)) for row in executors_of(summary).rows
    )
    assert (first["executor"], first["node"], first["tasks"]) == ("0", "node1", "4")
    assert (second["executor"], second["node"], second["tasks"]) == ("1", "node2", "0, 1 failed")
    assert second["lived"] == "from 3.00 s to 6.00 s: worker lost"


def executors_of(summary: Summary) -> Table:
    (block,) = executors(summary).blocks
    assert isinstance(block, Table)
    return block


def test_names_of_stages_are_whole(tmp_path: Path) -> None:
    stored = make_record(tmp_path / "run")
    name = "map at " + "x" * 90
    log = next((tmp_path / "run" / "engine").iterdir())
    events = [json.loads(line) for line in log.read_text().splitlines()]
    for each in events:
        if "Stage Info" in each:
            each["Stage Info"]["Stage Name"] = name
    log.write_text("".join(json.dumps(each) + "\n" for each in events))
    text = page.text(summarize(stored))
    assert text.partition('id="data"')[0].count(f"<td>{name}</td>") >= 2


def test_what_a_record_says_is_never_markup(tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script>"
    path = report.write(
        make_record(
            tmp_path / "run",
            head={"verdict": "INVALID", "reason": evil, "lost": [evil], "facts": {evil: evil}},
        )
    )
    tree = parse(path)
    assert [attributes for tag, attributes in tree.tags if tag == "script"] == [
        {"type": "application/json", "id": "data"}
    ]
    assert json.loads(tree.data)["reason"] == evil
    assert "two <b>&" in " ".join(tree.text)


FAILED = [
    ({"verdict": "INVALID", "reason": "a row is missing", "tail": ["last"], "hint": "look again"}, []),
    ({"verdict": "INVALID", "reason": "a row is missing"}, []),
    ({"verdict": "RUNNING", "phase": "run"}, ["samples.parquet"]),
    (
        {"verdict": "RUNNING", "phases": {}},
        ["resolved.json", "events.jsonl", "samples.parquet", "sources.json", "spec.toml"],
    ),
]


@pytest.mark.parametrize(("head", "without"), FAILED)
def test_a_section_with_nothing_in_it_is_not_shown(
    tmp_path: Path, head: dict[str, object], without: list[str]
) -> None:
    found = build(makers(), summarize(make_record(tmp_path / "run", head=head, without=without)))
    assert all(section.blocks for section in found)
    assert found[0].title == "Failure"
    assert found[-1].title == "Not observed"
    tree = parse(report.write(make_record(tmp_path / "again", head=head, without=without)))
    text = " ".join(tree.text)
    assert "could not be created" not in text
    assert ("not measurements" in text) == ("Phases" in tree.titles)


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (FAILED[0][0], ("a row is missing.", "last", "hint: look again")),
        (FAILED[1][0], ("a row is missing.", "End of logs/node1/driver.log", "the last line")),
        (FAILED[2][0], ("End of logs/node1/driver.log", "the last line", "hint: `weft ps`")),
    ],
)
def test_a_failed_run_begins_with_the_failure_the_last_lines_and_the_hint(
    tmp_path: Path, head: dict[str, object], words: Sequence[str]
) -> None:
    out = Console(width=160, record=True, file=io.StringIO())
    terminal.show(summarize(make_record(tmp_path / "run", head=head)), out)
    first = out.export_text().partition("What was run")[0].partition("Failure\n")[2]
    for each in words:
        assert each in first, each


def test_the_first_screen_of_a_failed_run_says_what_to_do(tmp_path: Path) -> None:
    header = parse(report.write(make_record(tmp_path / "run", head=FAILED[0][0]))).text
    first = " ".join(header).partition("Where the time went")[0]
    assert first.index("a row is missing") < first.index("hint: look again")


def test_what_does_not_belong_to_a_run_is_not_reported_as_missing(tmp_path: Path) -> None:
    """A run of Spark has no counters of MapReduce, Flink or HDFS."""
    unseen = build(makers(), summarize(make_record(tmp_path / "run")))[-1].blocks
    assert len(unseen) == 1
    assert not [word for word in ("MapReduce", "Flink", "HDFS") if word in str(unseen)]


@pytest.mark.parametrize(
    ("engine", "name"), [("hadoop", "MapReduce's counters"), ("flink", "Flink's vertices")]
)
def test_what_an_engine_should_have_left_is_reported_as_missing(
    tmp_path: Path, engine: str, name: str
) -> None:
    unseen = build(makers(), summarize(make_record(tmp_path / "run", head={"engine": engine})))[-1].blocks
    assert name in str(unseen)


def test_a_section_that_fails_leaves_a_hole_that_says_so() -> None:
    def broken(_: Summary) -> Section:
        raise KeyError("gone")

    found = build([broken, what_was_run], Summary(id="x", directory="/x", verdict="VALID"))
    assert found[0] == Section(
        "broken",
        "Broken",
        [Words("This section could not be created from this record (KeyError: 'gone').", "bad")],
    )
    assert found[1].title == "What was run"


def test_a_chart_that_fails_is_shown_as_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(charts, "svg", lambda *_: 1 / 0)
    text = report.write(make_record(tmp_path / "run")).read_text()
    assert "This chart could not be drawn (ZeroDivisionError" in text
    assert "stage 0" in text


def test_a_place_that_cannot_be_written_is_an_error_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="cannot write") as caught:
        page.write(make_record(tmp_path / "run"), tmp_path / "nowhere" / "x.html")
    assert "--out FILE" in caught.value.hint


def test_the_terminal_says_what_the_page_says(tmp_path: Path) -> None:
    out = Console(width=160, record=True, file=io.StringIO())
    terminal.show(summarize(make_record(tmp_path / "run")), out)
    text = out.export_text()
    assert [title for title in TITLES if title not in text] == []
    for words in (
        "VALID",
        "took 8.0 s",
        "Emulated storage: a Lustre of 2015",
        "node1 user",
        "executor 1 on 10.0.0.2 was lost",
        "1.5 x",
        "in the record: spec.toml",
    ):
        assert words in text, words


def test_tables_of_a_workload_are_shown_as_tables(tmp_path: Path) -> None:
    facts = {
        "rates": [{"threads": 1, "opens_per_second": 22085.0787}, {"threads": 8}],
        "rows": 2000000,
        "odd": [1, {"a": 2}],
        "none": [],
    }
    text = report.write(make_record(tmp_path / "run", head={"facts": facts})).read_text()
    for words in (
        "opens per second",
        "22,085",
        "2,000,000",
        "rates, as measured by the workload",
        "[1, {&#34;a&#34;: 2}]",
    ):
        assert words in text, words


def test_many_nodes_are_drawn_as_lowest_median_and_highest(tmp_path: Path) -> None:
    names = [f"n{number}" for number in range(30)]
    summary = Summary(
        id="x", directory="/x", verdict="VALID", nodes=tuple(NodeInfo(name=name) for name in names),
        series=tuple(Series(node=name, counter="memory", points=((0, number), (1, number))) for number, name in enumerate(names)),
    )  # fmt: skip
    found = lines(summary, PANELS[-1])
    assert [(line.node, line.points[0][1]) for line in found] == [
        ("lowest of 30 nodes", 0), ("median of 30 nodes", 14.5), ("highest of 30 nodes", 29)
    ]  # fmt: skip


def test_the_highest_of_many_nodes_in_a_long_run_is_that_of_all_of_them(tmp_path: Path) -> None:
    names = [f"n{number}" for number in range(8)]
    points = [[(step * 2.25 + number / 10, float(number)) for step in range(99)] for number in range(8)]
    summary = Summary(
        id="x", directory="/x", verdict="VALID", nodes=tuple(NodeInfo(name=name) for name in names),
        series=tuple(Series(node=name, counter="memory", points=tuple(own)) for name, own in zip(names, points, strict=True)),
    )  # fmt: skip
    lowest, _, highest = lines(summary, PANELS[-1])
    assert {value for _, value in lowest.points} == {0.0}
    assert {value for _, value in highest.points} == {7.0}


def test_what_links_carried_is_compared_with_their_rate() -> None:
    storage = StorageLink(address="10.88.0.1", interface="eth1")
    series = {
        ("n1", "net_send"): 3e6, ("n1", "net_receive"): 1e6, ("n2", "net_receive"): 4e6, ("n1", "storage_receive"): 9e7,
    }  # fmt: skip
    summary = Summary(
        id="x", directory="/x", verdict="VALID",
        nodes=(NodeInfo(name="n1", link=5e6, storage=storage), NodeInfo(name="n2", link=5e6, storage=storage)),
        series=tuple(Series(node=node, counter=name, points=((0, 0), (9, most))) for (node, name), most in series.items()),
    )  # fmt: skip
    found = {block.title: block for block in timeline(summary).blocks if isinstance(block, Chart)}
    network = found["Network, B/s"]
    assert network.note == (
        "The red line is the rate of a node's link, each way: 5 MB/s. At most 80% of it was used, by what n2 received."
    )
    assert "n1 sent" in network.plain[-1]
    assert network.plain[-1].endswith("up to 3 MB/s of 5 MB/s")
    assert 'stroke="var(--failed)"' in network.draw()
    aside = found["Network for storage, B/s"]
    assert (aside.note, "var(--failed)" in aside.draw()) == ("", False)
    assert aside.plain[0].endswith("up to 90 MB/s")


def test_without_a_network_for_storage_none_is_mentioned() -> None:
    summary = Summary(id="x", directory="/x", verdict="VALID", nodes=(NodeInfo(name="n1", link=5e6),))
    assert "Network over time" in timeline(summary).unseen
    assert not [name for name in timeline(summary).unseen if "storage" in name]
