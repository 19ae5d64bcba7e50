"""Schedules of members: every member steps, the steps fill the interval, wrong ones are refused."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halocline.core.errors import UserError
from halocline.experiment.schedule import Schedule, ScheduleLine, ScheduleOptions, make_schedule

hour, quarter = timedelta(hours=1), timedelta(minutes=15)
steps = {"waves": hour, "tracers": quarter}


def test_a_list_of_turns():
    schedule = make_schedule(steps)
    assert schedule.text() == "every 1h: waves 1 x 1h, tracers 4 x 15min"
    assert list(schedule.lines()) == ["every 1h", "  1. waves 1 x 1h", "  2. tracers 4 x 15min"]


def test_order_and_interval_are_as_given():
    options = ScheduleOptions(order=["tracers", "waves"], interval="3h")
    assert make_schedule(steps, options).text() == "every 3h: tracers 12 x 15min, waves 3 x 1h"


@given(st.lists(st.integers(1, 90), min_size=1, max_size=4))
def test_the_interval_is_the_least_that_fits_all(lengths):
    schedule = make_schedule({f"m{n}": timedelta(seconds=s) for n, s in enumerate(lengths)})
    interval = int(schedule.interval.total_seconds())
    assert all(interval % length == 0 for length in lengths)
    smaller = [interval // n for n in range(2, 91) if interval % n == 0]
    assert all(any(less % length for length in lengths) for less in smaller)
    assert [entry.steps for entry in schedule.entries] == [interval // n for n in lengths]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"interval": "30min"}, "never advances the member 'waves': its step of 1h is longer"),
        ({"interval": "90min"}, "interval of 1h 30min is no whole number of steps .* 'waves'"),
        ({"interval": 0}, "is no positive time"),
        ({"order": ["waves"]}, "never advances the member 'tracers': schedule.order does not name"),
        ({"order": ["waves", "tracer"]}, "'tracer', which is no member.* Did you mean 'tracers'?"),
        ({"order": ["waves", "tracers", "waves"]}, "names the member 'waves' twice"),
    ],
)
def test_refused(options, words):
    with pytest.raises(UserError, match=words):
        make_schedule(steps, ScheduleOptions(**options))


def test_steps_that_never_meet_are_refused():
    seconds = {f"m{n}": timedelta(microseconds=n) for n in (999983, 999979, 999961, 999959)}
    with pytest.raises(UserError, match="never again at the same moment"):
        make_schedule(seconds)


def test_an_entry_without_steps_is_refused():
    with pytest.raises(UserError, match="never advances the member 'a'"):
        Schedule(hour, (ScheduleLine("a", 0, hour), ScheduleLine("b", 1, hour)))
