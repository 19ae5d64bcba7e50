"""Rounds that depend on each other: verdicts stay right, and independent rounds still tell."""

import math

import numpy as np
import pytest

from halocline.runtime.running.contest import median_bounds
from halocline_lab.statistics.comparison import compare_pairs
from halocline_lab.statistics.correlation import dependence
from halocline_lab.statistics.duel import report, result_of

trials = 1500
sampling_error = 3.0 * math.sqrt(0.05 * 0.95 / trials)


def rounds(random, count, correlation):
    """Numbers of unit spread, each of which depends on the one before: AR(1)."""
    found = random.normal(size=count)
    for at in range(1, count):
        found[at] = correlation * found[at - 1] + math.sqrt(1 - correlation**2) * found[at]
    return found


def duel(random, count, correlation, slower=0.0):
    """Two commands, the second slower by a share; both drift, each in its own way."""
    drift = [0.02 * rounds(random, count, correlation) for _ in range(2)]
    return np.exp(drift[0]), (1.0 + slower) * np.exp(drift[1])


@pytest.mark.parametrize("count", [20, 40])
@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.5, 0.7, 0.9])
def test_rounds_that_depend_on_each_other_give_few_false_verdicts(count, correlation):
    random = np.random.default_rng([count, round(10 * correlation)])
    false = [
        compare_pairs(*duel(random, count, correlation)).verdict != "cannot tell"
        for _ in range(trials)
    ]
    assert np.mean(false) < 0.05 + sampling_error


@pytest.mark.parametrize("count", [20, 40, 100])
def test_independent_rounds_still_tell(count):
    """What nineteen of twenty duels would find without looking at correlation, most find with."""
    random = np.random.default_rng(count)
    slower = 0.02 * math.sqrt(2.0) * 5.0 / math.sqrt(count)
    pairs = [duel(random, count, 0.0, slower) for _ in range(400)]
    found = [compare_pairs(a, b).verdict == "slower" for a, b in pairs]
    plain = [median_bounds(b / a)[0] > 1.0 for a, b in pairs]
    assert np.mean(plain) > 0.94
    assert np.mean(found) > 0.8
    assert np.mean([dependence(b / a).is_seen for a, b in pairs]) < 0.15


def test_a_duel_says_that_its_rounds_depend_on_each_other():
    random = np.random.default_rng(3)
    a, b = duel(random, 40, 0.9)
    found, values = result_of(["x", "y"], np.stack([a, b], axis=1), 3.0)
    assert values["widening"] > 2.0 and values["correlation"] > 0.5
    assert "rounds depend on those before (correlation 0." in report(found, values, 3.0)
    a, b = duel(random, 40, 0.0)
    found, values = result_of(["x", "y"], np.stack([a, b], axis=1), 3.0)
    assert "depend" not in report(found, values, 3.0)
    few = np.array([[1.0, 1.1], [1.1, 1.0]] * 5)
    found, values = result_of(["x", "y"], few, 3.0)
    assert "fewer than 16 rounds do not show" in report(found, values, 3.0)


def test_equal_and_few_values_depend_on_nothing():
    assert dependence([1.1] * 30).widening == 1.0
    assert dependence([]).widening == dependence([1.0, 2.0, 3.0]).widening == 1.0
    assert dependence(np.arange(30.0)).widening > 5.0
    assert dependence([1.0, 2.0] * 20).widening == 1.0
