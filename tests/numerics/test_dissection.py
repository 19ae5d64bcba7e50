"""Factors of the whole operator, against SciPy's direct solver. Ranks: 1.

The bits on more are compared in tests/invariance/test_solver_bits.py.
"""

import numpy as np
import pytest
import scipy.sparse.linalg as direct

from halocline.core.errors import UserError
from halocline.numerics import _native, dissection
from halocline.numerics.dissection import WholeFactors, cell_system
from halocline.numerics.elliptic import EllipticOperator
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner
from numerics.basins import basin, folded_basin, numbers_of
from references import double_cover
from references import elliptic as reference

shift = 1e-8


def solved(numbers, right_side, precision, **cut):
    """What the factors make of a right side."""
    options = DecompositionOptions(**cut)
    decomposition = Decomposition(numbers.mask, numbers.topology, halo=1, options=options)
    operator = EllipticOperator(numbers, decomposition)
    given, found = operator.field("given", "m3 s-2"), operator.field("found")
    given.set_global(right_side)
    factors = WholeFactors(operator, Runner(decomposition), np.dtype(precision))
    factors.prepare(given, found)()
    return found.gather()


@pytest.mark.parametrize("periodic_i", [True, False])
@pytest.mark.parametrize("precision,error", [("float64", 1e-12), ("float32", 1e-5)])
def test_a_rough_basin_is_solved(precision, error, periodic_i):
    """Channels and lakes among islands, wide enough to be parted several times."""
    parts = basin(4, (37, 50), periodic_i)
    numbers = numbers_of(parts, shift)
    random = np.random.default_rng(5).standard_normal(numbers.mask.shape)
    matrix = reference.operator(*parts[:4], shift, periodic_i)
    exact = direct.spsolve(matrix.tocsc(), random[numbers.mask])
    found = solved(numbers, random, precision, blocks_per_rank=3)
    assert np.abs(found[numbers.mask] - exact).max() < error * np.abs(exact).max()
    assert not found[~numbers.mask].any()


@pytest.mark.parametrize("fold", ["faces", "centres"])
def test_a_fold_is_solved_at_once(fold):
    """Beside the sea laid out flat; of cells that stand twice on a seam the first ones count."""
    numbers, parts = folded_basin(fold, shift=shift)
    random = np.random.default_rng(6).standard_normal(numbers.mask.shape)
    wide, wet = double_cover.flat(random, Place.center, fold), parts[0] > 0.0
    exact = np.zeros(wide.shape)
    exact[wet] = direct.spsolve(reference.operator(*parts, shift, True).tocsc(), wide[wet])
    once = numbers.mask & double_cover.once(Place.center, fold, *random.shape)
    found = solved(numbers, random, "float64", blocks_per_rank=3)
    error = np.abs(found - exact[: random.shape[0]])[once].max()
    assert error < 1e-12 * np.abs(exact).max()


def square(cells):
    """An open sea of square cells, whose sides do not couple, as made numbers of it."""
    shape = (cells, cells)
    even = np.full((cells + 1, cells + 1), 5e4)
    return numbers_of(
        (np.full(shape, 4e3), even[:cells], even[:, :cells], np.full(shape, 2.5e9), False), shift
    )


def test_factors_grow_little_faster_than_the_sea():
    """As n log n (George 1973): a band matrix would keep eight times as much on twice the width."""
    kept = [len(_native.DissectionFloat32(*cell_system(square(cells)))) for cells in (40, 80)]
    assert 4.0 < kept[1] / kept[0] < 6.0
    assert kept[1] < 60 * 80**2


def test_every_cell_is_eliminated_once():
    system = cell_system(square(30))
    order = np.empty(900, np.int32)
    _native.DissectionFloat64(*system).order(order)
    assert sorted(order) == list(range(900))


def test_neighbours_are_those_of_the_operator():
    """The sum over a row is what a constant gives: area times shift."""
    numbers = numbers_of(basin(1), shift)
    diagonal, coupling, neighbour, place = cell_system(numbers)
    area = numbers.area[place[:, 0], place[:, 1]]
    np.testing.assert_allclose(diagonal - (coupling * (neighbour >= 0)).sum(axis=1), area * shift,
                               rtol=1e-6)  # fmt: skip


def test_too_many_cells_are_refused(monkeypatch):
    monkeypatch.setattr(dissection, "most_cells", 100)
    with pytest.raises(UserError, match="at most 100 are factored.*polynomial"):
        solved(numbers_of(basin(1)), np.zeros((26, 40)), "float32")
