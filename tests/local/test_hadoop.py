"""MapReduce and Spark on a real YARN: checked results, a whole record, a NodeManager that is killed, a jar of one's own."""

import json

import pytest

from tests.local.conftest import Weft, in_phase, kill
from weft.host.provision import distribution

HADOOP = ("--engine", "hadoop", "--nodes", "local:2")


def finished_maps(weft: Weft) -> int:
    logs = weft.record().glob("logs/*/containers/*/*_000001/syslog")
    return sum(path.read_text().count("Task Transitioned from RUNNING to SUCCEEDED") for path in logs)


def test_terasort_is_valid_and_its_record_has_every_task(weft: Weft) -> None:
    result = weft.result("run", "terasort", *HADOOP, "--size", "20MB", "--set", "partitions=2")
    assert result["verdict"] == "VALID", result
    outcome = json.loads((weft.record() / "outcomes" / "run.json").read_text())
    assert (outcome["rows_in"], outcome["rows_out"]) == (200_000, 200_000)
    assert outcome["shuffle_bytes_fetched"] == outcome["shuffle_bytes_written"] > 20_000_000
    page = (weft.record() / "report.html").read_text()
    for words in ("map of TeraSort", "reduce of TeraSort", "spilled records", "file bytes read"):
        assert words in page
    assert list(weft.record().glob("logs/node2/containers/*/*/syslog"))


@pytest.mark.long
def test_a_killed_nodemanager_is_recovered_from_or_named(weft: Weft) -> None:
    # Reducers may hold the only node left while maps of the lost one wait: by default for 5 minutes.
    soon = "engine.conf.mapreduce.job.reducer.unconditional-preempt.delay.sec=10"
    process = weft.start("run", "terasort", *HADOOP, "--size", "120MB", "--set", soon, "--json")
    weft.wait_for(process, lambda: in_phase(weft, "run") and finished_maps(weft) >= 1)
    (victim,) = [
        one for one in weft.processes("nodemanager.NodeManager") if "node2" in one.environ()["WEFT_NODE"]
    ]
    kill(victim)
    out, err = process.communicate(timeout=400)
    head = weft.head()
    events = [json.loads(line) for line in (weft.record() / "events.jsonl").read_text().splitlines()]
    assert [event["daemon"] for event in events if event["event"] == "daemon-lost"] == ["nodemanager-node2"]
    assert head["lost"] == ["nodemanager-node2 on node2 ended (killed by signal 9)"]
    assert head["verdict"] == "VALID" or head["lost"][0] in head["reason"], (out, err)


@pytest.mark.long
def test_a_jar_of_ones_own_runs_with_its_output(weft: Weft) -> None:
    home = distribution.home("hadoop", print)
    (jar,) = home.glob("lib/hadoop-mapreduce-examples-*.jar")
    text, result = weft.home / "text", weft.home / "result"
    text.write_text("one two\ntwo\n")
    done = weft("submit", *HADOOP, "--", str(jar), "wordcount", str(text), str(result))
    assert done.returncode == 0, done.stderr
    assert (result / "part-r-00000").read_text() == "one\t1\ntwo\t2\n"
    assert weft.head()["verdict"] == "UNCHECKED"


@pytest.mark.long
@pytest.mark.parametrize("engine", ["spark:master=yarn", "flink:master=yarn"])
def test_another_engine_runs_on_yarn(weft: Weft, engine: str) -> None:
    words = ["--engine", engine, "--nodes", "local:2", "--set", "nodes.memory=4G", "--size", "50MB"]
    result = weft.result("run", "terasort", *words)
    assert result["verdict"] == "VALID", result
    for node in ("node1", "node2"):
        assert list(weft.record().glob(f"logs/{node}/containers/*/*/*err"))
