"""Every method with every preconditioner: against a direct solution, on the real grid, and failing.

The bits are compared in tests/invariance/test_solver_bits.py.
"""

import math
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse.linalg as direct

from halocline.component.case.shipped import data_folder
from halocline.core.errors import UserError
from halocline.grids.vertical.levels import read_layers
from halocline.numerics import _native
from halocline.numerics.block_factors import BlockFactors
from halocline.numerics.chebyshev import ritz_bounds, spectrum_bounds
from halocline.numerics.chebyshev_weights import Bounds, weights
from halocline.numerics.elliptic import EllipticOperator, kernels, nine_point_of, time_step_shift
from halocline.numerics.preconditioners import Blocks, Polynomial, Scaling
from halocline.numerics.solver import EllipticSolver
from halocline.numerics.solver_options import SolverOptions, Watch, methods, preconditioners
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner
from numerics.basins import basin, numbers_of
from references import elliptic as reference

shift = time_step_shift(9.806, 1.0 / 3.0, 7200.0, 3600.0)


def world_of(numbers, halo=16, **cut):
    decomposition = Decomposition(
        numbers.mask, numbers.topology, halo=halo, options=DecompositionOptions(**cut)
    )
    return EllipticOperator(numbers, decomposition), Runner(decomposition)


def solve(numbers, right_side, options, guess=None, **cut):
    operator, run = world_of(numbers, **cut)
    field, solution = operator.field("right_side", "m3 s-2"), operator.field("solution")
    field.set_global(right_side)
    solution.set_global(np.zeros(numbers.mask.shape) if guess is None else guess)
    ending = EllipticSolver(operator, run, options).solve(field, solution)
    return solution.gather(), ending


@pytest.fixture(scope="module")
def rough():
    """A basin, its matrix, a random right side with values on land, and the direct solution."""
    parts = basin(7, shape=(30, 44))
    depth, x_face_width, y_face_width, area, periodic_i = parts
    matrix = reference.operator(depth, x_face_width, y_face_width, area, shift, periodic_i)
    numbers = numbers_of(parts, shift)
    right_side = np.random.default_rng(8).standard_normal(depth.shape)
    exact = np.zeros(depth.shape)
    exact[numbers.mask] = direct.spsolve(matrix.tocsc(), right_side[numbers.mask])
    return SimpleNamespace(numbers=numbers, matrix=matrix, right_side=right_side, exact=exact)


@pytest.mark.parametrize("method,preconditioner", list(product(methods, preconditioners)))
def test_finds_the_direct_solution(rough, method, preconditioner):
    options = SolverOptions(method=method, preconditioner=preconditioner, block_columns=8)
    found, ending = solve(rough.numbers, rough.right_side, options)
    assert ending.require().converged and 0 < ending.iterations < 400
    assert np.abs(found - rough.exact).max() < 1e-9 * np.abs(rough.exact).max()
    mask = rough.numbers.mask
    rest = rough.right_side[mask] - rough.matrix @ found[mask]
    norm = np.linalg.norm(rough.right_side[mask])
    assert np.linalg.norm(rest) < 3e-12 * norm
    assert ending.relative_residual <= 1e-12
    per_area = np.linalg.norm(rough.numbers.area[mask])
    assert ending.first_residual == pytest.approx(norm / per_area, rel=1e-12)
    assert ending.residual == pytest.approx(ending.relative_residual * norm / per_area, rel=1e-9)


@pytest.mark.parametrize("method", methods)
def test_a_good_first_guess_saves_iterations_and_the_exact_one_all(rough, method):
    options = SolverOptions(method=method, preconditioner="diagonal")
    from_zero = solve(rough.numbers, rough.right_side, options)[1].iterations
    near = rough.exact * (1.0 + 1e-6)
    assert solve(rough.numbers, rough.right_side, options, near)[1].iterations < 0.7 * from_zero
    easy = SolverOptions(method=method, preconditioner="diagonal", tolerance=1e-9)
    assert solve(rough.numbers, rough.right_side, easy, rough.exact)[1].iterations == 0


