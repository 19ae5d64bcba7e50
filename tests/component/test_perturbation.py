"""Members of an ensemble: near the run they come from, unlike each other, the same on any ranks."""

import numpy as np
import pytest

import halocline
from halocline.component.case.perturbation import PerturbationOptions, scattered

swell = {"time.length": "3h", "grid.nx": 21, "grid.ny": 19, "start.gaussian.peak_frequency": 0.0833}
growing = {"time.length": "2h"}
tracers = {"time.length": "2h", "grid.nx": 40, "grid.ny": 40}


def final(case, settings, **changes):
    given = {**settings, **{f"perturbation.{name}": value for name, value in changes.items()}}
    result = halocline.run(case, settings=[f"{name}={value}" for name, value in given.items()])
    return result.component.restart_fields()[0].gather()


@pytest.mark.parametrize(
    ("case", "settings"),
    [("swell", swell), ("duration-limited", growing), ("tracer-rotation", tracers)],
)
def test_members_are_near_the_run_and_unlike_each_other(case, settings):
    plain = final(case, settings)
    first, again, second = (final(case, settings, amplitude=1e-4, member=m) for m in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, plain) and not np.array_equal(first, second)
    scale = np.abs(plain).max()
    assert 1e-7 * scale < np.abs(first - plain).max() < 1e-2 * scale
    assert np.array_equal(plain, final(case, settings, amplitude=0.0, member=3))
    cut = {**settings, "decomposition.blocks_per_rank": 3}
    assert np.array_equal(first, final(case, cut, amplitude=1e-4, member=1))


def test_a_calm_start_is_perturbed_by_its_wind():
    """Without energy at the start all differences come from the wind."""
    plain = final("duration-limited", {"time.length": "1h"})
    moved = final("duration-limited", {"time.length": "1h"}, amplitude=1e-3)
    assert plain.max() > 0.0 and np.abs(moved - plain).max() > 0.0


def test_factors_depend_on_point_and_member_only():
    options = PerturbationOptions(amplitude=0.1, member=4)
    numbers = np.arange(1000)
    whole = options.factors(numbers)
    assert np.array_equal(options.factors(numbers[300:500]), whole[300:500])
    assert 0.9 <= whole.min() < 0.901 and 1.099 < whole.max() <= 1.1
    assert np.abs(whole.mean() - 1.0) < 0.005


def test_scattered_numbers_are_even_and_independent():
    members = np.stack([scattered(np.arange(20_000), member) for member in range(1, 6)])
    assert np.abs(members.mean(axis=1) - 0.5).max() < 0.01
    assert np.abs(members.std(axis=1) - 12**-0.5).max() < 0.01
    together = np.corrcoef(np.concatenate([members, np.roll(members, 1, axis=1)]))
    assert np.abs(together - np.eye(10)).max() < 0.04
