"""A real browser without a window that a test controls: Chromium, by its debugging pipe."""

import base64
import json
import os
import select
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_ARGUMENTS = (
    "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
    "--allow-file-access-from-files", "--no-first-run", "--remote-debugging-pipe",
)  # fmt: skip
_PIPE = 'exec "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1'
_DEADLINE_S = 60.0
FAINT = Path(__file__).with_name("faint.js").read_text()
"""Texts whose contrast is below 4.5, with what it is; how many texts there are."""
WIDE = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"


@contextmanager
def browser(profile: Path) -> Iterator["Browser"]:
    """A browser with one empty page; its settings and cache are in a new directory."""
    argv = ["sh", "-c", _PIPE, "sh", *_ARGUMENTS, f"--user-data-dir={profile}", "about:blank"]
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield Browser(process.stdin.fileno(), process.stdout.fileno())
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def readable(window: "Browser", address: str, picture: Path, width: int, scheme: str) -> None:
    """That a page is no wider than its window, its text has enough contrast, and nothing is complained of."""
    window.complaints.clear()
    window.open(address)
    shown(window, picture, width, scheme)


def shown(window: "Browser", picture: Path, width: int, scheme: str) -> None:
    """The same of the page that is open."""
    window.picture(picture)
    needed, there = window.ask(WIDE)
    assert needed <= there == width, f"it is {needed} pixels wide, see {picture}"
    found = window.ask(FAINT)
    assert found["faint"] == {}, f"see {picture}"
    assert found["seen"] > 50
    assert (sum(found["page"]) < 3 * 128) == (scheme == "dark"), f"it is not {scheme}, see {picture}"
    assert window.complaints == [], picture.stem


class Browser:
    """One page. Whatever it complains of is in `complaints`."""

    def __init__(self, requests: int, answers: int) -> None:
        self._requests, self._answers = requests, answers
        self._number, self._read, self._session = 0, b"", ""
        self._loaded = False
        self.complaints: list[str] = []
        target = next(
            one["targetId"] for one in self._do("Target.getTargets")["targetInfos"] if one["type"] == "page"
        )
        self._session = self._do("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self._do(f"{domain}.enable")

    def resize(self, width: int, height: int, scheme: str) -> None:
        """The size of its window in pixels, and `light` or `dark`."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._do("Emulation.setDeviceMetricsOverride", **size)
        wanted = [{"name": "prefers-color-scheme", "value": scheme}]
        self._do("Emulation.setEmulatedMedia", features=wanted)

    def open(self, address: str) -> None:
        """Return when it is loaded, each time from an empty page."""
        for each in ("about:blank", address):
            self._loaded = False
            assert "errorText" not in self._do("Page.navigate", url=each)
            self._until(lambda: self._loaded)

    def follow(self, link: str) -> None:
        """Click on what a selector finds, and return when the page behind it is loaded."""
        self._loaded = False
        self.ask(f"void setTimeout(() => document.querySelector({json.dumps(link)}).click(), 0)")
        self._until(lambda: self._loaded)

    def ask(self, expression: str) -> Any:
        """What JavaScript says of the page, as JSON; a promise is awaited."""
        options = {"returnByValue": True, "awaitPromise": True}
        found = self._do("Runtime.evaluate", expression=expression, **options)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def picture(self, path: Path) -> Path:
        """What its window shows, as a PNG."""
        path.write_bytes(base64.b64decode(self._do("Page.captureScreenshot", format="png")["data"]))
        return path

    def _do(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        of_page = {"sessionId": self._session} if self._session else {}
        os.write(self._requests, json.dumps({**message, **of_page}).encode() + b"\0")
        found: dict[str, Any] = {}
        self._until(lambda: found, answer=found)
        assert "error" not in found, f"{method}: {found['error']}"
        result: dict[str, Any] = found["result"]
        return result

    def _until(self, done: Any, answer: dict[str, Any] | None = None) -> None:
        """Read what the browser sends until something is so."""
        end = time.monotonic() + _DEADLINE_S
        while not done():
            while b"\0" not in self._read:
                ready, _, _ = select.select([self._answers], [], [], max(0.0, end - time.monotonic()))
                got = os.read(self._answers, 1 << 20) if ready else b""
                assert got, "the browser has ended, or says nothing"
                self._read += got
            text, _, self._read = self._read.partition(b"\0")
            message = json.loads(text)
            if message.get("id") == self._number and answer is not None:
                answer.update(message)
            self._hear(message.get("method", ""), message.get("params", {}))

    def _hear(self, event: str, given: dict[str, Any]) -> None:
        if event == "Page.loadEventFired":
            self._loaded = True
        elif event == "Runtime.exceptionThrown":
            details = given["exceptionDetails"]
            self.complaints.append(str(details.get("exception", {}).get("description", details["text"])))
        elif event == "Runtime.consoleAPICalled" and given["type"] in {"error", "warning", "assert"}:
            self.complaints.append(f"{given['type']}: {[one.get('value') for one in given['args']]}")
        elif event == "Log.entryAdded" and given["entry"]["level"] in {"error", "warning"}:
            self.complaints.append(f"{given['entry']['text']} {given['entry'].get('url', '')}")
