"""Queues of shared services: against a simulation that moves each task, and against what theory says."""

import heapq
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.analysis.predict.stations import Station, solve

THINK, RATE, WORK = 0.9, 50.0, 5.0
"""Seconds of a task on its own; a service of 50 units a second; a task asks it for 5 units."""


def simulated(tasks: int, think: float, demand: float, count: int) -> float:
    """Tasks per second of `tasks` slots that in turn compute and wait for one server, first come first served."""
    rng = random.Random(1)
    arrivals = [(think * rng.random(), slot) for slot in range(tasks)]
    heapq.heapify(arrivals)
    free, done = 0.0, 0
    while done < count:
        now, slot = heapq.heappop(arrivals)
        free = max(free, now) + demand
        done += 1
        heapq.heappush(arrivals, (free + think, slot))
    return done / free


def test_a_task_alone_waits_for_nobody() -> None:
    load = solve(THINK, [Station("metadata", WORK / RATE)], 1)
    assert load.response == pytest.approx(THINK + WORK / RATE)
    assert load.waits["metadata"] == pytest.approx(0)


@pytest.mark.parametrize("tasks", [1, 4, 16, 64, 256])
def test_throughput_agrees_with_a_simulation(tasks: int) -> None:
    real = simulated(tasks, THINK, WORK / RATE, 4000)
    found = solve(THINK, [Station("metadata", WORK / RATE)], tasks).throughput
    # exponential service, which the analysis assumes, queues more around the knee than the simulation's constant one
    assert found == pytest.approx(real, rel=0.25 if 4 < tasks < 64 else 0.05)


def test_a_service_of_each_node_grows_with_the_nodes() -> None:
    one, four = (solve(0.0, [Station("disk", 1.0, copies=n)], 40).throughput for n in (1, 4))
    assert four == pytest.approx(4 * one, rel=0.1)


def test_a_hidden_service_delays_nobody_until_it_is_full() -> None:
    link = Station("link", 0.1, hidden=True)
    assert solve(1.0, [link], 5).response == pytest.approx(1.0)
    assert solve(1.0, [link], 100).throughput == pytest.approx(10)


@given(
    st.floats(0, 10),
    st.lists(st.tuples(st.floats(0, 5), st.integers(1, 4), st.integers(1, 8), st.booleans()), max_size=4),
    st.integers(1, 200),
)
def test_no_network_beats_its_bounds(
    think: float, rows: list[tuple[float, int, int, bool]], tasks: int
) -> None:
    stations = [Station(f"{i}", d, s, c, hidden=h) for i, (d, s, c, h) in enumerate(rows)]
    load = solve(think, stations, tasks)
    alone = think + sum(s.demand for s in stations if not s.hidden)
    limits = [s.limit for s in stations if s.demand > 0]
    assert load.throughput <= min([*limits, math.inf]) * 1.001
    if alone > 1e-6:
        assert load.throughput <= tasks / alone * 1.001
        assert load.response >= alone * 0.999
    assert all(wait >= -1e-9 for wait in load.waits.values())
