"""Logs of a run that are read while they grow, and the order in time of their lines."""

from pathlib import Path

import pytest

from weft.facts import failures
from weft.run.diagnosis import texts
from weft.run.diagnosis.waits import Waits


def written(tmp_path: Path, data: bytes) -> Path:
    log = tmp_path / "logs" / "node1" / "driver.log"
    log.parent.mkdir(parents=True)
    log.write_bytes(data)
    return log


def test_each_line_of_a_log_that_grows_is_read_once_and_has_its_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a line is cut in the middle of a character, and where bytes are no UTF-8."""
    data = "".join(f"{number} Zürich\n" for number in range(40)).encode() + b"\xff\xfe\n" * 3
    log = written(tmp_path, b"")
    read: list[str] = []
    waits = Waits(tmp_path, "spark", print)

    def noted(lines: list[str], *_: object) -> None:
        read.extend(lines)

    monkeypatch.setattr(failures, "named", noted)
    for end in range(0, len(data) + 1, 7):
        log.write_bytes(data[:end])
        waits._read(log, "driver")
    log.write_bytes(data)
    waits._read(log, "driver")
    assert read == data.decode(errors="replace").split("\n")[:-1]
    assert waits.lines[log] == 43
    log.write_bytes(data + b"the last\n")
    text = texts.read(log, tmp_path, waits.positions[log], waits.lines[log])
    assert (text.first, text.lines[0]) == (44, "the last")


def test_only_the_end_of_a_long_log_is_read_and_its_lines_are_counted(tmp_path: Path) -> None:
    line = b"x" * 99 + b"\n"
    log = written(tmp_path, line * 30_000)
    whole, from_known = texts.read(log, tmp_path), texts.read(log, tmp_path, len(line) * 9, 9)
    assert whole.first == from_known.first == 30_000 - len(whole.lines) + 2


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("26/11/27 23:59:58 ERROR a", "26/11/28 00:00:03 ERROR b"),
        ("2026-11-27 23:59:58,100 ERROR a", "26/11/28 00:00:03 ERROR b"),
        ("2026-11-28 10:00:00 ERROR a", "26/11/28 10:00:03 ERROR b"),
        ("10:00:00 ERROR a", "26/11/28 10:00:03 ERROR b"),
        ("[2026-11-28 10:00:00,1 E 1 1] ERROR a", "ERROR b"),
    ],
)
def test_lines_are_in_the_order_of_their_time_also_across_midnight(
    tmp_path: Path, before: str, after: str
) -> None:
    found = [texts.Text(tmp_path, name, "driver", "", 1, (name,)) for name in (after, before)]
    assert texts.earliest(found, lambda text: (text.time(0), 0)).name == before
    assert found[0].evidence(0).time in {"00:00:03", "10:00:03", ""}
