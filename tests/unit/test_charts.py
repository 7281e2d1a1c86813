"""Charts of records that somebody else made."""

from weft.report.draw import charts

ROW = {"low": 1.0, "p25": 1.0, "median": 2.0, "p75": 3.0, "p95": 3.5, "high": 4.0}


def test_a_name_that_xml_cannot_have_is_drawn_all_the_same() -> None:
    """vl-convert ended the process at the escape of a damaged record."""
    drawn = charts.boxes([{"name": "a\x1b[2J \ud83d \uffff <b> é", **ROW}], "seconds")
    assert (
        "a\N{REPLACEMENT CHARACTER}[2J \N{REPLACEMENT CHARACTER} \N{REPLACEMENT CHARACTER} &lt;b> é"
        in drawn.replace("&gt;", ">")
    )
