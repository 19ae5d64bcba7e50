"""Durations, dates, calendars, alarms and the clock."""

from datetime import timedelta

import pytest

from halocline.core.clock import (
    Alarm,
    Clock,
    date,
    duration,
    duration_text,
    from_number,
    in_calendar,
    later,
    text,
    to_number,
)
from halocline.core.errors import UserError


@pytest.mark.parametrize(
    ("words", "seconds"),
    [("6h", 21600), ("1d", 86400), ("3600s", 3600), ("1d 12h", 129600), ("90min", 5400), (60, 60)],
)
def test_durations(words, seconds):
    assert duration(words) == timedelta(seconds=seconds)
    assert duration(duration_text(duration(words))) == duration(words)


@pytest.mark.parametrize("words", ["", "6", "6 hours", "h", "six h", "6h!"])
def test_a_wrong_duration_is_explained(words):
    with pytest.raises(UserError, match="Write a number and a unit of: s, min, h, d, w"):
        duration(words)


@pytest.mark.parametrize("words", ["15.1.2011", "tomorrow", "2011-13-01", "2011-02-29"])
def test_a_wrong_date_is_explained(words):
    with pytest.raises(UserError, match="date"):
        date(words)


def test_an_unknown_calendar_is_explained():
    with pytest.raises(UserError, match="Unknown calendar 'no_leap'. Did you mean 'noleap'"):
        date("2011-01-01", "no_leap")


@pytest.mark.parametrize("calendar", ["standard", "noleap", "360_day", "julian"])
def test_numbers_and_dates(calendar):
    time = date("2012-02-28 18:30", calendar) + timedelta(days=2)
    assert from_number(to_number(time), calendar) == time
    expected = {"standard": "03-01", "julian": "03-01", "noleap": "03-02", "360_day": "02-30"}
    assert text(time) == f"2012-{expected[calendar]} 18:30"


def test_a_date_that_a_calendar_does_not_have():
    with pytest.raises(UserError, match="does not exist in the calendar 'noleap'"):
        in_calendar(date("2012-02-29"), "noleap")
    assert in_calendar(date("2012-02-28"), "noleap").calendar == "noleap"


def test_alarms_ring_at_whole_intervals_between_start_and_end():
    alarm = Alarm(date("2011-01-15 12"), duration("6h"), date("2011-01-16"))
    rings = [h for h in range(30) if alarm.rings(date("2011-01-15") + timedelta(hours=h))]
    assert rings == [12, 18, 24]
    assert alarm.count(date("2011-01-15"), date("2011-01-20")) == 3
    assert alarm.count(date("2011-01-15 13"), date("2011-01-15 18")) == 1
    assert alarm.count(date("2011-01-17"), date("2011-01-18")) == 0
    assert alarm.count(date("2011-01-15 18"), date("2011-01-15 18")) == 1
    with pytest.raises(UserError, match="positive"):
        Alarm(date("2011-01-15"), timedelta(0))


def test_the_clock_counts_whole_steps():
    clock = Clock(date("2011-01-15"), date("2011-01-15 03"), duration("1h"))
    times = []
    while not clock.finished:
        clock.advance()
        times.append(text(clock.time))
    assert times == ["2011-01-15 01:00", "2011-01-15 02:00", "2011-01-15 03:00"]
    clock.set(date("2011-01-15 02"))
    assert clock.step_number == 2
    with pytest.raises(UserError, match="Cannot continue at 2011-01-15 02:30"):
        clock.set(date("2011-01-15 02:30"))


def test_a_clock_without_a_step_is_done_at_once():
    start = date("2011-01-15")
    clock = Clock(start, start, duration("1h"))
    assert clock.steps == 0 and clock.finished


def test_a_clock_that_cannot_work():
    with pytest.raises(UserError, match="no whole number of steps"):
        Clock(date("2011-01-15"), date("2011-01-15 01"), duration("50min"))
    with pytest.raises(UserError, match="before it starts"):
        Clock(date("2011-01-15"), date("2011-01-14"), duration("1h"))


@pytest.mark.filterwarnings("ignore:this date/calendar/year zero convention")
def test_years_are_those_of_four_digits_from_the_first_one():
    day = timedelta(days=1)
    assert later(date("0001-01-02"), -day) == date("0001-01-01")
    assert later(date("9999-12-30"), day) == date("9999-12-31")
    for last, step in (("0001-01-01", -day), ("9999-12-31", day)):
        with pytest.raises(UserError, match="outside of the years 1 to 9999"):
            later(date(last), step)
    with pytest.raises(UserError, match="There is no date '0000-12-31'"):
        date("0000-12-31")
