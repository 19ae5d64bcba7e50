"""Verdicts on two sets of times: rarely wrong where they do not differ, right where they do."""

from __future__ import annotations

import math

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.runtime.running.contest import median_bounds
from halocline_lab.statistics.comparison import (
    Comparison,
    bootstrap_ratio,
    compare_pairs,
    compare_sets,
    outliers,
)
from halocline_lab.statistics.paired import Cost, cost, cost_of_mean

noises = {
    "normal": lambda random, n: 1.0 + 0.03 * random.standard_normal(n),
    "skewed": lambda random, n: 1.0 + 0.03 * random.lognormal(0.0, 1.0, n),
    "spiky": lambda random, n: (
        1.0 + 0.01 * random.standard_normal(n) + 0.5 * (random.random(n) < 0.1)
    ),
}


def drift(random, n):
    """A machine whose pace wanders, the same for both of a pair."""
    return np.exp(0.1 * np.cumsum(random.standard_normal(n)) / math.sqrt(n))


def alarms(compare, draw, counts=(6, 10, 20), trials=400):
    """Largest share of verdicts on equal times, over numbers of runs."""
    worst = 0.0
    for n in counts:
        random = np.random.default_rng(n)
        verdicts = [compare(*draw(random, n)).verdict for _ in range(trials)]
        worst = max(worst, float(np.mean([words != "cannot tell" for words in verdicts])))
    return worst


def test_bounds_of_medians_hold_in_at_least_95_of_100_whatever_the_distribution():
    """Exact: the chance that order statistics miss the median is that of coins."""
    for count in range(6, 200):
        ordered = np.arange(count, dtype=float)
        below = int(median_bounds(ordered)[0])
        missed = 2.0 * sum(math.comb(count, k) for k in range(below + 1)) / 2.0**count
        assert missed <= 0.05, count


@pytest.mark.parametrize("noise", noises)
def test_false_alarms_of_pairs_are_at_most_one_in_twenty(noise):
    def draw(random, n):
        pace = drift(random, n)
        return pace * noises[noise](random, n), pace * noises[noise](random, n)

    assert alarms(compare_pairs, draw) <= 0.07, "5 % and what 400 trials vary"


@pytest.mark.parametrize("noise", noises)
def test_false_alarms_of_sets_are_at_most_one_in_twenty(noise):
    def draw(random, n):
        return noises[noise](random, n), noises[noise](random, n)

    assert alarms(lambda a, b: compare_sets(a, b, resamples=300), draw, trials=250) <= 0.07
    assert alarms(lambda a, b: compare_sets(a, b, np.mean, 300), draw, (10, 20), 250) <= 0.09


def test_three_percent_are_found_as_often_as_the_number_of_runs_promises():
    random = np.random.default_rng(5)
    spread = 0.06
    width = 1.96 * 1.2533 * spread / math.sqrt(400)
    pilot = Comparison(1.0, math.exp(-width), math.exp(width), 400, 400, True)
    for chance in (0.5, 0.9):
        runs = pilot.runs_needed(0.03, chance)
        found = []
        for _ in range(300):
            pace = drift(random, runs)
            b = 1.03 * pace * np.exp(spread * random.standard_normal(runs))
            found.append(compare_pairs(pace, b).verdict)
        assert np.mean([words == "slower" for words in found]) > chance - 0.03
        assert "faster" not in found
    assert pilot.runs_needed(0.03, 0.9) > 2 * pilot.runs_needed(0.03, 0.5) > 25


def test_too_few_runs_say_that_they_cannot_tell():
    random = np.random.default_rng(6)
    for _ in range(50):
        verdict = compare_pairs(np.ones(5), 1.2 + 0.01 * random.random(5)).verdict
        assert verdict == "cannot tell"
    assert compare_pairs(np.ones(6), 1.2 + 0.01 * random.random(6)).verdict == "slower"
    assert compare_pairs(np.ones(6), 0.8 + 0.01 * random.random(6)).verdict == "faster"
    assert compare_sets(np.ones(5), np.ones(5) * 0.8).verdict == "cannot tell"