@pytest.mark.parametrize("rows,columns", [(8, 8), (16, 16), (0, 8), (5, 32), (0, 16)])
@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_blocks_are_solved_exactly(rough, rows, columns, precision):
    numbers = rough.numbers
    operator, run = world_of(numbers)
    blocks = Blocks(
        operator,
        SolverOptions(block_rows=rows, block_columns=columns, precision=precision),
    )
    residual = operator.field("residual", "m3 s-2")
    preconditioned = operator.field("preconditioned")
    residual.set_global(rough.right_side * numbers.mask)
    blocks.prepare(run, residual, preconditioned)()
    depth = np.where(numbers.mask, 1.0, 0.0)
    kept = reference.tiles_only(rough.matrix, depth, rows or depth.shape[0], columns)
    exact = direct.spsolve(kept, rough.right_side[numbers.mask])
    result = preconditioned.gather()
    assert not result[~numbers.mask].any()
    error = np.abs(result[numbers.mask] - exact).max() / np.abs(exact).max()
    assert error < (1e-12 if precision == "float64" else 1e-4)


def test_a_polynomial_is_that_many_chebyshev_iterations_from_zero(rough):
    operator, run = world_of(rough.numbers)
    bounds = spectrum_bounds(operator, run, Scaling(operator), 0.02)
    residual = operator.field("residual", "m3 s-2")
    preconditioned = operator.field("preconditioned")
    residual.set_global(rough.right_side * rough.numbers.mask)
    for degree in (1, 2, 5, 9, 26):
        exact = SolverOptions(degree=degree, precision="float64")
        Polynomial(operator, bounds, exact).prepare(run, residual, preconditioned)()
        options = SolverOptions(
            method="chebyshev", preconditioner="diagonal", iterations=degree, check_interval=degree
        )
        found, ending = solve(rough.numbers, rough.right_side, options)
        assert ending.reached == "iteration limit" and ending.iterations == degree
        assert np.abs(preconditioned.gather() - found).max() <= 1e-12 * np.abs(found).max()


def test_bounds_hold_the_spectrum(rough):
    mask = rough.numbers.mask
    operator, run = world_of(rough.numbers)
    bounds = spectrum_bounds(operator, run, Scaling(operator), 0.02)
    scale = 1.0 / np.sqrt(rough.numbers.diagonal[mask])
    dense = scale[:, None] * rough.matrix.toarray() * scale
    values = np.linalg.eigvalsh(dense)
    assert 0.85 * values[0] < bounds.least < 1.02 * values[0]
    assert values[-1] < bounds.greatest < 1.1 * values[-1]


def test_chebyshev_takes_single_steps_where_the_halo_is_shallow(rough):
    options = SolverOptions(method="chebyshev", preconditioner="diagonal")
    deep, shallow = (
        solve(rough.numbers, rough.right_side, options, halo=halo)[0] for halo in (16, 1)
    )
    assert np.array_equal(deep, shallow)


@pytest.mark.parametrize("least", [0.02, 0.3, 0.9])
def test_chebyshev_falls_as_fast_as_its_rate_says(least):
    """The largest residual over the spectrum is 1 / T_n, whose ratios are the rate in the end."""
    bounds = Bounds(least, 1.5)
    values = np.linspace(bounds.least, bounds.greatest, 2001)
    solution, correction, largest = np.zeros_like(values), np.zeros_like(values), []
    for weight, memory in weights(bounds, 40):
        correction = weight * (1.0 - values * solution) + memory * correction
        solution += correction
        largest.append(np.abs(1.0 - values * solution).max())
    count = np.arange(1, 41)
    polynomial = np.cosh(count * np.arccosh((1.5 + least) / (1.5 - least)))
    early = polynomial < 1e10
    np.testing.assert_allclose(largest * polynomial * early, early, rtol=1e-4)
    assert math.log(polynomial[-1] / polynomial[-2]) == pytest.approx(bounds.rate, rel=1e-3)
    assert Bounds(2.0, 2.0).rate == math.inf


