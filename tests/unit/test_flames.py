"""Flame graphs: nested times of all processes of a node, on a page that loads nothing."""

import json
import re
from pathlib import Path

from weft.analysis.explain import stacks
from weft.report.pages import flames

TEXT = """[main tid=1];org/apache/spark/executor/CoarseGrainedExecutorBackend.main;a/B.c 10
[Executor task launch worker for task 1.0 in stage 0.0 (TID 3) tid=2];java/lang/Thread.run;x/Y.<init> 60
[Executor task launch worker for task 1.0 in stage 0.0 (TID 3) tid=2];java/lang/Thread.run;x/Y.z 30
torn
"""


def test_a_page_a_node_has_every_frame_with_its_time(tmp_path: Path) -> None:
    folder = tmp_path / "profile" / "node1" / "engine"
    folder.mkdir(parents=True)
    (folder / "42.collapsed").write_text(TEXT)
    (page,) = flames.write(tmp_path)
    text = page.read_text()
    assert "http" not in text
    assert "<init>" not in text
    data = json.loads(re.findall(r'type="application/json">(.*?)</script>', text, re.DOTALL)[0])
    assert data["s"] == 1.0
    (process,) = data["c"]
    assert process["n"] == "CoarseGrainedExecutorBackend 42"
    tasks = next(each for each in process["c"] if each["n"] == "task threads")
    (run,) = tasks["c"]
    assert (run["n"], run["s"]) == ("java/lang/Thread.run", 0.9)
    assert {each["n"]: each["s"] for each in run["c"]} == {"x/Y.<init>": 0.6, "x/Y.z": 0.3}


def test_a_frame_that_is_too_small_to_see_is_left_out() -> None:
    process = stacks.JvmStacks("node1", "1", "P", [
        stacks.Stack("t", ("a/B.c",), 10_000), stacks.Stack("t", ("d/E.f",), 1),
    ])  # fmt: skip
    (one,) = flames.tree([process])["c"]
    (thread,) = one["c"]
    assert [each["n"] for each in thread["c"]] == ["a/B.c"]


def test_a_stack_that_is_too_deep_for_a_page_is_cut() -> None:
    deep = stacks.Stack("t", tuple(f"a/B.f{number}" for number in range(2048)), 10)
    text = json.dumps(flames.tree([stacks.JvmStacks("node1", "1", "P", [deep])]))
    assert "a/B.f299" in text
    assert "a/B.f300" not in text
    assert "... 1748 more" in text
