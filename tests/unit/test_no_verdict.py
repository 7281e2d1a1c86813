"""Where most of the time has no name, the sentence begins with that, and the first advice is how to learn more."""

from tests.unit.test_explanation import run
from tests.unit.test_model_attribution import job, task
from weft.analysis.explain.timeparts import Explanation, Suggestion
from weft.analysis.predict.advice import unpredicted


def test_where_nothing_has_a_name_none_is_listed() -> None:
    quiet = dict.fromkeys(("cpu_ns", "gc_ms", "scheduler_ms", "fetch_wait_ms"))
    found = run(job([{**task(0, 0, 10, node=node), **quiet} for node in (1, 2)]))
    assert found.sentence == (
        "No verdict: what took the time is not known, 100 % of the job's slot time has no name."
    )


def test_what_took_the_time_is_not_known_where_most_of_the_jobs_own_has_no_name() -> None:
    """A long start: of the whole slot time, little has no name."""
    metrics = job([task(0, 9, 10, node=node, cpu_ns=3e8) for node in (1, 2)])
    found = run(metrics)
    assert not found.verdict
    assert found.sentence.startswith(
        "No verdict: what took the time is not known, 70 % of the job's slot time has no name. What has, of all slot time: 3 % CPU."
    )
    assert [one.flags for one in found.findings] == [("--probe", "threads", "--probe", "fileops")]


def test_where_most_is_not_known_to_observe_more_comes_before_what_a_plan_shows() -> None:
    more = Suggestion(part="unclassified", change="more probes", gain=None, shows=True)
    fact = Suggestion(part="CPU", change="fewer partitions", gain=0.2, fact=True)
    one, other = (
        unpredicted(found, "r", "", "no model").first for found in (unknown(more, fact), unknown(fact, more))
    )
    assert one
    assert other
    assert (one.change, other.change) == ("more probes", "fewer partitions")


def unknown(*findings: Suggestion) -> Explanation:
    """An explanation with findings in this order."""
    return run(job([task(0, 0, 10, node=1)])).model_copy(update={"findings": findings})
