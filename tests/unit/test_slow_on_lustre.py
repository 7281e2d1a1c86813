"""What the guide to slow jobs shows of its event log is what `weft explain` prints of it."""

import re

from tests.documents import ROOT, blocks
from weft.api import results
from weft.report.sections.explain import first_screen

LOG = ROOT / "examples" / "logs" / "many-blocks.gz"
GUIDE = ROOT / "docs" / "guide" / "slow-on-lustre.md"


def test_the_first_screen_of_the_log_is_the_one_in_the_guide() -> None:
    stored, _ = results.recorded(str(LOG))
    found = results.explanation_of(results.summary_of(stored))
    text = GUIDE.read_text()
    (shown,) = [block.text for block in blocks(text) if block.language == "text"]
    assert first_screen(found) == shown.splitlines()
    own = re.search(r"Here it is ([\d.]+) s, and ([\d.]+) s are unclassified", text)
    assert own
    seconds = {part.name: f"{part.seconds:.1f}" for part in found.parts}
    assert (seconds["writing shuffle files"], seconds["unclassified"]) == own.groups()