def test_a_difference_between_sets_is_found_and_pairs_find_more_where_the_pace_wanders():
    random = np.random.default_rng(7)
    sets = [
        compare_sets(
            noises["normal"](random, 20), 1.06 * noises["normal"](random, 20), resamples=300
        ).verdict
        for _ in range(60)
    ]
    assert sets.count("slower") > 50 and "faster" not in sets
    told = {"pairs": 0, "sets": 0}
    for _ in range(60):
        pace = drift(random, 20)
        a, b = pace, 1.03 * pace * np.exp(0.01 * random.standard_normal(20))
        told["pairs"] += compare_pairs(a, b).verdict == "slower"
        told["sets"] += compare_sets(a, b, resamples=300).verdict == "slower"
    assert told["pairs"] > 55 > told["sets"]


def test_the_ratio_is_that_of_the_statistics():
    a, b = [1.9, 2.0, 2.3, 1.8, 2.0], [3.0, 3.3, 2.9, 3.0]
    found = compare_sets(a, b)
    assert found.ratio == pytest.approx(1.5) and found.low < 1.5 < found.high
    assert compare_sets(a, b, np.mean).ratio == pytest.approx((12.2 / 4) / (10.0 / 5))
    assert (found.runs_a, found.runs_b) == (5, 4)


def test_bootstrap_bounds_hold_the_true_ratio():
    random = np.random.default_rng(8)
    for statistic in (np.median, np.mean):
        held = 0
        for _ in range(150):
            a, b = random.normal(1.0, 0.1, 15), random.normal(1.1, 0.1, 15)
            low, high = bootstrap_ratio(a, b, statistic, 300)
            held += low <= 1.1 <= high
        assert held > 0.9 * 150
    assert bootstrap_ratio([1.0, 1.2, 1.1], [1.0, 1.3, 1.2]) == bootstrap_ratio(
        [1.0, 1.2, 1.1], [1.0, 1.3, 1.2]
    )


def test_outliers_are_shown_and_count():
    times = [1.0, 1.1, 0.9, 1.0, 1.05, 9.0, 1.0]
    assert outliers(times) == [5]
    assert outliers([1.0, 9.0, 1.0]) == []
    assert cost(times).worst == 9.0 and cost(times).runs == 7


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (Comparison(1.03, 1.01, 1.05, 9, 9, True), "slower by 3.0 % (1.0 to 5.0)"),
        (Comparison(0.97, 0.95, 0.99, 9, 9, True), "faster by 3.0 % (1.0 to 5.0)"),
        (Comparison(0.97, 0.95, 1.01, 9, 9, True), "cannot tell (-3.0 %, -5.0 to 1.0)"),
        (Comparison(1.03, 1.01, 1.05, 5, 9, True), "cannot tell (3.0 %, 1.0 to 5.0)"),
    ],
)
def test_words(found, words):
    assert found.words == words


def test_times_that_are_none_are_refused():
    with pytest.raises(UserError, match="2 and 3 times are no pairs"):
        compare_pairs([1.0, 2.0], [1.0, 2.0, 3.0])
    for bad in ([], [1.0, 0.0], [math.nan]):
        with pytest.raises(UserError, match="positive numbers"):
            compare_sets(bad, [1.0])


def test_a_printed_mean_and_deviation_bound_the_mean():
    random = np.random.default_rng(9)
    held = 0
    for _ in range(300):
        values = random.normal(2.0, 4.0, 99)
        found = cost_of_mean(values.mean(), values.std(ddof=1), 99)
        held += found.low <= 2.0 <= found.high
    assert 0.91 < held / 300 < 0.98


def test_more_certainty_needs_more_runs():
    found = Cost(1.0, 0.5, 1.5, 1.0, 2.0, 40)
    assert found.runs_needed() == 10
    assert found.runs_needed(chance=0.9) == 28
    assert found.runs_needed(0.1, 0.9) > found.runs_needed(0.1, 0.8) > found.runs_needed(0.1)
