"""The benchmarks of weft's generators run the jar of this checkout."""

import runpy
from pathlib import Path

import pytest

from weft.host import settings
from weft.host.provision import jars

BENCH = settings.SOURCE / "bench"


def test_the_path_of_this_checkouts_jar_is_printed_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    built = {"core": Path("/cache/jars-core-1/weft-core.jar")}
    monkeypatch.setattr(jars, "build", lambda names, more, say: built)
    runpy.run_path(str(BENCH / "corejar.py"))["main"]()
    assert capsys.readouterr().out == "/cache/jars-core-1/weft-core.jar\n"


@pytest.mark.parametrize("name", ["teragen", "lostedge"])
def test_no_benchmark_takes_the_newest_jar_of_any_checkout(name: str) -> None:
    text = (BENCH / name).read_text(encoding="utf-8")
    assert 'python" corejar' in text
    assert "jars-" not in text
