"""Weights between grids: orders of convergence, exact cases, masks, coasts, any share of points."""

import numpy as np
import pytest

from grids.globes import (
    between_poles,
    misfit,
    on,
    regular,
    remapped,
    rows_of,
    smooth,
    window,
)
from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.regular import GridOptions, build_grid
from halocline.grids.remapping.remap import methods, remapping
from halocline.runtime.fields.place import Place

orders = {
    "nearest": (0.8, 1.2),
    "bilinear": (1.9, 2.3),
    "patch": (2.9, 4.2),
    "conservative": (0.8, 1.8),
    "conservative-2": (1.9, 2.3),
}


@pytest.mark.parametrize("method", methods)
def test_order_from_one_globe_to_another(method):
    coarse, fine = (misfit(method, regular(n, west=1.3), regular(5 * n // 4)) for n in (32, 64))
    low, high = orders[method]
    assert low < np.log2(coarse / fine) < high


@pytest.mark.parametrize("kind", ["tripole", "displaced-pole"])
@pytest.mark.parametrize("method", methods)
def test_order_from_grids_with_poles_on_land(kind, method):
    coarse, fine = (misfit(method, between_poles(kind, n), window(5 * n // 4)) for n in (32, 64))
    low, high = orders[method]
    assert low - 0.1 < np.log2(coarse / fine) < high


@pytest.mark.parametrize("method", methods)
def test_a_grid_gives_itself_its_values(method):
    grid = between_poles("tripole", 20)
    values = on(grid, smooth)
    found, points = remapped(method, grid, grid, values)
    close = 0.1 if method == "patch" else 1e-12
    assert np.abs(found - values[points]).max() < close


@pytest.mark.parametrize("method", methods)
def test_any_share_of_the_points_has_the_same_bits(method):
    source, target = regular(18, west=2.0), between_poles("tripole", 20)
    remap = remapping(method, source, target)
    j, i = np.nonzero(target.mask)
    whole = remap(Place.center, Place.center, j, i)
    values = on(source, smooth).reshape(1, -1)
    wanted = whole(values[:, whole.numbers])[0]
    for some in (slice(0, None, 3), slice(1, None, 3), slice(2, None, 3)):
        part = remap(Place.center, Place.center, j[some], i[some])
        found = part(values[:, part.numbers])[0]
        assert found.tobytes() == np.ascontiguousarray(wanted[some]).tobytes()


@pytest.mark.parametrize("method", ["conservative", "conservative-2"])
@pytest.mark.parametrize("kind", ["tripole", "displaced-pole"])
def test_what_is_covered_is_conserved(method, kind):
    source, target = between_poles(kind, 40), regular(30)
    rows, points = rows_of(method, source, target, normalisation="destarea", extrapolation="none")
    values = np.random.default_rng(5).normal(size=source.mask.size)
    weights = rows.packed()
    found = weights(values[None, weights.numbers])[0]
    areas = areas_of(target)[points]
    given = (areas_of(source)[source.mask] * values[source.mask.ravel()]).sum()
    scale = (areas_of(source)[source.mask] * np.abs(values[source.mask.ravel()])).sum()
    assert abs((areas * found).sum() - given) < 1e-13 * scale


def areas_of(grid):
    """Areas of cells between great circles, from the corners, by the sum of angles (Girard)."""
    corner = grid.on_both_sides(Place.corner)
    x, y = np.deg2rad(corner.x), np.deg2rad(corner.y)
    points = np.stack([np.cos(y) * np.cos(x), np.cos(y) * np.sin(x), np.sin(y)], axis=-1)
    south_west, south_east = points[:-1, :-1], points[:-1, 1:]
    north_east, north_west = points[1:, 1:], points[1:, :-1]
    return _triangle(south_west, south_east, north_east) + _triangle(
        south_west, north_east, north_west
    )


def _triangle(a, b, c):
    """By L'Huilier's theorem, from the sides; longdouble against its loss of digits."""
    a, b, c = (some.astype(np.longdouble) for some in (a, b, c))

    def side(one, other):
        return 2 * np.arcsin(np.minimum(np.sqrt(((one - other) ** 2).sum(axis=-1)) / 2, 1))

    one, two, three = side(b, c), side(c, a), side(a, b)
    half = (one + two + three) / 2
    product = np.tan(half / 2)
    for length in (one, two, three):
        product = product * np.tan(np.maximum(half - length, 0) / 2)
    return 4 * np.arctan(np.sqrt(np.maximum(product, 0)))


@pytest.mark.parametrize("method", methods)
def test_values_on_land_are_not_taken(method):
    source = regular(24, land=[[100.0, 160.0, -30.0, 20.0]])
    target = regular(20, west=3.0)
    values = np.where(source.mask, 1.0, np.nan)
    for extrapolation in ("nearest", "creep"):
        found, _ = remapped(method, source, target, values, extrapolation=extrapolation)
        assert np.abs(found - 1.0).max() < 1e-13
    rows, (j, i) = rows_of(method, source, target, extrapolation="none")
    x, y = target.at(Place.center).x[j, i], target.at(Place.center).y[j, i]
    deep_inland = (np.abs(x - 130.0) < 15.0) & (np.abs(y + 5.0) < 10.0)
    if method != "nearest":
        assert (rows.counts[deep_inland] == 0).all() and deep_inland.any()
    far_at_sea = np.abs(x - 300.0) < 90.0
    assert (rows.counts[far_at_sea] > 0).all()


def test_creep_goes_on_beyond_the_coast():
    """A value that falls towards the coast: creeping takes means along it, not single points."""
    source = regular(36, land=[[100.0, 160.0, -30.0, 30.0]])
    target = regular(36)
    values = np.where(source.mask, on(source, lambda x, y: y), np.nan)
    found, points = remapped(
        "bilinear", source, target, values, extrapolation="creep", creep_rings=3
    )
    plane = np.full(target.shape, np.nan)
    plane[points] = found
    y = target.at(Place.center).y
    just_inland = (slice(15, 21), 20)
    assert np.abs(plane[just_inland] - y[just_inland]).max() < 1e-10


def test_what_lies_outside_is_refused_or_nearest():
    source, target = window(20), regular(10)
    j, i = np.nonzero(target.mask)
    with pytest.raises(UserError, match="does not cover"):
        remapping("bilinear", source, target, extrapolation="none")(
            Place.center, Place.center, j, i
        )
    weights = remapping("bilinear", source, target)(Place.center, Place.center, j, i)
    assert np.abs(weights.row_sums() - 1.0).max() < 1e-13


def test_cartesian_grids_are_refused():
    x = np.arange(4.0)
    plane = Grid(x=x, y=x, depth=np.ones((4, 4)), mask=np.ones((4, 4), bool), spherical=False)
    with pytest.raises(UserError, match="Cartesian"):
        remapping("bilinear", plane, regular(6))(
            Place.center, Place.center, np.array([0]), np.array([0])
        )


def test_of_equally_near_points_the_first_counts():
    source = build_grid(
        GridOptions(nx=8, ny=2, x0=-7.0, y0=-1.0, dx=2.0, dy=2.0, closed_edges=False)
    )
    target = build_grid(
        GridOptions(nx=2, ny=2, x0=0.0, y0=-1.0, dx=1.0, dy=1.0, closed_edges=False)
    )
    rows, _ = rows_of("nearest", source, target)
    assert rows.numbers.tolist() == [3, 4, 3, 4]


def test_patches_beside_a_coast_are_no_worse_than_bilinear():
    """Of two columns no quadratic polynomial follows; who mixed it with values had first order."""
    source, target = regular(36, land=[[100.0, 160.0, -30.0, 20.0]]), regular(100)
    off = {}
    for method in ("bilinear", "patch"):
        values = np.where(source.mask, on(source, smooth), np.nan)
        rows, (j, i) = rows_of(method, source, target, extrapolation="none")
        found, _ = remapped(method, source, target, values, extrapolation="none")
        x, y = target.at(Place.center).x[j, i], target.at(Place.center).y[j, i]
        off[method] = np.where(rows.counts > 0, np.abs(found - smooth(x, y)), 0.0)
    beside = (x > 92.6) & (x < 97.4) & (np.abs(y) < 15.0)
    assert 0.0 < off["patch"][beside].max() < off["bilinear"][beside].max()
    assert off["patch"][beside].mean() < 0.7 * off["bilinear"][beside].mean()
