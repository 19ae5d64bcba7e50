"""Trials that take turns."""

import numpy as np
import pytest

from halocline.runtime.ranks.communicator import Alone
from halocline_lab.statistics.turns import Turns, take_turns


def test_every_trial_is_done_equally_often_and_in_turns():
    done: list[str] = []
    trials = [lambda: done.append("a"), lambda: done.append("b")]
    turns = take_turns(Alone(), trials, rounds=4, seconds=10.0)
    assert turns.seconds.shape == (4, 2)
    assert (turns.seconds > 0.0).all()
    first_b = done.index("b")
    assert set(done[:first_b]) == {"a"} and "a" in done[first_b:]


def test_the_order_turns_from_round_to_round():
    """Who comes later in a round comes earlier in the next: a machine that slows favours none."""
    done: list[str] = []
    trials = [lambda name=name: done.append(name) for name in "abc"]
    take_turns(Alone(), trials, rounds=4, seconds=10.0)
    stretches = [name for name, before in zip(done, [""] + done, strict=False) if name != before]
    assert "".join(stretches[-9:]) == "abcbabcba"


def test_no_more_rounds_than_the_time_allows():
    turns = take_turns(Alone(), [lambda: None] * 2, rounds=1000, seconds=0.0)
    assert turns.seconds.shape == (3, 2)


def test_medians_and_ratios_round_by_round():
    slow = np.array([[1.0, 2.0], [10.0, 20.0], [1.1, 2.2], [1.0, 2.0], [3.0, 6.0]])
    turns = Turns(slow)
    assert turns.time(0).value == 1.1
    assert turns.ratio(1, 0).low == turns.ratio(1, 0).high == 2.0
    assert (turns.fastest, turns.tied()) == (0, [0])


def test_what_cannot_be_told_apart_is_tied():
    random = np.random.default_rng(0)
    seconds = random.uniform(1.0, 1.2, (30, 3)) * [1.0, 1.0, 1.5]
    assert Turns(seconds).tied() == [0, 1]


def test_the_least_forgets_disturbed_rounds():
    seconds = np.array([[4000.0, 3.0], [2.0, 4000.0], [2.0, 3.1], [2.1, 3.0], [4000.0, 4000.0]])
    turns = Turns(seconds, least=True)
    assert (turns.time(0).value, turns.time(1).value) == (2.0, 3.0)
    assert turns.ratio(1, 0).value == pytest.approx(1.5)
    assert turns.tied() == [0]
    assert turns.first(1).seconds.shape == (5, 1)
