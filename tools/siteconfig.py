"""What mkdocs gets: the theme and its colours, what each page has at its end, and the checks."""

import re
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from weft import __version__
from weft.host import checkout, settings

Nav = list[dict[str, Any]]
COLOURS = {"primary": "blue grey", "accent": "custom"}
PALETTES = [
    {
        "media": f"(prefers-color-scheme{media})",
        "scheme": scheme,
        "toggle": {"icon": f"material/brightness-{icon}", "name": f"switch to {after}"},
        **COLOURS,
    }
    for media, scheme, icon, after in (
        ("", "default", "auto", "light"),
        (": light", "default", "7", "dark"),
        (": dark", "slate", "4", "the system's choice"),
    )
]
"""What the button goes through; the first follows the system."""
_CITED = re.compile(r"^repository-code: *[\"']?(\S+?)[\"']?$", re.MULTILINE)


def configuration(nav: Nav, pages: Path, out: Path) -> dict[str, Any]:
    """For mkdocs: everything is local, and whatever does not fit together is a warning."""
    both = {"not_found": "warn", "absolute_links": "warn"}
    checked = {
        "nav": {"omitted_files": "warn", **both},
        "links": {"anchors": "warn", "unrecognized_links": "warn", **both},
    }
    return {
        "site_name": f"weft {__version__}",
        "site_description": "Runs data engines on HPC machines, and explains where the time goes",
        "docs_dir": str(pages),
        "site_dir": str(out),
        "use_directory_urls": False,
        "theme": {
            "name": "material",
            "custom_dir": str(settings.SOURCE / "docs" / "site" / "theme"),
            "font": False,
            "features": ["navigation.indexes", "navigation.top", "search.highlight", "content.code.copy"],
            "palette": PALETTES,
            "icon": {"logo": "material/chart-timeline"},
        },
        "extra": {"polyfills": ["docs/site/iframe-worker.js"], "built": _source()},
        "extra_css": ["docs/site/extra.css"],
        "plugins": ["search", "offline"],
        "markdown_extensions": ["tables", "fenced_code", "sane_lists", {"toc": {"permalink": True}}],
        "validation": checked,
        "nav": nav,
    }


def _source() -> dict[str, str]:
    """Of which weft the site is."""
    return {
        "version": __version__,
        "commit": checkout.commit(),
        "repository": repository(settings.SOURCE),
    }


def repository(source: Path) -> str:
    """The address of the repository: that of CITATION.cff, or where a clone came from; empty where neither is public."""
    if cited := _CITED.search((source / "CITATION.cff").read_text()):
        return cited[1]
    if not (source / ".git").exists():
        return ""
    asked = ["git", "-C", str(source), "remote", "get-url", "origin"]
    parts = urlsplit(subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip())
    if parts.scheme != "https" or not parts.hostname:
        return ""
    return urlunsplit(("https", parts.netloc.rpartition("@")[2], parts.path.removesuffix(".git"), "", ""))
