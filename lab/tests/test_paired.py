"""Costs from paired runs: bounds that hold, words that do not claim too much, fair turns."""

import numpy as np
import pytest

from halocline.runtime.ranks.communicator import Alone
from halocline_lab.statistics.paired import Cost, cost, how_many, in_turns, together, verdict


def coverage(draw, true, count, trials=400):
    """Share of samples whose bounds enclose the true median."""
    costs = [cost(draw(count)) for _ in range(trials)]
    return float(np.mean([c.low <= true <= c.high for c in costs]))


@pytest.mark.parametrize("count", [6, 12, 30, 99])
def test_bounds_enclose_the_median_of_skewed_noise_as_often_as_they_say(count):
    random = np.random.default_rng(count)
    found = coverage(lambda n: random.lognormal(0.0, 1.5, n), 1.0, count)
    assert found > 0.93
    normal = coverage(lambda n: random.normal(2.0, 3.0, n), 2.0, count)
    assert normal > 0.93


def test_nothing_is_told_of_noise_alone_and_a_clear_cost_is():
    random = np.random.default_rng(1)
    costs = [cost(random.normal(0.0, 4.0, 40)) for _ in range(200)]
    assert np.mean([c.clear for c in costs]) < 0.08
    costs = [cost(random.normal(4.0, 4.0, 40)) for _ in range(200)]
    assert np.mean([c.clear for c in costs]) > 0.95


def test_a_few_runs_never_tell():
    """Three alike are no proof: by chance one in four times all have one sign."""
    assert not cost([1.0, 1.0, 1.0]).clear
    assert cost([1.0, 1.1, 1.2, 1.0, 1.1, 1.2]).clear


def test_mean_and_worst_show_what_the_median_hides():
    found = cost([1.0] * 20 + [31.0])
    assert (found.value, found.worst) == (1.0, 31.0)
    assert found.mean == pytest.approx(51.0 / 21.0)


def test_the_runs_that_are_said_to_be_needed_do_tell():
    random = np.random.default_rng(2)
    first = cost(random.normal(1.0, 3.0, 60))
    needed = Cost(1.0, first.low, first.high, 1.0, 9.0, 60).runs_needed()
    assert 60 < needed < 400
    clear = [cost(random.normal(1.0, 3.0, 3 * needed)).clear for _ in range(100)]
    assert np.mean(clear) > 0.8
    assert 4 * needed < first.runs_needed(precision=0.25)
    assert first.runs_needed(precision=1e-4) is None
    assert Cost(0.0, -1.0, 1.0, 0.0, 1.0, 10).runs_needed() is None


def test_a_run_of_steps_with_one_restart():
    step = Cost(2.0, 1.0, 3.0, 2.5, 4.0, 20)
    last = Cost(10.0, 8.0, 12.0, 11.0, 13.0, 18)
    day = together([(23, step), (1, last)])
    assert (day.value, day.low, day.high, day.runs) == (56.0, 31.0, 81.0, 18)
    assert day.over(112.0).value == 0.5


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (Cost(1.8, 1.2, 2.4, 2.0, 3.0, 20), "costs 1.8 s (1.2 to 2.4)"),
        (Cost(-0.6, -2.1, 0.9, 0.0, 3.0, 20), "cannot tell (-0.60 s, -2.1 to 0.90)"),
        (Cost(-0.6, -0.9, -0.3, -0.6, 0.0, 20), "saves 0.60 s (0.30 to 0.90)"),
        (Cost(1.8, 1.2, 2.4, 2.0, 3.0, 5), "cannot tell (1.8 s, 1.2 to 2.4)"),
    ],
)
def test_words(found, words):
    assert verdict(found) == words
    assert bool(how_many(found)) == (not found.clear)


def test_trials_take_turns_forward_and_backward_from_moving_beginnings():
    done = []
    trials = [lambda n=n: done.append(n) or (float(n), 1.0) for n in range(3)]
    rounds = []
    found = in_turns(Alone(), trials, 4, before_round=rounds.append)
    assert found.shape == (4, 3, 2)
    assert (found[:, :, 0] == [0.0, 1.0, 2.0]).all()
    assert done[:3] == [0, 1, 2], "a rehearsal"
    assert done[3:] == [0, 1, 2, 2, 1, 0, 1, 2, 0, 0, 2, 1]
    assert rounds == [0, 1, 2, 3]
