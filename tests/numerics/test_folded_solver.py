"""The solver and sums in kernels on folded grids: every point counts once, whatever the cut.

Ranks: 1; the same bits on 1, 2 and 3 through tests/invariance/test_solver_bits.py. The reference is
the same sea laid out flat, where nothing is there twice.
"""

from functools import cache
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse.linalg as direct

from halocline.core.errors import UserError
from halocline.numerics.elliptic import EllipticOperator, kernels, nine_point
from halocline.numerics.kernel_sums import KernelSums
from halocline.numerics.solver import EllipticSolver
from halocline.numerics.solver_options import SolverOptions, methods
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import Argument, Kernel
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology
from halocline.runtime.running.runner import Runner
from numerics.basins import folded_basin
from references import double_cover
from references import elliptic as reference

folds = ["faces", "centres"]
cuts = [{}, {"blocks_per_rank": 5}, {"kind": "curve", "blocks_per_rank": 4}]
shift = 1e-8


@cache
def sea(fold):
    """A rough sea up to the seam, and its matrix, laid out flat."""
    numbers, flat = folded_basin(fold, shift=shift)
    return SimpleNamespace(
        numbers=numbers, matrix=reference.operator(*flat, shift, True), flat_depth=flat[0]
    )


def cut_of(numbers, halo=8, **cut):
    options = DecompositionOptions(**cut)
    return Decomposition(numbers.mask, numbers.topology, halo=halo, options=options)


@pytest.mark.parametrize("fold", folds)
def test_the_norm_of_areas_takes_a_point_once(fold):
    numbers = sea(fold).numbers
    rows, columns = numbers.mask.shape
    chosen = numbers.mask & double_cover.once(Place.center, fold, rows, columns)
    assert chosen.sum() < numbers.mask.sum() or fold == "faces"
    operator = EllipticOperator(numbers, cut_of(numbers))
    assert operator.norm_of_area == pytest.approx(np.linalg.norm(numbers.area[chosen]), rel=1e-14)


@pytest.mark.parametrize("cut", cuts, ids=str)
@pytest.mark.parametrize("fold", folds)
def test_sums_in_kernels_take_a_point_once(fold, cut):
    numbers = sea(fold).numbers
    decomposition, values = cut_of(numbers, **cut), np.random.default_rng(1)
    one, other = (Field(n, "m3 s-2", decomposition, place=Place.center, dtype=float) for n in "ab")
    other.units = "m2 s-2"
    planes = []
    for field in (one, other):
        plane = values.normal(size=field.shape)
        field.set_global(plane)
        with field.change() as owned:
            for array, block in zip(owned, field.layout.blocks, strict=True):
                array[field.space.is_double(block, field.place)] = 1e3 * values.normal()
        planes.append(plane)
    sums = KernelSums(decomposition, 2)
    run = Runner(decomposition)
    sums.again = run.bind(
        kernels["two_products"], residual=one, preconditioned=other, parts=sums.parts
    )
    sums.begin()
    sums.again()
    a, b = (p[double_cover.once(Place.center, fold, *p.shape)] for p in planes)
    np.testing.assert_allclose(sums.finish(), [(a * b).sum(), (a * a).sum()], rtol=1e-13)


def count_points(box, plane, parts):
    """Adds up what stands in the box, and how often it is called."""
    j0, j1, i0, i1, _ = box
    parts[0] += plane[j0:j1, i0:i1].sum()


@pytest.mark.parametrize("cut", cuts, ids=str)
@pytest.mark.parametrize("place", [Place.center, Place.x_face, Place.y_face, Place.corner])
@pytest.mark.parametrize("fold", folds)
def test_a_kernel_that_adds_up_a_place_takes_its_points_once(fold, place, cut):
    numbers = sea(fold).numbers
    decomposition = cut_of(numbers, **cut)
    plane = Field("plane", "1", decomposition, place=place, dtype=float)
    number = np.arange(np.prod(plane.shape), dtype=float).reshape(plane.shape)
    plane.set_global(number)
    parts = Field(
        "parts", "1", decomposition, axes=(1,), place=Place.none, dtype=float, summed=True
    )
    own = (0, 0, 0, 0)
    kernel = Kernel(
        "count_points",
        (
            Argument("plane", "read", place, "1", own, "own"),
            Argument("parts", "update", Place.none, "1", own, "own"),
        ),
        count_points,
    )
    Runner(decomposition)(kernel, plane=plane, parts=parts)
    expected = number[double_cover.once(place, fold, *plane.shape)].sum()
    assert sum(part[0] for part in parts.read()) == expected


tried = [
    ("faces", "chronopoulos_gear", "polynomial"),
    *product(["centres"], methods, ["diagonal", "blocks"]),
    ("centres", "chronopoulos_gear", "polynomial"),
    *product(folds, ["chebyshev"], ["whole"]),
]


@pytest.mark.parametrize("fold,method,preconditioner", tried)
def test_finds_the_direct_solution_of_the_flat_grid(fold, method, preconditioner):
    case = sea(fold)
    numbers, decomposition = case.numbers, cut_of(case.numbers, halo=16)
    options = SolverOptions(method=method, preconditioner=preconditioner, block_columns=8)
    operator = EllipticOperator(numbers, decomposition)
    given, found = operator.field("right_side", "m3 s-2"), operator.field("solution")
    plane = np.random.default_rng(8).standard_normal(numbers.mask.shape)
    given.set_global(plane)
    with given.change() as owned:  # nobody may look at what a kernel left at doubles
        for array, block in zip(owned, given.layout.blocks, strict=True):
            array[given.space.is_double(block, given.place)] = np.nan
    ending = EllipticSolver(operator, Runner(decomposition), options).solve(given, found)
    ending.require()
    wide = double_cover.flat(plane, Place.center, fold)
    wet = case.flat_depth > 0
    exact = np.zeros(wide.shape)
    exact[wet] = direct.spsolve(case.matrix.tocsc(), wide[wet])
    error = np.abs(found.gather() - exact[: plane.shape[0]]).max()
    assert error < 1e-9 * np.abs(exact).max()
    once = numbers.mask & double_cover.once(Place.center, fold, *plane.shape)
    norm = np.linalg.norm(plane[once]) / np.linalg.norm(numbers.area[once])
    assert ending.first_residual == pytest.approx(norm, rel=1e-12)


def test_a_pole_at_sea_is_refused():
    topology = Topology(6, 8, periodic_i=True, fold="centres")
    depth = np.full((6, 8), 100.0)
    with pytest.raises(UserError, match="poles of the fold.*Make them land"):
        nine_point(depth, np.ones((6, 9)), np.ones((7, 8)), depth, topology, shift)
