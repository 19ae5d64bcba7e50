"""Sums with the same bits in any order."""

import math

import numpy as np
import pytest

from halocline.runtime.communicator import Alone, world
from halocline.runtime.reductions import GlobalSums


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_order_and_any_cut_give_the_same_bits(dtype):
    random = np.random.default_rng(1)
    values = (random.standard_normal(20_001) * 10.0 ** random.uniform(-8, 8, 20_001)).astype(dtype)
    first = GlobalSums(Alone(), 1)([[values]])[0]
    for seed in range(10):
        shuffled = np.random.default_rng(seed).permutation(values)
        cut = np.sort(np.random.default_rng(seed).integers(0, values.size, 5))
        assert GlobalSums(Alone(), 1)([np.split(shuffled, cut)])[0] == first
    exact = math.fsum(values.astype(float))
    assert abs(first - exact) <= 1e-16 * np.abs(values.astype(float)).sum()


def test_many_sums_at_once_and_growing_scale():
    sums = GlobalSums(Alone(), 2)
    assert sums([[np.array([1.0, 2.0])], [np.array([1e20, -1e20, 1.0])]]).tolist()[0] == 3.0
    assert sums([[np.array([1e6])], [np.array([0.5])]]).tolist() == [1e6, 0.5]


def test_terms_that_are_not_finite_are_refused():
    with pytest.raises(FloatingPointError):
        GlobalSums(Alone(), 1)([[np.array([1.0, np.nan])]])


def test_sum_over_ranks_is_that_of_one_rank():
    communicator = world()
    values = np.random.default_rng(3).standard_normal(10_000)
    mine = values[communicator.rank :: communicator.size]
    assert GlobalSums(communicator, 1)([[mine]])[0] == GlobalSums(Alone(), 1)([[values]])[0]
