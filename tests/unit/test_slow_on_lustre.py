"""What the guide to slow jobs shows of its event log is what `weft explain` prints of it."""

import re

from tests.documents import ROOT, blocks
from weft.api import results
from weft.report.sections.explain import first_screen

LOG = ROOT / "examples" / "logs" / "many-blocks.gz"
GUIDE = ROOT / "docs" / "guide" / "slow-on-lustre.md"


def test_the_first_screen_of_the_log_is_the_one_in_the_guide() -> None:
    stored, _ = results.recorded(str(LOG))
    found = results.explained(stored)
    text = GUIDE.read_text()
    (shown,) = [block.text for block in blocks(text) if block.language == "text"]
    assert first_screen(found) == shown.splitlines()
    assert found.sql
    own = re.search(r"Here it is ([\d.]+) s, of ([\d.]+) s unclassified", text)
    assert own
    unclassified = next(part.seconds for part in found.parts if part.name == "unclassified")
    assert f"{unclassified:.1f}" == own[2]
    assert f"{max(one.seconds or 0.0 for one in found.sql.operators):.1f}" == own[1]
