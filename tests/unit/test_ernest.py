"""Ernest's model, which is a baseline of predictions."""

import math

import pytest
from figures import ernest
from figures.ernest import Sample

FACTORS = (3.0, 2.0, 0.5, 0.25)


def seconds(data: float, slots: int) -> float:
    fixed, parallel, tree, each = FACTORS
    return fixed + parallel * data / slots + tree * math.log(slots) + each * slots


def test_what_follows_its_terms_is_predicted_exactly_from_small_runs() -> None:
    small = [(data, slots) for data in (1.0, 2.0) for slots in (1, 2, 4)]
    samples = [Sample(data, slots, seconds(data, slots)) for data, slots in small]
    assert ernest.fit(samples) == pytest.approx(FACTORS)
    assert ernest.predict(samples, 40.0, 64) == pytest.approx(seconds(40.0, 64))


def test_no_term_is_negative_and_no_other_solution_without_one_is_nearer() -> None:
    samples = [Sample(1, 1, 9), Sample(1, 2, 4), Sample(1, 4, 1), Sample(2, 4, 1.5)]

    def off(factors: list[float]) -> float:
        terms = [(1, one.data / one.slots, math.log(one.slots), one.slots) for one in samples]
        made = [sum(a * b for a, b in zip(factors, each, strict=True)) for each in terms]
        return sum((one.seconds - time) ** 2 for one, time in zip(samples, made, strict=True))

    found = ernest.fit(samples)
    assert min(found) >= 0
    nudges = [[0.01 * (term == at) * way for term in range(4)] for at in range(4) for way in (1, -1)]
    for nudge in nudges:
        near = [max(0.0, a + b) for a, b in zip(found, nudge, strict=True)]
        assert off(near) >= off(found) - 1e-9


def test_one_run_is_a_constant_and_none_is_an_error() -> None:
    assert ernest.predict([Sample(4e8, 2, 10.0)], 8e8, 4) == pytest.approx(10.0)
    with pytest.raises(ValueError, match="no run"):
        ernest.fit([])