def test_ritz_values_of_a_small_matrix_are_its_eigenvalues():
    """Conjugate gradients by hand on diag(1, 2, 4): three steps know the whole spectrum."""
    matrix, residual = np.diag([1.0, 2.0, 4.0]), np.array([1.0, 1.0, 1.0])
    direction, steps, beta = residual.copy(), [], 0.0
    for _ in range(3):
        image = matrix @ direction
        alpha = residual @ residual / (direction @ image)
        steps.append((alpha, beta))
        new = residual - alpha * image
        beta = new @ new / (residual @ residual)
        residual, direction = new, new + beta * direction
    bounds = ritz_bounds(steps)
    assert bounds.least == pytest.approx(1.0) and bounds.greatest == pytest.approx(4.0)


@pytest.fixture(scope="module")
def ocean():
    """The displaced-pole grid, 320 x 384, and a smooth and a random solution."""
    grid = read_layers(data_folder() / "g_pop_x1_grid.nc")
    numbers = nine_point_of(grid, shift)
    center = grid.horizontal.at(Place.center)
    lon, lat = np.radians(center.x), np.radians(center.y)
    smooth = (np.sin(2 * lon) * np.cos(lat) + np.sin(3 * lat)) * grid.mask
    random = np.random.default_rng(0).standard_normal(grid.mask.shape) * grid.mask
    return SimpleNamespace(numbers=numbers, solutions={"smooth": smooth, "random": random})


def iterations_on(ocean, name, **options):
    operator, run = world_of(ocean.numbers)
    exact = ocean.solutions[name]
    direction, right_side = operator.field("direction"), operator.field("image", "m3 s-2")
    direction.set_global(exact)
    run(kernels["apply_nine_point"], operator, direction=direction, image=right_side)
    solution = operator.field("solution")
    ending = EllipticSolver(operator, run, SolverOptions(**options)).solve(right_side, solution)
    ending.require()
    assert np.abs(solution.gather() - exact).max() < 2e-8
    return ending.iterations


tried_before = {
    "smooth": {"diagonal": 595, 8: 251, 16: 179, 32: 134},
    "random": {"diagonal": 481, 8: 211, 16: 152, 32: 116},
}
"""Iterations in the setting of the issue; the smooth solution there is not known exactly."""


@pytest.mark.parametrize("name", ["smooth", "random"])
def test_iterations_on_the_ocean_grid_are_those_tried_before(ocean, name):
    method = {"method": "chronopoulos_gear"}
    diagonal = iterations_on(ocean, name, preconditioner="diagonal", **method)
    assert diagonal == pytest.approx(tried_before[name]["diagonal"], rel=0.03)
    for size in (8, 16, 32):
        blocks = iterations_on(
            ocean,
            name,
            preconditioner="blocks",
            block_rows=size,
            block_columns=size,
            precision="float64",
            **method,
        )
        assert blocks == pytest.approx(tried_before[name][size], rel=0.03)
        assert blocks <= 0.45 * diagonal
    strips = iterations_on(ocean, name, preconditioner="blocks", **method)
    assert strips <= 0.3 * diagonal


@pytest.mark.parametrize("method", ["conjugate_gradient", "pipelined", "chebyshev"])
def test_other_methods_take_about_as_many_iterations(ocean, method):
    wanted = iterations_on(ocean, "smooth", method="chronopoulos_gear", preconditioner="blocks")
    taken = iterations_on(ocean, "smooth", method=method, preconditioner="blocks")
    assert 0.95 * wanted <= taken <= 1.5 * wanted


