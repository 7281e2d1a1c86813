"""The pages of the kept records in a real browser: on a phone and a wide screen, light and dark."""

from collections.abc import Iterator
from pathlib import Path

import keptrecords
import pytest

from tests.browser import Browser, browser, readable
from tests.needs import needs
from weft.api.results import summary_of
from weft.record import record
from weft.report.pages import page

pytestmark = needs("chromium")


@pytest.fixture(scope="module")
def pages() -> Iterator[list[Path]]:
    with keptrecords.unpacked() as folder:
        found = [record.read(each) for each in sorted(folder.iterdir())]
        yield [page.of(summary_of(each, others=()), each, each.directory / page.NAME) for each in found]


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("browser")) as found:
        yield found


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1400])
def test_each_page_fits_its_window_and_can_be_read(
    pages: list[Path], window: Browser, tmp_path: Path, width: int, scheme: str
) -> None:
    window.resize(width, 900, scheme)
    for each in pages:
        readable(window, each.as_uri(), tmp_path / f"{each.parent.name}.png", width, scheme)
