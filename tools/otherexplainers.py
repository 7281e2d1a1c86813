"""Other tools that explain Spark's event logs: what each finds in an application.

They read the log or a History Server, which runs on this machine's loopback meanwhile, and are installed from requirements-explainers.lock.
Names of stages are left out of what they say: those are words of the job.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from figures.diagnosis import Finding

from weft.errors import MissingError, WeftError
from weft.host import settings
from weft.host.provision import distribution, jdk

LOCK = settings.SOURCE / "requirements-explainers.lock"
PATIENCE = 180.0
"""Seconds for a History Server to show a log, or for a tool to answer."""
_ADDRESS = "127.0.0.1"
_REPORT = (
    "import json, sys; from spark_analyzer.local_analysis.report_generator import process_input_file;"
    "print(json.dumps(process_input_file(sys.argv[1], platform='apache-spark')))"
)


@dataclass(frozen=True)
class Asked:
    """An application, and what a tool needs to be asked about it."""

    programs: Path
    server: str
    app: str
    log: Path
    folder: Path
    """Of the answer alone."""


class HistoryServer:
    """Shows the event logs of a folder."""

    def __init__(self, logs: Path, port: int) -> None:
        self.logs = logs
        self.url = f"http://{_ADDRESS}:{port}"

    def show(self, log: Path) -> str:
        """The application of a log, once the server has read it. Raises WeftError."""
        shutil.copy(log, self.logs / log.name)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                with urlopen(f"{self.url}/api/v1/applications/{log.name}") as answer:  # noqa: S310 # a port here
                    if all(each["completed"] for each in json.load(answer)["attempts"]):
                        return log.name
            except (URLError, ConnectionError):
                pass  # it starts, or has not read this log yet
            time.sleep(0.5)
        raise WeftError(f"the History Server does not show {log.name} after {PATIENCE:.0f} s")


@contextmanager
def history_server() -> Iterator[HistoryServer]:
    """Runs one of the Spark that weft has, on the loopback address."""
    with tempfile.TemporaryDirectory(prefix="weft-history.") as folder, socket.socket() as free:
        free.bind((_ADDRESS, 0))
        port = free.getsockname()[1]
        free.close()
        logs = Path(folder) / "logs"
        logs.mkdir()
        about = {"fs.logDirectory": logs.as_uri(), "ui.port": f"{port}", "fs.update.interval": "1s"}
        argv = [
            *(str(jdk.java()), "-Xmx1g", "-cp", f"{distribution.home('spark', print)}/jars/*"),
            *(f"-Dspark.history.{key}={value}" for key, value in about.items()),
            "org.apache.spark.deploy.history.HistoryServer",
        ]
        here = {**os.environ, "SPARK_LOCAL_IP": _ADDRESS}
        with (Path(folder) / "server.log").open("w") as log:
            program = subprocess.Popen(argv, env=here, stdout=log, stderr=log)
        try:
            yield HistoryServer(logs, port)
        finally:
            program.terminate()
            program.wait()


def programs() -> Path:
    """Where the tools' own programs are; installed on first use. Raises MissingError."""
    bootstrap = settings.SOURCE / "tools" / "bootstrap.py"
    for name in ("python3.14", "python3.13", "python3.12", "python3"):
        if (python := shutil.which(name)) is None:
            continue
        new = [python, "-c", "import sys, ensurepip; sys.exit(sys.version_info < (3, 12))"]
        if subprocess.run(new, stderr=subprocess.DEVNULL, check=False).returncode == 0:
            made = subprocess.run(
                [python, "-E", bootstrap, LOCK], check=True, stdout=subprocess.PIPE, text=True
            )
            return Path(made.stdout.strip()).parent
    raise MissingError(
        "the other tools need Python 3.12 or newer with ensurepip, and there is none on PATH",
        hint="PATH=/path/of/python3.12/bin:$PATH before the command",
    )


