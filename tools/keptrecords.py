"""Small records that the documentation keeps, each as one compressed file: its gallery and its pictures are made from them."""

import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from weft.host import settings
from weft.record import record

RECORDS = settings.SOURCE / "docs" / "records"
LEFT_OUT = ("report.html", "plan", "logs", "*.jar")
"""What no page needs; of a failed run the logs stay, since its reason is read from them."""


def keep(source: Path, name: str) -> Path:
    """Copy a record without what its page does not need, as one compressed file."""
    found = record.read(source)
    left_out = [each for each in LEFT_OUT if each != "logs" or found.verdict != "INVALID"]
    with tempfile.TemporaryDirectory(prefix="weft-pictures-") as scratch:
        whole = Path(scratch) / name
        shutil.copytree(source, whole, ignore=shutil.ignore_patterns(*left_out))
        RECORDS.mkdir(exist_ok=True)
        return Path(shutil.make_archive(str(RECORDS / name), "xztar", scratch, name))


@contextmanager
def unpacked() -> Iterator[Path]:
    """A folder with every record that the documentation keeps."""
    with tempfile.TemporaryDirectory(prefix="weft-records-") as folder:
        for path in sorted(RECORDS.glob("*.tar.xz")):
            with tarfile.open(path) as tar:
                tar.extraction_filter = getattr(tarfile, "data_filter", None)  # of 3.11.4 and newer
                tar.extractall(folder)  # noqa: S202 # the repository's own
        yield Path(folder)
