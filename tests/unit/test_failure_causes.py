"""Every reason of failure that was seen has a test that causes it on a real engine, or one that is named here."""

import re

from tests import source
from tests.local import (
    test_failures_dask,
    test_failures_flink,
    test_failures_hadoop,
    test_failures_ray,
    test_failures_spark,
)
from tests.unit.test_taste import ROOT
from weft.facts import failures

CAUSES = [
    *(test_failures_spark.QUICK, test_failures_spark.SLOW, test_failures_spark.JARS),
    *(test_failures_flink.QUICK, test_failures_flink.SLOW, test_failures_flink.LAST),
    *(test_failures_hadoop.QUICK, test_failures_hadoop.SLOW),
    test_failures_dask.CAUSES,
    test_failures_ray.CAUSES,
]
ELSEWHERE = {
    "authentication": "a part of `master`",
    "executors-end": "a part of `driver-address`",
    "kafka": "test_a_broker_that_does_not_answer_is_not_waited_for",
    "python-version": "test_a_python_of_another_version_is_named",
    "spark-connect": "test_sail_names_what_spark_connect_does_not_have",
    "spark-connect-master": "test_sail_names_what_spark_connect_does_not_have",
    "quota": "test_a_quota_that_is_exhausted_is_named",
    "streaming": "test_a_mapper_of_hadoop_streaming_has_its_reason_in_its_own_log",
    "task-failed": "test_a_mapper_of_hadoop_streaming_has_its_reason_in_its_own_log",
}
"""Rules that are caused in another way."""


def test_every_rule_with_a_cause_has_a_test_that_causes_it() -> None:
    tested = {cause.rule for causes in CAUSES for cause in causes}
    rules = {rule.name for rule in failures.listed() if rule.caused}
    assert tested - {""} - rules == set()
    assert sorted(rules - tested) == sorted(ELSEWHERE)
    texts = "".join(source.text(path) for path in (ROOT / "tests").rglob("test_*.py"))
    known = {f"a part of `{rule}`" for rule in tested} | set(re.findall(r"(?m)^def (test_\w+)\(", texts))
    assert set(ELSEWHERE.values()) <= known
