"""Grids of the globe of several kinds, fields on them, and remapping between them."""

import numpy as np

from halocline.grids.horizontal.projection_options import ProjectionOptions
from halocline.grids.horizontal.regular import GridOptions, build_grid
from halocline.grids.remapping.remap import GridRemap, RemapOptions
from halocline.runtime.fields.place import Place


def regular(rows, west=0.0, **options):
    """Longitude and latitude, around the globe."""
    step = 180.0 / rows
    return build_grid(
        GridOptions(
            nx=2 * rows,
            ny=rows,
            x0=west + 0.5 * step,
            y0=-90.0 + 0.5 * step,
            dx=step,
            dy=step,
            closed_edges=False,
            **options,
        )
    )


def between_poles(kind, rows, **options):
    """A displaced pole or three poles."""
    return build_grid(GridOptions(kind=kind, nx=2 * rows, ny=rows, closed_edges=False, **options))


def window(rows):
    """Longitude and latitude, of a part of the globe that every sea grid covers."""
    return build_grid(
        GridOptions(
            nx=rows, ny=rows, x0=3.0, y0=-60.0, dx=300 / rows, dy=110 / rows, closed_edges=False
        )
    )


def on_polar_map(rows):
    """A map with the North Pole in its middle."""
    return build_grid(
        GridOptions(
            kind="polar-stereographic",
            nx=rows,
            ny=rows,
            dx=8e6 / rows,
            dy=8e6 / rows,
            projection=ProjectionOptions(center_latitude=90.0),
            closed_edges=False,
        )
    )


def smooth(longitude, latitude):
    """A field whose largest wave goes twice around the globe."""
    x, y = np.deg2rad(longitude), np.deg2rad(latitude)
    return 2.0 + np.cos(y) ** 2 * np.cos(2.0 * x)


def on(grid, function, place=Place.center):
    """Values of a function of longitude and latitude."""
    some = grid.at(place)
    return function(some.x, some.y)


def rows_of(method, source, target, place=Place.center, **options):
    """Rows for all sea points of a target, and these."""
    remap = GridRemap(source, target, RemapOptions(method=method, **options), ("one", "other"))
    between = remap.between(place, place)
    j, i = np.nonzero(between.target.wet)
    return between.rows(j, i), (j, i)


def remapped(method, source, target, values, place=Place.center, **options):
    """Values at the sea points of a target, and these."""
    rows, points = rows_of(method, source, target, place, **options)
    weights = rows.packed()
    return weights(values.reshape(1, -1)[:, weights.numbers])[0], points


def misfit(method, source, target, function=smooth, place=Place.center, **options):
    """The mean error at the target's points."""
    values = on(source, function, place)
    found, points = remapped(method, source, target, values, place, **options)
    return float(np.abs(found - on(target, function, place)[points]).mean())
