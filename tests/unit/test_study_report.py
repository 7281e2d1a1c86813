"""A study beside its papers: formulas, rules that agree, differ or stay open, and the page."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from weft.analysis.compare import formula, published
from weft.analysis.compare import study as studies
from weft.analysis.compare.against import Against, against, finding, values_of
from weft.analysis.compare.compare import Comparison, Group
from weft.analysis.compare.headline import Headline
from weft.analysis.compare.operations import Operations
from weft.analysis.compare.published import Expected, Measure, Paper, Published, Rule
from weft.analysis.explain.timeparts import Covered, Explanation
from weft.errors import UsageError
from weft.host import settings
from weft.report.draw.blocks import Listing, Table
from weft.report.pages import study
from weft.report.sections import slowdown
from weft.spec.study import load

EMULATED = "latencyfs with the profile lustre; no real lustre was used"
CELLS = {"memory": "memory", "lustre": "delayed:lustre", "pool": "pool+delayed:lustre"}


def run(scratch: str, nodes: str, number: int, seconds: float | None) -> Headline:
    return Headline(
        id=f"{scratch}-{nodes}-{number}",
        directory="/runs",
        verdict="INVALID" if seconds is None else "VALID",
        key=f"{scratch}-{nodes}",
        study="s",
        coordinates={"nodes.count": nodes, "scratch": scratch},
        seconds=seconds,
        emulated=() if scratch == "memory" else (EMULATED,),
        spec={"nodes.count": nodes, "nodes.cores": "1", "scratch.kind": scratch},
    )


def runs(**times: list[float | None]) -> list[Headline]:
    """memory1=[...]: times of the cell `memory` on one node."""
    return [
        run(CELLS[key[:-1]], key[-1], number, seconds)
        for key, values in times.items()
        for number, seconds in enumerate(values)
    ]


def rule(value: str, of: Measure = "seconds", **bound: float) -> Rule:
    return Rule(name="a rule", value=value, of=of, paper="6", source="figure 4", **bound)


def paper(*rules: Rule) -> Paper:
    expected = Expected(axis="nodes.count", series="scratch", base="memory", cells=CELLS, rule=rules)
    figure = Published(paper="p", experiment="groupby", engine="spark", storage="lustre:ram", scale="80 nodes", metric="slowdown",
                       value="61", unit="ratio", cores=2560, cell="lustre", note="figure 4")  # fmt: skip
    return Paper(expected=expected, figures=(figure,))


MEASURED = runs(
    memory1=[10, 10, 10],
    lustre1=[50, 51, 52],
    pool1=[10, 11, 12],
    memory2=[20, 20, 20],
    lustre2=[200, 210, 220],
    pool2=[19, 20, 21],
)
TIMES = values_of(MEASURED, paper().expected)


def test_a_formula_divides_medians() -> None:
    found = formula.estimate("(lustre[2] / memory[2]) / (lustre[1] / memory[1])", TIMES)
    assert found is not None
    assert found.median == pytest.approx(10.5 / 5.1)
    assert found.ends == (pytest.approx(10 / 5.2), pytest.approx(11 / 5))


def test_a_formula_names_its_cells() -> None:
    assert formula.cells("lustre[2] / memory[2] * lustre[2]") == [("lustre", "2"), ("memory", "2")]


@pytest.mark.parametrize(
    "text", ["lustre", "lustre[1] - memory[1]", "__import__('os')", "1 / 2", "lustre[1] /", "a[b.c]"]
)
def test_anything_else_is_no_formula(text: str) -> None:
    with pytest.raises(UsageError, match="is not a formula"):
        formula.cells(text)


@pytest.mark.parametrize(
    ("asked", "outcome"),
    [
        (rule("lustre[1] / memory[1]", at_least=4), "agrees"),
        (rule("lustre[1] / memory[1]", at_least=6), "differs"),
        (rule("pool[2] / memory[2]", at_most=1), "undecided"),
        (rule("pool[2] / memory[2]", at_most=1.15), "agrees"),
        (rule("pool[3] / memory[3]", at_most=1), "not measured"),
        (rule("lustre[1] / memory[1]", at_least=4, at_most=6), "agrees"),
        (rule("lustre[1] / memory[1]", at_least=2, at_most=3), "differs"),
        (rule("lustre[1] / memory[1]", at_least=5.1, at_most=6), "undecided"),
    ],
)
def test_a_rule_is_decided_by_all_of_few_runs(asked: Rule, outcome: str) -> None:
    assert finding(asked, TIMES).outcome == outcome


def test_a_rule_is_decided_by_the_whole_interval_of_many_runs() -> None:
    many = {("lustre", "1"): [50.0, 51, 52, 49, 48, 50, 39.9], ("memory", "1"): [10.0] * 7}
    found = finding(rule("lustre[1] / memory[1]", at_least=4.2), many)
    assert (found.outcome, found.why) == ("agrees", "")


def test_a_rule_over_few_runs_says_so() -> None:
    found = finding(rule("lustre[1] / memory[1]", at_least=4), TIMES)
    assert found.why == "in all of 3 runs"


def test_one_run_decides_no_rule() -> None:
    once = {("lustre", "1"): [50.0], ("memory", "1"): [10.0]}
    found = finding(rule("lustre[1] / memory[1]", at_least=4), once)
    assert (found.outcome, found.why) == ("undecided", "1 run")


@pytest.mark.parametrize("bounds", [{}, {"at_least": 2, "at_most": 2}])
def test_a_rule_without_a_range_is_refused(bounds: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="at_least"):
        rule("lustre[1]", **bounds)


def test_invalid_runs_do_not_count() -> None:
    found = against(
        runs(memory1=[10, None], lustre1=[None, None]), paper(rule("lustre[1] / memory[1]", at_least=4))
    )
    assert [(each.cell, each.at, each.runs, each.ratio) for each in found.slowdowns] == [
        ("lustre", "1", 0, None),
        ("pool", "1", 0, None),
    ]
    assert found.findings[0].outcome == "not measured"
    assert found.findings[0].why == "no valid run of lustre[1]"


def found_against() -> Against:
    return against(MEASURED, paper(rule("lustre[1] / memory[1]", at_least=4)))


def test_slowdowns_are_set_against_the_base_on_as_many_nodes() -> None:
    ratios = {
        (each.cell, each.at): each.ratio and round(each.ratio.median, 2) for each in found_against().slowdowns
    }
    assert ratios == {("lustre", "1"): 5.1, ("lustre", "2"): 10.5, ("pool", "1"): 1.1, ("pool", "2"): 1.0}
    assert {each.at: each.cores for each in found_against().slowdowns} == {"1": 1, "2": 2}


ENGINES = Expected(
    axis="engine",
    places=("spark", "flink"),
    series="backend",
    base="lustre",
    cells={"lustre": "lustre", "datawarp": "datawarp"},
    rule=(
        rule("lustre[spark] / lustre[flink]", of="reads", at_least=100),
        rule("lustre[spark]", of="mean_read", at_most=340),
        rule("datawarp[spark]", of="mean_read", at_most=340),
        rule("datawarp[flink] / lustre[flink]", at_least=1),
    ),
)


def on(engine: str, backend: str, seconds: float, counted: Operations | None = None) -> Headline:
    return replace(
        run(backend, "2", 1, seconds),
        id=f"{engine}-{backend}",
        coordinates={"engine": engine, "backend": backend},
        operations=counted,
    )


BY_ENGINE = [
    on("spark", "lustre", 20, Operations(reads=1000, bytes_read=300_000)),
    on("flink", "lustre", 10, Operations(reads=5, bytes_read=300_000)),
    on("flink", "datawarp", 9, Operations(reads=5, bytes_read=300_000)),
    on("spark", "datawarp", 60),
]


def test_rules_are_about_file_operations_where_they_say_so() -> None:
    found = against([*BY_ENGINE, *BY_ENGINE], Paper(expected=ENGINES)).findings
    assert [each.outcome for each in found] == ["agrees", "agrees", "not measured", "differs"]
    assert found[0].value is not None
    assert found[0].value.median == 200
    assert found[2].why == "no valid run of datawarp[spark] that counted file operations"


def test_a_core_takes_in_what_the_slots_of_the_read_side_do() -> None:
    explanation = Explanation(sentence="", verdict=True, headline="", wall=30, slots=2, slot_time=60, parts=(), stages=(),
                              sides={"map side": 7.0, "read side": 40.0},
                              coverage=Covered(tasks=4, processes_ran=1, processes_seen=1, replay=1.0))  # fmt: skip
    one = replace(run("memory", "1", 1, 30), size=1_000_000_000, explanation=explanation)
    expected = paper().expected
    assert values_of([one], expected, "ingest") == {("memory", "1"): [pytest.approx(200)]}
    unread = replace(one, explanation=explanation.model_copy(update={"sides": {"map side": 7.0}}))
    assert values_of([unread, replace(one, explanation=None)], expected, "ingest") == {("memory", "1"): []}
    found = finding(rule("memory[1]", of="ingest", at_most=1), {})
    assert found.why == "no valid run of memory[1] whose job metrics have a stage that reads a shuffle"


def test_places_of_an_axis_are_in_the_order_of_the_study() -> None:
    found = against(BY_ENGINE[::-1], Paper(expected=ENGINES))
    assert [(each.cell, each.at, each.ratio and each.ratio.median) for each in found.slowdowns] == [
        ("datawarp", "spark", 3.0),
        ("datawarp", "flink", 0.9),
    ]


def test_published_points_are_next_to_those_of_their_place(tmp_path: Path) -> None:
    here = tmp_path / "s"
    here.mkdir()
    (here / "expected.toml").write_text(
        'axis = "engine"\nplaces = ["spark", "flink"]\nseries = "backend"\nbase = "lustre"\n'
        '[cells]\nlustre = "lustre"\ndatawarp = "datawarp"\n'
    )
    (here / "published.csv").write_text(
        "paper,experiment,engine,storage,scale,metric,value,unit,cell,at,note\n"
        "p,sort,spark,datawarp:lustre,6 workers,slowdown,4.2,ratio,datawarp,spark,section 4\n"
    )
    text = study.text(studies.of_study(BY_ENGINE, "s", here))
    assert "published, other machines: engine" in text
    assert "could not be" not in text
    rows = slowdown_rows(studies.of_study(BY_ENGINE, "s", here))
    assert rows == {("datawarp", "spark"): "4.2 (datawarp:lustre, 6 workers)", ("datawarp", "flink"): "-"}


def slowdown_rows(found: Comparison) -> dict[tuple[str, str], str]:
    table = next(block for block in study.against_memory(found).blocks if isinstance(block, Table))
    return {(row[0], row[1]): row[-1] for row in table.rows}


def test_the_mean_of_an_operation_is_of_its_calls() -> None:
    found = Operations(reads=20, bytes_read=2000, writes=10, bytes_written=1000)
    assert (found.mean_read, found.mean_write) == (100, 100)
    assert Operations().mean_read is None


def folder(path: Path) -> Path:
    path.mkdir()
    (path / "expected.toml").write_text(
        'axis = "nodes.count"\nseries = "scratch"\nbase = "memory"\n[cells]\nmemory = "memory"\nlustre = "delayed:lustre"\n'
        '[[rule]]\nname = "slow"\nvalue = "lustre[1] / memory[1]"\nat_least = 4\npaper = "6"\nsource = "figure 4"\n'
    )
    (path / "published.csv").write_text(
        "paper,experiment,engine,storage,scale,metric,value,unit,cores,cell,note\n"
        "p,groupby,spark,lustre:ram,80 nodes,slowdown,61,ratio,2560,lustre,figure 4\n"
        "p,groupby,spark,pooling,any,speedup,1.1-1.2,ratio,,,up to\n"
    )
    return path


def test_the_page_names_what_is_emulated_the_published_points_and_the_rules(tmp_path: Path) -> None:
    text = study.text(studies.of_study(MEASURED, "s", folder(tmp_path / "s")))
    for words in (
        EMULATED,
        "published, other machines: cores",
        "lustre:ram, 80 nodes",
        "figure 4",
        "1 agrees",
        "at least 4",
    ):
        assert words in text
    assert "could not be" not in text


def test_cells_are_in_the_order_of_the_axis_with_the_base_first(tmp_path: Path) -> None:
    found = studies.of_study(MEASURED[::-1], "s", folder(tmp_path / "s"))
    assert [group.key for group in found.groups[:3]] == [
        "memory-1",
        "delayed:lustre-1",
        "pool+delayed:lustre-1",
    ]


def test_a_study_without_rules_has_the_page_of_any_comparison(tmp_path: Path) -> None:
    found = studies.of_study(MEASURED, "s", tmp_path)
    assert found.against is None
    assert study.sections(found)[0].anchor == "order"


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("expected.toml", "axis = 1"),
        ("expected.toml", "not TOML"),
        ("expected.toml", 'axis="a"\nseries="b"\nbase="x"\n[cells]\ny="y"'),
        ("published.csv", "paper,colour\np,red\n"),
        ("expected.toml", b"# M\xfcller"),
        ("published.csv", b"paper\nM\xfcller\n"),
    ],
)
def test_a_folder_that_is_wrong_is_refused_by_name(tmp_path: Path, file: str, text: str | bytes) -> None:
    (folder(tmp_path / "s") / file).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UsageError, match=r"expected\.toml or published\.csv is invalid"):
        published.load(tmp_path / "s")


@pytest.mark.parametrize("path", sorted((settings.SOURCE / "studies").iterdir()), ids=lambda path: path.name)
def test_every_rule_of_a_study_is_about_cells_of_its_matrix(path: Path) -> None:
    found = published.load(path)
    assert found is not None
    coordinates = [cell for cell, _ in load(path).cells()]
    names = {value: name for name, value in found.expected.cells.items()}
    known = {(names.get(cell[found.expected.series]), str(cell[found.expected.axis])) for cell in coordinates}
    for each in found.expected.rules:
        assert set(formula.cells(each.value)) <= known, each.name
    assert {figure.cell for figure in found.figures} - {""} <= set(found.expected.cells)
    assert {figure.at for figure in found.figures} - {""} <= {at for _, at in known}
    assert set(found.expected.places) <= {at for _, at in known}
    assert all(figure.note for figure in found.figures), "a figure says where it stands"


@pytest.mark.parametrize("path", sorted((settings.SOURCE / "studies").iterdir()), ids=lambda path: path.name)
def test_every_rule_of_a_study_can_agree_and_differ(path: Path) -> None:
    found = published.load(path)
    assert found is not None
    for each in found.expected.rules:
        cells, sizes = formula.cells(each.value), (1e-6, 1.0, *within(each), 1e9)
        worlds = [dict(zip(cells, values, strict=True)) for values in product(sizes, repeat=len(cells))]
        seen = {finding(each, {cell: [value] * 2 for cell, value in of.items()}).outcome for of in worlds}
        assert seen == {"agrees", "differs"}, each.name


def within(asked: Rule) -> list[float]:
    """A value that a rule with two bounds accepts of a single cell, or of one over another that is 1."""
    return [bound for bound in (asked.at_least, asked.at_most) if bound is not None]


def test_where_storage_makes_no_difference_no_rule_about_mllib_agrees() -> None:
    found = published.load(settings.SOURCE / "studies/nersc-lustre-mllib")
    assert found is not None
    expected = found.expected
    even = {(cell, at): [10.0, 10.0] for cell in expected.cells for at in expected.places}
    assert {finding(each, even).outcome for each in expected.rules} == {"differs"}


def test_cells_that_share_a_coordinate_are_named_by_it() -> None:
    everyone = [
        Group(
            label=f"work={work}, platform={platform}",
            names=(f"work={work}", f"platform={platform}"),
            key=f"{work}{platform}",
            runs=(),
            values=(),
        )
        for platform in "xy"
        for work in "ab"
    ]
    assert study.together(everyone[:2], everyone) == "platform=x"
    assert study.together([everyone[0], everyone[3]], everyone) == "work=a, platform=x; work=b, platform=y"
    assert study.together(everyone, everyone) == "every cell"
    assert study.together(everyone[:1], everyone) == "work=a, platform=x"


def test_the_page_says_which_rules_agree_and_which_differ() -> None:
    agreeing = rule("lustre[1] / memory[1]", at_least=4)
    differing = rule("lustre[1] / memory[1]", at_least=60).model_copy(update={"name": "another rule"})
    section = slowdown.rules(against(MEASURED, paper(agreeing, differing)))
    assert Listing(["Agrees: a rule.", "Differs: another rule."]) in section.blocks