def test_the_end_says_what_was_reached(rough):
    numbers, right_side = rough.numbers, rough.right_side
    few = SolverOptions(method="chronopoulos_gear", preconditioner="diagonal", iterations=7)
    found, ending = solve(numbers, right_side, few)
    assert (ending.reached, ending.iterations) == ("iteration limit", 7)
    assert 1e-12 < ending.relative_residual < 1.0 and np.isfinite(found).all()
    with pytest.raises(UserError, match="iteration limit after 7 iterations: residual .* m s-2"):
        ending.require()
    for method in methods:
        deep = SolverOptions(method=method, preconditioner="diagonal", tolerance=0.0, stagnation=40)
        assert solve(numbers, right_side, deep)[1].reached in ("stagnation", "breakdown")
        broken = right_side.copy()
        broken[np.nonzero(numbers.mask)[0][5], np.nonzero(numbers.mask)[1][5]] = np.nan
        assert solve(numbers, broken, few)[1].reached == "not finite"


def test_divergence_is_noticed(rough):
    """Bounds that do not hold the spectrum make the Chebyshev iteration grow."""
    operator, run = world_of(rough.numbers)
    options = SolverOptions(method="chebyshev", preconditioner="diagonal", iterations=5000)
    solver = EllipticSolver(operator, run, options)
    solver.iteration.bounds = type(solver.bounds)(solver.bounds.least, solver.bounds.greatest / 3)
    right_side, solution = operator.field("right_side", "m3 s-2"), operator.field("solution")
    right_side.set_global(rough.right_side)
    ending = solver.solve(right_side, solution)
    assert ending.reached == "divergence" and ending.relative_residual > 1e5


def test_an_absolute_tolerance_is_enough(rough):
    options = SolverOptions(preconditioner="diagonal", absolute_tolerance=1e-13)
    ending = solve(rough.numbers, rough.right_side, options)[1]
    assert ending.converged and ending.residual <= 1e-13
    assert ending.relative_residual > 1e-12


def test_zero_right_side_has_the_solution_zero(rough):
    nothing = np.zeros_like(rough.right_side)
    for method in methods:
        found, ending = solve(
            rough.numbers, nothing, SolverOptions(method=method, preconditioner="diagonal")
        )
        assert ending.converged and ending.iterations == 0 and not found.any()


def test_blocks_that_straddle_ranks_want_a_deep_halo_or_a_cut_in_units(rough):
    numbers = rough.numbers
    kind = {"rows": 8, "columns": 8, "dtype": np.dtype(np.float32)}
    shallow = Decomposition(
        numbers.mask, numbers.topology, halo=1, options=DecompositionOptions(blocks_per_rank=3)
    )
    with pytest.raises(UserError, match=r"reach \d cells beyond .*unit=\(8, 8\)"):
        BlockFactors(numbers, shallow, **kind)
    aligned = Decomposition(
        numbers.mask,
        numbers.topology,
        halo=1,
        options=DecompositionOptions(blocks_per_rank=3),
        unit=(8, 8),
    )
    assert BlockFactors(numbers, aligned, **kind).depth == 0
    with pytest.raises(UserError, match="not built in"):
        SolverOptions(block_columns=12)


def test_the_watch_predicts_when_to_look():
    watch = Watch(SolverOptions(tolerance=1e-6, check_interval=1000), 1.0, 1.0)
    assert not watch.ended(0, 1.0)
    assert watch.to_go(0.1) == int(0.9 * np.log(1e6) / 0.1)
    assert watch.to_go(0.1, 8) == 128
    assert not watch.ended(100, 1e-8)
    assert watch.to_go(0.01) == int(0.9 * 50)
    assert watch.ended(151, 1e-13) and watch.reached == "tolerance"


def test_a_copy_in_another_precision_is_of_the_box_alone():
    source = np.random.default_rng(2).standard_normal((6, 9))
    copy = np.full(source.shape, 7.0, np.float32)
    expected = copy.copy()
    expected[1:4, 2:6] = source[1:4, 2:6].astype(np.float32)
    _native.copy_values(box=(1, 4, 2, 6, 0), source=source, copy=copy)
    assert np.array_equal(copy, expected)