def history_mcp(asked: Asked) -> list[Finding]:
    """The recommendations of mcp-apache-spark-history-server's tool `get_job_bottlenecks`."""
    folder, config = asked.folder, asked.folder / "mcp.yaml"
    config.write_text(
        f"servers:\n  local:\n    default: true\n    url: {asked.server}\nmcp:\n  transport: stdio\n"
    )
    client = {
        "protocolVersion": "2024-11-05",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    }
    requests: list[dict[str, Any]] = [
        {"id": 0, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
        {
            "id": 1,
            "method": "tools/call",
            "params": {"name": "get_job_bottlenecks", "arguments": {"app_id": asked.app}},
        },
    ]
    with (folder / "mcp.log").open("w") as log:
        program = subprocess.Popen(
            [asked.programs / "spark-mcp", "--config", config],
            cwd=folder, env=_environment(folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
        )  # fmt: skip
    assert program.stdin is not None
    assert program.stdout is not None
    try:
        for request in requests:
            program.stdin.write(json.dumps({"jsonrpc": "2.0", **request}) + "\n")
            program.stdin.flush()
            answer = _answer(program.stdout, request["id"]) if "id" in request else {}
    finally:
        program.terminate()
        program.wait()
    if answer["result"].get("isError"):
        raise WeftError(f"spark-mcp: {answer['result']['content'][0]['text']}")
    found = json.loads(answer["result"]["content"][0]["text"])["recommendations"]
    return [Finding(f"{each['issue']}: {each['suggestion']}") for each in found]


def _answer(lines: Iterator[str], number: int) -> dict[str, Any]:
    """To a request; what else a server says is for people."""
    for line in lines:
        message: dict[str, Any] = json.loads(line)
        if message.get("id") == number:
            return message
    raise WeftError("spark-mcp ended without an answer", hint="mcp.log next to its settings")


def spark_analyzer(asked: Asked) -> list[Finding]:
    """What spark-analyzer's report says of all stages: their kind of work, idle cores, and the gain on its maker's engine."""
    own = asked.folder / ".spark_analyzer"
    own.mkdir(exist_ok=True)
    (own / "config.ini").write_text(f"[connection]\nmode = local\n[server]\nbase_url = {asked.server}\n")
    words = ["--local", "--save-local", "--server-url", asked.server, "--platform", "apache-spark"]
    _run([asked.programs / "spark-analyzer", "analyze", *words, "--app_id", asked.app], asked.folder)
    (saved,) = (asked.folder / "spark_analysis_output").glob(f"spark_analysis_{asked.app}_*.json")
    found = json.loads(_run([asked.programs / "python", "-c", _REPORT, saved], asked.folder))
    metrics, gain = found["total_metrics"], found["acceleration_summary"]["acceleration_range"]
    idle = metrics["idle_core_ms"] / max(1, metrics["total_core_ms"])
    work = _work(metrics["workflow_distribution"])
    return [Finding(f"{work}; cores idle for {100 * idle:.0f} %; {gain} less time on another engine")]


def _work(shares: dict[str, float]) -> str:
    ending = "_percentage"
    named = sorted(
        (
            (share, key.removesuffix(ending))
            for key, share in shares.items()
            if key.endswith(ending) and share
        ),
        reverse=True,
    )
    return ", ".join(f"{share:.0f} % {name}" for share, name in named) or "no work"


def spark_advisor(asked: Asked) -> list[Finding]:
    """The rules of spark-advisor, without a language model: what it found and recommends; what it rates INFO is an aside."""
    argv = ["analyze", asked.app, "--history-server", asked.server, "--mode", "static", "--format", "json"]
    found = json.loads(_run([asked.programs / "spark-advisor", *argv], asked.folder))["rule_results"]
    return [
        Finding(
            re.sub(
                r"\[[^\]]*\]", "[...]", f"{each['title']}: {each['message']}: {each['recommended_value']}"
            ),
            aside=each["severity"] == "INFO",
        )
        for each in found
    ]


def ignis(asked: Asked) -> list[Finding]:
    """The rules of spark-ignis, which ends with 1 if it found something."""
    found = json.loads(
        _run([asked.programs / "ignis", "analyze", asked.log, "--output", "json"], asked.folder, 1)
    )
    return [
        Finding(
            re.sub(r"\('[^']*'\)|\(\"[^\"]*\"\)", "", f"{each['message']}: {each['recommendation']}"),
            aside=each["severity"] == "info",
        )
        for each in found["findings"]
    ]


def _run(argv: list[str | Path], folder: Path, most: int = 0) -> str:
    """What it prints. `most`: the largest exit code that is none of a failure."""
    done = subprocess.run(
        argv, cwd=folder, env=_environment(folder), stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=False, timeout=PATIENCE,
    )  # fmt: skip
    if not 0 <= done.returncode <= most:
        raise WeftError(f"{argv[0]} failed", tail=(done.stdout + done.stderr).splitlines()[-5:])
    return done.stdout


def _environment(folder: Path) -> dict[str, str]:
    """With a home of its own, and without reports to a tool's maker."""
    return {**os.environ, "HOME": str(folder), "SCARF_NO_ANALYTICS": "true"}


TOOLS = {
    "spark-advisor 0.1.21": spark_advisor,
    "spark-ignis 0.3.1": ignis,
    "mcp-apache-spark-history-server 1.0.2": history_mcp,
    "spark-analyzer 0.1.37": spark_analyzer,
}
"""By name with version."""
