"""A study beside its papers: formulas, rules that agree, differ or stay open, and the page."""

from pathlib import Path

import pytest

from weft import settings
from weft.errors import UsageError
from weft.report import formula, published, study
from weft.report.against import Against, against, finding, times_of
from weft.report.headline import Headline
from weft.report.published import Expected, Paper, Published, Rule
from weft.spec import load

EMULATED = "the shuffle file system is emulated (latencyfs, profile lustre); no real lustre was used"
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


def rule(value: str, **bound: float) -> Rule:
    return Rule(name="a rule", value=value, paper="6", source="figure 4", **bound)


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
TIMES = times_of(MEASURED, paper().expected)


def test_a_formula_divides_medians() -> None:
    found = formula.estimate("(lustre[2] / memory[2]) / (lustre[1] / memory[1])", TIMES)
    assert found is not None
    assert found.median == pytest.approx(10.5 / 5.1)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.median <= found.high


def test_a_formula_names_its_cells() -> None:
    assert formula.cells("lustre[2] / memory[2] * lustre[2]") == [("lustre", "2"), ("memory", "2")]


@pytest.mark.parametrize(
    "text", ["lustre", "lustre[1] - memory[1]", "__import__('os')", "1 / 2", "lustre[1] /", "a[b]"]
)
def test_anything_else_is_no_formula(text: str) -> None:
    with pytest.raises(UsageError, match="is no formula"):
        formula.cells(text)


@pytest.mark.parametrize(
    ("asked", "outcome"),
    [
        (rule("lustre[1] / memory[1]", at_least=4), "agrees"),
        (rule("lustre[1] / memory[1]", at_least=6), "differs"),
        (rule("pool[2] / memory[2]", at_most=1), "undecided"),
        (rule("pool[2] / memory[2]", at_most=1.15), "agrees"),
        (rule("pool[3] / memory[3]", at_most=1), "not measured"),
    ],
)
def test_a_rule_is_decided_by_its_whole_interval(asked: Rule, outcome: str) -> None:
    assert finding(asked, TIMES).outcome == outcome


def test_a_rule_over_too_few_runs_says_so() -> None:
    found = finding(
        rule("lustre[1] / memory[1]", at_least=4), {("lustre", "1"): [50.0], ("memory", "1"): [10.0]}
    )
    assert found.outcome == "agrees"
    assert "no interval" in found.why


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
    text = study.text(study.of_study(MEASURED, "s", folder(tmp_path / "s")))
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


def test_cells_stand_in_the_order_of_the_axis_with_the_base_first(tmp_path: Path) -> None:
    found = study.of_study(MEASURED[::-1], "s", folder(tmp_path / "s"))
    assert [group.key for group in found.groups[:3]] == [
        "memory-1",
        "delayed:lustre-1",
        "pool+delayed:lustre-1",
    ]


def test_a_study_without_rules_has_the_page_of_any_comparison(tmp_path: Path) -> None:
    found = study.of_study(MEASURED, "s", tmp_path)
    assert found.against is None
    assert study.sections(found)[0].anchor == "order"


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("expected.toml", "axis = 1"),
        ("expected.toml", "not TOML"),
        ("expected.toml", 'axis="a"\nseries="b"\nbase="x"\n[cells]\ny="y"'),
        ("published.csv", "paper,colour\np,red\n"),
    ],
)
def test_a_folder_that_is_wrong_is_refused_by_name(tmp_path: Path, file: str, text: str) -> None:
    (folder(tmp_path / "s") / file).write_text(text)
    with pytest.raises(UsageError, match=r"expected\.toml or published\.csv is wrong"):
        published.load(tmp_path / "s")


@pytest.mark.parametrize("path", sorted((settings.SOURCE / "studies").iterdir()), ids=lambda path: path.name)
def test_every_rule_of_a_study_is_about_cells_of_its_matrix(path: Path) -> None:
    found = published.load(path)
    assert found is not None
    matrix = load(path).matrix
    known = {(name, str(at)) for name, value in found.expected.cells.items() if value in matrix[found.expected.series]
             for at in matrix[found.expected.axis]}  # fmt: skip
    for each in found.expected.rules:
        assert set(formula.cells(each.value)) <= known, each.name
    assert {figure.cell for figure in found.figures} - {""} <= set(found.expected.cells)
    assert all(figure.note for figure in found.figures), "a figure says where it stands"
