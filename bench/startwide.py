"""Start until ready on 4 and on 64 hosts, with the key exchange that ssh chooses and with one that takes less CPU time."""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import sshhosts

WEFT = Path(__file__).parent.parent / "weft"
FEW, MANY = 4, 64
LIGHT = "curve25519-sha256"
STUDY = """\
engine = {{ kind = "null", workers = "6s" }}
workload = {{ kind = "file-open", size = "8MB", reads = 1, files = 1, rounds = 1 }}
repeat = {repeat}
probes = ["null"]
[matrix]
nodes = {nodes}
"""
"""The workers are stand-ins: each sleeps about as long as a real one takes to start, and registers with a stand-in for a master."""
STEPS = {
    "acquire": ("acquire", "acquire"),
    "start": ("start", "start"),
    "until ready, from nothing": ("acquire", "start"),
}


def main() -> int:
    """Runs the study and prints its medians."""
    parser = argparse.ArgumentParser(prog="bench/run start-wide", description=__doc__)
    parser.add_argument("--repeat", type=int, default=3, help="starts of each (default 3)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="weft-bench.") as name:
        folder = Path(name)
        with sshhosts.hosts(MANY, folder) as config:
            nodes = [
                f"ssh:host[1-{count}],cores=1,memory=1G,options=-F {config}{more}"
                for more in ("", f" -o KexAlgorithms={LIGHT}")
                for count in (FEW, MANY)
            ]
            study = folder / "start-wide.toml"
            study.write_text(STUDY.format(repeat=given.repeat, nodes=json.dumps(nodes)))
            own = {**os.environ, "WEFT_RUNS": f"{folder}/runs"}
            subprocess.run([WEFT, "run", "--fresh", study], check=True, env=own)
            subprocess.run([WEFT, "compare", "--study", "start-wide"], check=True, env=own)
            asked = subprocess.run(
                ["ssh", "-v", "-F", config, "host1", "true"], check=True, capture_output=True, text=True
            )
        show(Path(f"{folder}/runs"), re.findall(r"kex: algorithm: (\S+)", asked.stderr)[0])
    return 0


def show(runs: Path, chosen: str) -> None:
    """A line for each key exchange and step."""
    taken: dict[tuple[str, str, int], list[float]] = {}
    for path in runs.glob("*/record.json"):
        record = json.loads(path.read_text())
        if record["verdict"] != "VALID":
            sys.exit(f"{record['id']} is {record['verdict']}")
        events = [json.loads(line) for line in path.with_name("events.jsonl").read_text().splitlines()]
        at = {(event["event"], event.get("phase")): event["t"] for event in events}
        hosts = int(record["nodes"].partition(":")[2])
        exchange = LIGHT if "KexAlgorithms" in str(record["cell"]) else chosen
        for step, (first, last) in STEPS.items():
            seconds = at["phase-end", last] - at["phase-begin", first]
            taken.setdefault((exchange, step, hosts), []).append(seconds)
    for exchange in dict.fromkeys((chosen, LIGHT)):
        print(f"key exchange {exchange}")
        for step in STEPS:
            few, many = (sorted(taken[exchange, step, hosts]) for hosts in (FEW, MANY))
            ratio = statistics.median(many) / statistics.median(few)
            print(
                f"  {step}: {statistics.median(few):.2f} s with {FEW} hosts [{few[0]:.2f}, {few[-1]:.2f}], "
                f"{statistics.median(many):.2f} s with {MANY} [{many[0]:.2f}, {many[-1]:.2f}], {ratio:.2f} times as long"
            )


if __name__ == "__main__":
    sys.exit(main())
