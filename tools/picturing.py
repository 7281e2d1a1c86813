"""The small records that the documentation keeps, and pictures of the first screens of their pages.

tools/pictures                     makes the pictures in docs/screens from the records in docs/records
tools/pictures keep RECORD NAME    keeps what the page of a record needs as docs/records/NAME.tar.xz
"""

import argparse
import contextlib
import shutil
import subprocess
import sys
from pathlib import Path

import keptrecords

from weft.api.results import summary_of
from weft.cli.guard import run_guarded
from weft.errors import MissingError, UsageError, WeftError
from weft.host import settings
from weft.record import record
from weft.record.record import Stored
from weft.report.pages import page

SCREENS = settings.SOURCE / "docs" / "screens"
WIDTH, HEIGHT, SCALE = 1200, 900, 1.5
BROWSER = "chromium"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="tools/pictures", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("keep", nargs="*", metavar="keep RECORD NAME")
    given = parser.parse_args().keep
    if not given:
        print("\n".join(str(each.relative_to(settings.SOURCE)) for each in pictures()))
    elif len(given) == 3 and given[0] == "keep":
        print(keptrecords.keep(Path(given[1]), given[2]))
    else:
        raise UsageError(f"not understood: {' '.join(given)}", hint="tools/pictures --help")


def pictures() -> list[Path]:
    """The first screen of each kept record's page. Raises MissingError without a browser."""
    if not shutil.which(BROWSER):
        raise MissingError(f"found no {BROWSER} on PATH", hint=f"apt-get install {BROWSER}")
    SCREENS.mkdir(exist_ok=True)
    # commands on the pages have short paths then
    with keptrecords.unpacked() as records, contextlib.chdir(records):
        return [_picture(record.read(folder)) for folder in sorted(Path().iterdir())]


def _picture(stored: Stored) -> Path:
    html = page.of(summary_of(stored, others=()), stored, Path(f"{stored.directory.name}.html")).absolute()
    target = SCREENS / html.with_suffix(".png").name
    argv = [
        *(BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
        *(
            f"--window-size={WIDTH},{HEIGHT}",
            f"--force-device-scale-factor={SCALE}",
            f"--screenshot={target}",
        ),
        html.as_uri(),
    ]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode or not target.exists():
        raise WeftError(f"{BROWSER} made no picture of {html.name}", tail=done.stderr.splitlines()[-5:])
    return target


if __name__ == "__main__":
    sys.exit(run_guarded(main))
