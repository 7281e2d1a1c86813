"""A study with rules, in small: its runs, and the page that sets them beside the papers."""

import shutil
from pathlib import Path

from tests.local.conftest import Weft
from tests.needs import DELAYED, needs

STUDY = Path(__file__).parents[2] / "studies" / "nersc-lustre"
SMALL = """
control = true
[workload]
kind = "groupby"
mappers_per_slot = 8
pairs = 50
value_bytes = 50

[nodes]
kind = "local"
cores = 1

[matrix]
"nodes.count" = [1]
scratch = ["memory", "delayed:lustre-2014"]
"""


@needs(*DELAYED)
def test_a_study_ends_with_its_page_and_the_papers_figures(weft: Weft) -> None:
    folder = weft.home / "mine" / "nersc-lustre"
    shutil.copytree(STUDY, folder)
    (folder / "study.toml").write_text(SMALL)
    done = weft("run", str(folder))
    assert done.returncode == 0, done.stderr
    page = weft.home / "runs" / "study-nersc-lustre.html"
    assert str(page) in done.stdout
    text = page.read_text()
    for words in (
        "no real Lustre was used",
        "published, other machines",
        "not measured",
        "lustre:ram, 80 nodes",
    ):
        assert words in text
    assert "could not be" not in text
    named = weft("report", "--study", "nersc-lustre")  # by the rules that come with weft
    assert named.returncode == 0, named.stderr
    named_page = Path(named.stdout.strip())
    assert "lustre[1] / memory[1]" in named_page.read_text()
    assert "Known work before each run" in named_page.read_text()
    assert "Where the shapes agree" in weft("compare", "--study", "nersc-lustre").stdout
