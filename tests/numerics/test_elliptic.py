"""The nine-point operator: against its quadratic form, symmetric, positive definite."""

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.numerics.elliptic import EllipticOperator, kernels, time_step_shift
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.running.runner import Runner
from numerics.basins import basin, numbers_of
from references import elliptic as reference

shift = time_step_shift(9.806, 1.0 / 3.0, 7200.0, 3600.0)


def applied(numbers, values, dtype=np.float64, **cut):
    decomposition = Decomposition(
        numbers.mask, numbers.topology, halo=1, options=DecompositionOptions(**cut)
    )
    operator = EllipticOperator(numbers, decomposition, dtype)
    direction, image = operator.field("direction"), operator.field("image", "m3 s-2")
    direction.set_global(values * numbers.mask)
    Runner(decomposition, check_halos=True)(
        kernels["apply_nine_point"], operator, direction=direction, image=image
    )
    result = image.gather()
    assert result is not None and np.isfinite(result).all()
    return result


def matrix_of(parts):
    depth, x_face_width, y_face_width, area, periodic_i = parts
    return reference.operator(depth, x_face_width, y_face_width, area, shift, periodic_i)


@pytest.mark.parametrize("periodic_i", [True, False])
def test_operator_is_that_of_the_quadratic_form(periodic_i):
    parts = basin(1, periodic_i=periodic_i)
    numbers, matrix = numbers_of(parts, shift), matrix_of(parts)
    values = np.random.default_rng(2).standard_normal(numbers.mask.shape)
    expected = matrix @ values[numbers.mask]
    result = applied(numbers, values)
    scale = np.abs(expected).max()
    assert np.abs(result[numbers.mask] - expected).max() < 1e-13 * scale
    assert not result[~numbers.mask].any()
    single = applied(numbers, values, np.float32)[numbers.mask]
    assert np.abs(single - expected).max() < 2e-6 * scale


def test_symmetric_and_positive_definite():
    parts = basin(3, shape=(14, 20))
    numbers = numbers_of(parts, shift)
    sea = np.argwhere(numbers.mask)
    matrix = np.zeros((len(sea), len(sea)))
    for column, (j, i) in enumerate(sea):
        values = np.zeros(numbers.mask.shape)
        values[j, i] = 1.0
        matrix[:, column] = applied(numbers, values)[numbers.mask]
    assert np.array_equal(matrix, matrix.T)
    eigenvalues = np.linalg.eigvalsh(matrix)
    assert eigenvalues[0] >= shift * numbers.area[numbers.mask].min() * (1 - 1e-6) > 0.0


def test_a_constant_feels_the_time_step_only():
    numbers = numbers_of(basin(4), shift)
    result = applied(numbers, np.ones(numbers.mask.shape))
    assert np.allclose(result[numbers.mask], shift * numbers.area[numbers.mask], rtol=1e-10)


def test_a_plane_wave_has_the_eigenvalue_of_the_continuous_operator():
    """On a uniform grid, second order: the error falls by four when the grid is refined."""
    errors = []
    for cells in (16, 32):
        width = 1.6e6 / cells
        shape = (cells, cells)
        parts = (
            np.full(shape, 4000.0),
            np.full((cells, cells + 1), width),
            np.full((cells + 1, cells), width),
            np.full(shape, width * width),
            True,
        )
        numbers = numbers_of(parts, shift)
        k = 2.0 * np.pi / 1.6e6
        x, y = (np.arange(cells) + 0.5) * width, (np.arange(cells) + 0.5) * width
        wave = np.sin(k * x)[None, :] * np.cos(0.5 * k * y)[:, None]
        exact = (4000.0 * 1.25 * k * k + shift) * width * width * wave
        inner = applied(numbers, wave)[1:-1]
        errors.append(np.abs(inner - exact[1:-1]).max() / np.abs(exact).max())
    assert errors[1] < 0.01
    assert 3.5 < errors[0] / errors[1] < 4.5


@pytest.mark.parametrize(
    "cut", [{"blocks_per_rank": 3}, {"blocks_per_rank": 6}, {"kind": "curve"}], ids=str
)
def test_any_cut_gives_the_same_bits(cut):
    numbers = numbers_of(basin(5), shift)
    values = np.random.default_rng(6).standard_normal(numbers.mask.shape)
    for dtype in (np.float32, np.float64):
        assert np.array_equal(
            applied(numbers, values, dtype), applied(numbers, values, dtype, **cut)
        )


def test_cards_are_refused():
    numbers = numbers_of(basin(0), shift)
    decomposition = Decomposition(
        numbers.mask,
        numbers.topology,
        halo=1,
        options=DecompositionOptions(kind="cards"),
        components=4,
    )
    with pytest.raises(UserError, match="Cards have no neighbours"):
        EllipticOperator(numbers, decomposition)


def test_a_row_of_corners_on_the_pole_is_a_wall():
    """Faces there have no length; the last corners have no depth, whatever lies between them."""
    parts = basin(1)
    there = (parts[0], parts[1], parts[2].copy(), *parts[3:])
    there[2][-1] = 0.0
    expected, found = numbers_of(parts, shift), numbers_of(there, shift)
    for name in ("diagonal", "west", "south", "corner"):
        assert np.array_equal(getattr(found, name), getattr(expected, name))
