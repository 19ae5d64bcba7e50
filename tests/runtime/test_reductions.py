"""Sums with the same bits in any order. Ranks: 1, and 3 and 5 through test_ranks.py."""

import math

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.runtime import _native
from halocline.runtime.ranks.communicator import Alone, world
from halocline.runtime.record.recorder import Recorder
from halocline.runtime.sums.choice import SumChoice, choices, every_choice
from halocline.runtime.sums.reductions import GlobalSums


def scattered(seed: int, count: int, decades: float) -> np.ndarray:
    random = np.random.default_rng(seed)
    return random.standard_normal(count) * 10.0 ** random.uniform(-decades, decades, count)


def alone(values: np.ndarray) -> float:
    return GlobalSums(Alone(), 1)([[values]])[0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_order_and_any_cut_give_the_same_bits(dtype):
    values = scattered(1, 20_001, 8).astype(dtype)
    first = alone(values)
    for seed in range(10):
        shuffled = np.random.default_rng(seed).permutation(values)
        cut = np.sort(np.random.default_rng(seed).integers(0, values.size, 5))
        assert GlobalSums(Alone(), 1)([np.split(shuffled, cut)])[0] == first
    exact = math.fsum(values.astype(float))
    assert abs(first - exact) <= 1e-16 * np.abs(values.astype(float)).sum()


def test_bits_do_not_depend_on_earlier_sums():
    for seed in range(40):
        random = np.random.default_rng(seed)
        sums = GlobalSums(Alone(), 1)
        values = scattered(seed, 1000, 4) * 10.0 ** random.uniform(-200, 200)
        for _ in range(3):
            sums([[scattered(seed, 100, 4) * 10.0 ** random.uniform(-200, 200)]])
        assert sums([[values]])[0] == alone(values)


@pytest.mark.parametrize("exponent", [-48, 0, 32])
def test_a_term_at_the_end_of_a_scale_belongs_to_the_next(exponent):
    """2^-70 of it is kept on its own scale and lost on the next: one of them, always."""
    values = 2.0**exponent * np.array([1.0, 3.0 * 2.0**-70, -1.0])
    found = []
    for before in (exponent - 3, exponent + 10):
        sums = GlobalSums(Alone(), 1)
        sums([[np.array([2.0**before])]])
        found.append(sums([[values]])[0])
    assert found[0] == found[1]


def test_terms_of_few_bits_give_the_exact_sum_rounded_once():
    """Terms that are multiples of 2^-62 of the largest are added without any error."""
    for seed in range(50):
        random = np.random.default_rng(seed)
        count = int(random.integers(1, 3000))
        values = random.integers(-(2**24), 2**24, count) * 2.0 ** random.integers(0, 37, count)
        values *= 2.0 ** random.integers(-300, 300)
        values = np.concatenate([values, -values[: count // 2]])
        assert alone(values) == math.fsum(values)


@pytest.mark.parametrize("fold", range(_native.part_count - 2))
def test_terms_halfway_between_units_are_rounded_alike_in_any_order(fold):
    """2^-27, 2^-53 and 2^-79 are half the units of the folds where the largest term is 0.75.

    Among them are whole units: ties alone always go to an even sum, in any order.
    """
    half = 2.0 ** -(26 * (fold + 1) + 1)
    random = np.random.default_rng(fold)
    small = half * random.integers(-50, 50, 200)
    values = np.concatenate([[0.75, -0.75], small])
    shuffled = [random.permutation(values) for _ in range(100)]
    found = {alone(terms) for terms in shuffled}
    assert len(found) == 1
    assert abs(found.pop() - math.fsum(values)) <= small.size * 2.0**-79


def test_a_term_is_rounded_by_as_little_as_the_header_says():
    """2^-63 of the largest, or 2^-1039 where that is more: of the least numbers little is left."""
    random = np.random.default_rng(7)
    for exponent in [-1073, -1060, -1040, -1030, -980, -961, -300, 0, 300, 940]:
        for _ in range(50):
            largest = math.ldexp(random.uniform(0.5, 1.0), exponent)
            count = int(random.integers(1, 200))
            small = largest * random.uniform(-1, 1, count) * 2.0 ** -random.integers(0, 70, count)
            values = np.concatenate([[largest, -largest], small])
            bound = max(2.0**-63 * largest, 2.0**-1039)
            exact = math.fsum(values)
            assert abs(alone(values) - exact) <= count * bound + math.ulp(exact)
            assert alone(random.permutation(values)) == alone(values)


def test_the_largest_rounding_is_reached():
    for exponent, half in ((0, 2.0**-79), (-960, 2.0**-1039), (-1030, 2.0**-1039)):
        largest = math.ldexp(0.75, exponent)
        assert alone(np.array([largest, -largest, 0.99 * half])) == 0.0
        assert alone(np.array([largest, -largest, 1.01 * half])) == 2.0 * half


def test_signs_of_zero_and_nothing_at_all():
    for values in ([-0.0], [-0.0, 0.0], [], [1.0, -1.0], [5e-324, -5e-324]):
        got = alone(np.array(values))
        assert got == 0.0 and not np.signbit(got)
    assert alone(np.array([2.0**-1000])) == 2.0**-1000
    assert alone(np.array([2.0**900, 1.0, -(2.0**900)])) == 0.0


def test_many_sums_at_once_and_scales_that_grow_and_shrink():
    sums = GlobalSums(Alone(), 2)
    assert sums([[np.array([1.0, 2.0])], [np.array([1e18, -1e18, 1.0])]]).tolist() == [3.0, 1.0]
    assert sums([[np.array([1e6])], [np.array([0.5])]]).tolist() == [1e6, 0.5]
    assert sums([[np.array([1e-30])], [np.array([2e-60])]]).tolist() == [1e-30, 2e-60]
    many = GlobalSums(world(), 50)
    terms = [[np.full(world().rank + 1, 3.0**at)] for at in range(50)]
    count = world().size * (world().size + 1) // 2
    assert many(terms).tolist() == [math.fsum([3.0**at] * count) for at in range(50)]


def test_three_parts_are_rounded_once():
    random = np.random.default_rng(0)
    parts = random.standard_normal((20_000, 4)) * 2.0 ** random.integers(-60, 60, (20_000, 4))
    parts[::7, 1], parts[::5, 2] = -parts[::7, 0], 2.0**-54 * parts[::5, 0]
    parts[:, 3] = 2.0**26
    values = np.empty(len(parts))
    assert _native.round_parts(parts.reshape(-1), values) == 0
    assert values.tolist() == [math.fsum(row[:3]) for row in parts]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300])
@pytest.mark.parametrize("ordinary", [False, True])
def test_terms_that_are_not_finite_are_refused_by_all_ranks(bad, ordinary):
    if ordinary and np.isfinite(bad):
        bad = np.nan
    communicator = world()
    sums = GlobalSums(communicator, 2, ordinary=ordinary)
    mine = np.array([1.0, bad if communicator.rank == communicator.size - 1 else 2.0])
    with pytest.raises(FloatingPointError):
        sums([[np.ones(3)], [mine]])
    assert sums([[np.ones(3)], [np.ones(1)]]).tolist() == [3 * communicator.size, communicator.size]


def test_sum_over_ranks_is_that_of_one_rank():
    communicator = world()
    for seed in range(10):
        values = scattered(seed, 10_000, 6)
        mine = values[communicator.rank :: communicator.size]
        assert GlobalSums(communicator, 1)([[mine]])[0] == alone(values)


def test_sums_overlap_and_parts_may_come_from_a_kernel():
    communicator = world()
    for choice in choices(communicator):
        sums, others = (GlobalSums(communicator, 1, choice) for _ in range(2))
        for seed in range(6 // world().size):
            values, rest = scattered(seed, 999, 20), scattered(seed + 50, 77, 20)
            mine, our = (v[communicator.rank :: communicator.size] for v in (values, rest))
            first, second = sums.start([[mine]]), others.start([[our]])
            assert second.finish()[0] == alone(rest)

            def fill(parts, mine=mine):
                _native.add_exactly(np.ascontiguousarray(mine), parts[0])

            parts = sums.new_parts()
            fill(parts)
            third = sums.start_parts(parts, fill)
            assert first.finish()[0] == third.finish()[0] == alone(values)
            assert sums.of_parts(parts, fill)[0] == alone(values)


def test_sums_are_on_record():
    recorder = Recorder()
    sums = GlobalSums(world(), 1, recorder=recorder)
    sums([[np.ones(2)]])
    calls = recorder.counters["global sum"].calls
    sums.start([[np.ones(2)]]).finish()
    assert recorder.counters["global sum"].calls == calls + 1 and recorder.seconds("global sum") > 0


def test_the_ordinary_sum_is_close_and_alike_on_all_ranks():
    communicator = world()
    values = scattered(5, 5000, 2)
    mine = values[communicator.rank :: communicator.size]
    for choice in choices(communicator):
        got = GlobalSums(communicator, 1, choice, ordinary=True)([[mine]])[0]
        assert abs(got - math.fsum(values)) <= 1e-13 * np.abs(values).sum()
        everyone = communicator.gather(got)
        assert everyone is None or len(set(everyone)) == 1


def test_choices_read_back_and_unknown_ones_name_the_nearest():
    for choice in every_choice():
        assert SumChoice.parse(str(choice)) == choice
    names = [str(choice) for choice in every_choice()]
    assert len(set(names)) == len(names) and names[0] == "all-reduce"
    with pytest.raises(UserError, match="Did you mean 'non-blocking'"):
        SumChoice.parse("nonblocking")
