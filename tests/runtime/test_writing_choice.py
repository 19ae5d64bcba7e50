"""The way to write is chosen by what the first frames cost, against the budget."""

import pytest

from halocline.runtime.ranks.communicator import Alone
from halocline.runtime.writing import writing_choice
from halocline.runtime.writing.writing_choice import WritingChoice

interval = 10.0  # seconds between frames


class Clock:
    """A clock that a test moves on."""

    def __init__(self):
        self.now = 0.0

    def perf_counter(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(writing_choice, "time", clock)
    return clock


def choose(clock, cost, candidates, budget):
    """Let frames cost what `cost(way, frame)` says until the choice is made; it, frames, lines."""
    told = []
    choice = WritingChoice("maps", candidates, budget, Alone(), told.append)
    frames = 0
    while not choice.settled:
        clock.now += interval
        choice.judge(cost(choice.way, frames))
        frames += 1
        assert frames < 100
    return choice, frames, told


def test_the_first_way_within_the_budget_stays(clock):
    choice, frames, told = choose(clock, lambda way, n: 0.1, ["servers", "buffered"], 0.02)
    assert (choice.way, frames) == ("servers", 3)
    assert told == [
        "output 'maps' is written by 'servers': of the time are lost 'servers' 1.00%; its part of"
        " the budget is 2.00%"
    ]


def test_the_first_frame_and_one_disturbance_do_not_count(clock):
    costs = iter([5.0, 3.0, 0.1])
    choice, frames, _ = choose(clock, lambda way, n: next(costs), ["buffered", "shared"], 0.02)
    assert (choice.way, frames) == ("buffered", 3)


def test_the_cheapest_is_taken_where_none_keeps_the_budget(clock):
    costs = {"buffered": 0.9, "separate": 0.5, "shared": 0.7}
    choice, frames, told = choose(clock, lambda way, n: costs[way], list(costs), 0.02)
    assert (choice.way, frames) == ("separate", 9)
    assert "none keeps its part of the budget, 2.00%. More servers" in told[0]


def test_one_way_needs_no_choice(clock):
    choice, frames, told = choose(clock, lambda way, n: 9.0, ["buffered"], 0.0)
    assert (choice.way, frames, told) == ("buffered", 0, [])
