"""Sections as one self-contained HTML page."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from weft.report.draw.blocks import Chart, Section, Tone

_CODE = re.compile("`([^`]+)`")
_PERCENT = re.compile(r"(?<=\d) %")


@dataclass(frozen=True)
class HtmlPage:
    """A page's frame: the text above and below its sections."""

    title: str
    badge: str
    tone: Tone
    sentences: Sequence[str]
    trying: Sequence[str] = ()
    """One thing to try, and the command that does it."""
    tiles: Sequence[tuple[str, str]] = ()
    notes: Sequence[str] = ()
    """What the tiles are, where their names do not say it."""
    base: str | None = None
    """What leads from the page to the record, as the beginning of an address; None where the page is elsewhere without it."""
    warnings: Sequence[str] = ()
    footer: Sequence[str] = ()
    data: str = "{}"
    """The numbers of the page as JSON, for scripts."""
    sections: Sequence[Section] = field(default=())


def render(page: HtmlPage) -> str:
    """The whole text of the page."""
    text: str = _template("page.html.j2").render(page=page, css=_read("page.css"), data=_inert(page.data))
    return text


def flame_page(title: str, data: str) -> str:
    """A flame graph: `data` is the tree of frames as JSON."""
    text: str = _template("flames.html.j2").render(title=title, data=_inert(data))
    return text


def _marked(text: str) -> Any:
    """A text in which what is between backticks is code."""
    import markupsafe  # noqa: PLC0415

    return markupsafe.Markup(_CODE.sub(r"<code>\1</code>", str(markupsafe.escape(text))))  # noqa: S704 - escaped


def _together(text: str) -> str:
    """A text whose figures are not apart from their percent signs at the end of a line."""
    return _PERCENT.sub("\u00a0%", text)


def _inert(text: str) -> str:
    # nothing inside a script element may end it
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _read(name: str) -> str:
    return resources.files("weft.report.draw").joinpath(name).read_text(encoding="utf-8")


def inline_charts(chart: Chart) -> Mapping[str, Any]:
    """A chart's SVG, or why it failed."""
    try:
        return {"svg": chart.draw(), "error": ""}
    except Exception as error:  # noqa: BLE001 - text replaces a drawing that fails
        return {"svg": "", "error": f"{type(error).__name__}: {error}".splitlines()[0]}


@cache
def _template(name: str) -> Any:
    # most verbs write no page and should not spend time on the import
    import jinja2  # noqa: PLC0415

    loader = jinja2.FunctionLoader(_read)
    environment = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals["drawn"] = inline_charts
    environment.filters |= {"marked": _marked, "together": _together}
    return environment.get_template(name)
