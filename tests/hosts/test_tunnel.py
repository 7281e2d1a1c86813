"""`weft connect --tunnel`: the pages of a Spark cluster on a laptop, through a real ssh server, by a curl that knows no token."""

import json
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hosts.sshd import Hosts, free_port, running
from tests.local.conftest import Weft
from tests.needs import SSH, needs


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Hosts]:
    """The login node, as a laptop sees it."""
    with running(tmp_path / "hosts", 1) as found:
        yield found


@pytest.fixture
def weft(tmp_path: Path) -> Iterator[Weft]:
    """The command line; what a failed test leaves is ended."""
    found = Weft(tmp_path)
    yield found
    found("down", "--all")
    found.end()


@pytest.fixture
def forwarded(tmp_path: Path, host: Hosts, weft: Weft) -> Iterator[tuple[str, Path]]:
    """The address on the laptop, and the file of curl's cookies."""
    weft.result("up", "--nodes", "local:1", "--name", "mine")
    served = weft.start("connect", "mine", "--tunnel")
    assert served.stdout is not None
    lines = iter(served.stdout.readline, "")
    shown = "".join(line for _, line in zip(range(5), lines, strict=False))
    (options,) = re.findall(r"ssh -N -L (\d+:127\.0\.0\.1:\d+) ", shown)
    (key,) = re.findall(r"http://localhost:\d+/(\S+)", shown)
    # laptop and login node are one machine here, so that the two ports differ
    own, there = free_port("127.0.0.1"), options.rpartition(":")[2]
    words = ["ssh", "-F", str(host.config), "-N", "-L", f"{own}:127.0.0.1:{there}", "host1"]
    with subprocess.Popen([*words, "-o", "ExitOnForwardFailure=yes"], stdin=subprocess.DEVNULL) as laptop:
        yield f"http://localhost:{own}/{key}", tmp_path / "cookies"
        laptop.terminate()
    served.send_signal(signal.SIGINT)
    served.communicate(timeout=60)
    assert served.returncode == 130
    assert weft("down", "--all").returncode == 0
    assert weft.leftovers() == []


def curl(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["curl", "-sS", *words], capture_output=True, text=True, check=False)


@needs(*SSH, "curl")
def test_a_browser_on_a_laptop_reads_the_pages_of_a_cluster(forwarded: tuple[str, Path]) -> None:
    address, cookies = forwarded
    end = time.monotonic() + 60
    while (opened := curl("-L", "-c", str(cookies), "-b", str(cookies), address)).returncode:
        assert time.monotonic() < end, opened.stderr
        time.sleep(0.1)
    assert "<title>Spark Master at spark://" in opened.stdout
    root = address.rpartition("/")[0]
    assert curl(f"{root}/").stdout.startswith("Open the address that `weft connect --tunnel` printed")
    known = ("-b", str(cookies))
    (worker,) = json.loads(curl(*known, f"{root}/json/").stdout)["workers"]
    page = curl(*known, f"{root}/proxy/{worker['id']}/").stdout
    assert "Spark Worker at" in page, "the Master passes on the pages of its Workers"
    assert curl(*known, "-o", "/dev/null", "-w", "%{http_code}", f"{root}/static/webui.js").stdout == "200"
    assert (
        curl(*known, "-X", "POST", "-o", "/dev/null", "-w", "%{http_code}", f"{root}/app/kill/").stdout
        == "501"
    )
