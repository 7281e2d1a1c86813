"""How long a stream's results are late after a loss, and how many records wait: on data made by hand."""

from collections.abc import Sequence

import pytest

from weft.analysis.summary.streamrecovery import Moment, Recovery, moments, recovery, waiting

USUAL = 0.5


def course(*late: tuple[float, float], width: float = 1.0, seconds: int = 60) -> list[Moment]:
    """Intervals with the usual latency, but for those that are given: their middle and their latency."""
    given = dict(late)
    return [
        Moment(t=t, records=10, p99=p99, max=p99, held_per_second=10.0, results=10)
        for t in (width * (number + 0.5) for number in range(int(seconds / width)))
        for p99 in [given.get(t, USUAL)]
    ]


def found(over_time: Sequence[Moment], lost: float = 20.0, lag: Sequence[tuple[float, int]] = ()) -> Recovery:
    one = recovery(over_time, lag, lost, "node2 lost")
    assert one is not None
    assert (one.what, one.at, one.before) == ("node2 lost", lost, USUAL)
    return one


def test_it_lasts_until_the_first_result_from_which_on_latencies_stay_as_before() -> None:
    late = [(t + 0.5, 28.0 - t) for t in range(20, 27)]
    one = found(course(*late))
    # the record of 27.5 s has its result half a second later
    assert (one.seconds, one.highest) == (8.0, 8.0)


def test_a_fast_result_between_late_ones_does_not_end_it() -> None:
    one = found(course((20.5, 8.0), (21.5, 7.0), (25.5, 3.0), (34.5, 2.0)))
    assert one.seconds == pytest.approx(35.5 + USUAL - 20)
    # more than ten seconds later it is another matter
    assert found(course((20.5, 8.0), (33.5, 2.0))).seconds == pytest.approx(21.5 + USUAL - 20)


def test_records_that_were_sent_before_the_loss_and_answered_after_it_are_late_ones() -> None:
    one = found(course((19.5, 6.0), (20.5, 5.0)), lost=20.0)
    assert (one.seconds, one.highest) == (2.0, 6.0)


def test_it_is_not_over_before_the_loss() -> None:
    """Its last result before the loss was late for another reason, and of the next interval the slowest one arrived after it."""
    over_time = course((18.5, 1.6))
    over_time[19] = over_time[19].model_copy(update={"p99": 0.4, "max": 0.6})
    assert found(over_time).seconds == 0.0


def test_twice_the_usual_latency_is_as_before_and_more_is_not() -> None:
    assert found(course((20.5, 2 * USUAL))).seconds == 0.0
    assert found(course((20.5, 2.1 * USUAL))).seconds == 2.0


def test_latencies_that_stay_long_have_no_recovery() -> None:
    one = found(course(*((t + 0.5, 3.0) for t in range(20, 60))))
    assert (one.seconds, one.highest) == (None, 3.0)


def test_without_results_before_or_after_nothing_is_known() -> None:
    assert recovery(course(), (), 0.2) is None
    assert recovery(course(seconds=10), (), 20.0) is None


def test_results_of_windows_have_to_be_as_before_twice() -> None:
    late = course((22.5, 9.0), (37.5, 9.0), width=15.0, seconds=120)
    assert found(late, lost=20.0).seconds == pytest.approx(52.5 + USUAL - 20)
    # one window that is as before, between two that are late
    again = course((22.5, 9.0), (52.5, 9.0), width=15.0, seconds=120)
    assert found(again, lost=20.0).seconds == pytest.approx(67.5 + USUAL - 20)


def test_the_records_that_waited_are_those_until_it_had_recovered() -> None:
    late = [(t + 0.5, 28.0 - t) for t in range(20, 27)]
    lag = [(19.0, 9000), (20.0, 100), (24.0, 4000), (28.0, 200), (50.0, 8000)]
    assert found(course(*late), lag=lag).behind == 4000
    assert found(course(*late)).behind is None


def test_intervals_and_lags_are_those_of_the_report() -> None:
    row = {"t": 0.5, "records": 0, "held_per_second": 0.0, "results": 0}
    report = {"began": 1000.0, "over_time": [row], "lag": [[999.5, 3.0], [1002.0, 20.0]]}
    assert moments(report) == (Moment(**row),)
    assert waiting(report) == ((-0.5, 3), (2.0, 20))
    assert waiting({"began": 1000.0}) == ()
