"""Vectors between grids: a turning sphere's wind, at exact poles, over folds, from faces."""

import numpy as np
import pytest

from grids.globes import between_poles, regular
from halocline.core.errors import UserError
from halocline.grids.horizontal.regular import GridOptions, build_grid
from halocline.grids.remapping.remap import GridRemap, RemapOptions
from halocline.grids.remapping.surface import Surface
from halocline.grids.remapping.vectors import vector_weights
from halocline.runtime.fields.place import Place

axis = np.array([0.3, -0.5, 0.8])
faces = (Place.x_face, Place.y_face)


def with_rows_at_poles():
    return build_grid(
        GridOptions(nx=36, ny=19, x0=0.0, y0=-90.0, dx=10.0, dy=10.0, closed_edges=False)
    )


def true_components(grid, place):
    """Of the wind of a sphere that turns about a slanted axis, along the axes of the grid.

    From angles that the grid has at the place, by hand.
    """
    some = grid.at(place)
    x, y, turn = np.deg2rad(some.x), np.deg2rad(some.y), some.angle
    east = -np.cos(x) * np.sin(y) * axis[0] - np.sin(x) * np.sin(y) * axis[1] + np.cos(y) * axis[2]
    north = np.sin(x) * axis[0] - np.cos(x) * axis[1]
    return [
        np.cos(turn) * east + np.sin(turn) * north,
        np.cos(turn) * north - np.sin(turn) * east,
    ]


def errors(method, source, target, places, south=-70.0, **options):
    """Largest errors of both components, and points of the target."""
    remap = GridRemap(source, target, RemapOptions(method=method, **options), ("one", "other"))
    surface = Surface.of(target, Place.center, "a grid")
    j, i = np.nonzero(surface.wet & (surface.latitude > south))
    given, found = [], []
    for n, place in enumerate(places):
        # A model has no flow through a pole, and nothing to give there.
        at_pole = np.abs(source.at(place).y) == 90.0
        given.append(np.where(at_pole, np.nan, true_components(source, place)[n]).reshape(1, -1))
    for n, name in enumerate("xy"):
        weights = vector_weights(remap, places, Place.center, name, (j, i))
        values = sum(
            some(one[:, some.numbers])[0] for some, one in zip(weights, given, strict=True)
        )
        found.append(np.abs(values - true_components(target, Place.center)[n][j, i]))
    return np.stack(found), (j, i)


@pytest.mark.parametrize("places", [(Place.center, Place.center), faces])
def test_at_exact_poles_every_longitude_has_its_own_components(places):
    target = with_rows_at_poles()
    off, (j, _) = errors("bilinear", regular(40), target, places, south=-91.0)
    assert off[:, (j == 0) | (j == 18)].max() < 2e-3
    assert off.max() < 4e-3


@pytest.mark.parametrize("places", [(Place.center, Place.center), faces])
def test_second_order_from_and_over_a_fold(places):
    def north(rows):
        off, (j, i) = errors(
            "bilinear", between_poles("tripole", rows), with_rows_at_poles(), places
        )
        x = with_rows_at_poles().at(Place.center).x[j, i]
        away_from_poles_of_the_grid = np.abs((x - 80.0 + 90.0) % 180.0 - 90.0) > 25.0
        return off[:, away_from_poles_of_the_grid].max()

    assert 1.7 < np.log2(north(40) / north(80)) < 2.6


def test_along_the_axes_of_a_tripole():
    off, _ = errors("patch", regular(40), between_poles("tripole", 30), (Place.center,) * 2)
    assert off.max() < 1e-4


def test_other_places_are_refused():
    with pytest.raises(UserError, match="at y_face and x_face places"):
        errors("bilinear", regular(10), regular(8), faces[::-1])
