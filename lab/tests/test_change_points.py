"""Change points: steps are found where they are, and noise has none."""

import numpy as np
import pytest

from halocline_lab.statistics.change_points import change_points, fewest_values


@pytest.mark.parametrize("at", [5, 12, 20, 26])
@pytest.mark.parametrize("step", [0.7, 1.3])
def test_a_step_is_found_where_it_is(at, step):
    values = np.random.default_rng(at).normal(1.0, 0.03, 32)
    values[at:] *= step
    (found,) = change_points(values)
    assert found.at == at
    assert found.chance <= 0.01
    assert found.after / found.before == pytest.approx(step, rel=0.05)


def test_two_steps_are_found_and_medians_lie_between_them():
    random = np.random.default_rng(3)
    values = random.normal(1.0, 0.02, 60) * np.repeat([1.0, 1.5, 0.8], 20)
    first, second = change_points(values)
    assert (first.at, second.at) == (20, 40)
    assert [first.before, first.after, second.after] == pytest.approx([1.0, 1.5, 0.8], rel=0.03)
    assert first.after == second.before


@pytest.mark.parametrize("level", [0.05, 0.01])
def test_pure_noise_raises_no_more_false_alarms_than_the_level(level):
    """Of 300 series so many are expected: 300 times the level; five deviations are allowed."""
    random = np.random.default_rng(11)
    series = 300
    alarms = 0
    for _ in range(series):
        count = int(random.integers(fewest_values, 40))
        # Times have a tail: lognormal, and now and then a disturbed one.
        values = random.lognormal(0.0, 0.1, count) * np.where(random.random(count) < 0.05, 3.0, 1.0)
        alarms += bool(change_points(values, level))
    assert alarms <= series * level + 5.0 * np.sqrt(series * level)


def test_the_test_is_not_idle():
    """At a level of a half, about half of the series of noise alarm."""
    random = np.random.default_rng(12)
    alarms = sum(bool(change_points(random.normal(size=16), 0.5)) for _ in range(100))
    assert 30 <= alarms <= 65


def test_one_disturbed_value_is_no_change():
    values = np.random.default_rng(5).normal(1.0, 0.02, 24)
    values[10] = 5.0
    assert change_points(values) == []


def test_equal_values_and_short_series_have_no_changes():
    assert change_points([1.0] * 30) == []
    assert change_points([1.0] * 4 + [9.0] * 5) == []


@pytest.mark.parametrize("level, permutations", [(0.05, 200), (0.01, 1000)])
def test_a_clear_step_is_as_sure_as_the_permutations_can_tell(level, permutations):
    """None of 10 / level orders has so large a step: the chance is one of them and one more."""
    (found,) = change_points(np.repeat([1.0, 2.0], 20), level)
    assert found.chance == pytest.approx(1.0 / (1.0 + permutations))
