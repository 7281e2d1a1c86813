"""The records that the documentation keeps: small, readable by this version, each with a picture that a document shows."""

from collections.abc import Iterator
from pathlib import Path

import keptrecords
import pytest

from weft.api.results import summary_of
from weft.record import record
from weft.report.pages import page

ROOT = Path(__file__).parents[2]
FILES = sorted(keptrecords.RECORDS.iterdir())
NAMES = [path.name.removesuffix(".tar.xz") for path in FILES]
MOST = 500_000
"""Bytes of one."""


@pytest.fixture(scope="module")
def records() -> Iterator[Path]:
    with keptrecords.unpacked() as folder:
        yield folder


def test_they_are_small() -> None:
    assert [path.name for path in FILES if path.stat().st_size > MOST] == []


def test_each_has_a_picture_that_a_document_shows() -> None:
    assert sorted(path.stem for path in (ROOT / "docs/screens").iterdir()) == NAMES
    shown = "".join(path.read_text() for path in (ROOT / "README.md", *(ROOT / "docs/guide").iterdir()))
    assert [name for name in NAMES if f"screens/{name}.png" not in shown] == []


@pytest.mark.parametrize("name", NAMES)
def test_its_page_can_be_made(records: Path, name: str) -> None:
    found = summary_of(record.read(records / name), others=())
    assert (found.gaps, found.explanation is None) == ((), False)
    assert found.verdict in page.text(found)


def test_the_figures_of_the_readme_are_those_of_its_two_pictures(records: Path) -> None:
    text = (ROOT / "README.md").read_text()
    slow, fast = (
        record.read(records / name).head.measured or 0 for name in ("groupby-lustre", "groupby-pool")
    )
    assert f"took {slow:.0f} s with scratch on an emulated Lustre" in text
    assert f"it took {fast:.1f} s" in text
    found = summary_of(record.read(records / "groupby-lustre"), others=()).explanation
    assert found is not None
    (metadata,) = [
        part.seconds / (found.job or 1) for part in found.parts if part.name == "metadata: scratch"
    ]
    assert f"{metadata:.0%}".replace("%", " %") + " of the time in calls for metadata" in text
