"""Areas that cells of two grids have in common, beside S2's (spherely); nearest beside SciPy's."""

import numpy as np
import pytest
import spherely
from scipy.spatial import cKDTree

from grids.globes import between_poles, on_polar_map, regular
from halocline.grids.remapping.remap import RemapOptions, SurfaceRemap
from halocline.grids.remapping.surface import Surface
from halocline.runtime.fields.place import Place

pairs = {
    "regular to tripole": (
        lambda: regular(18, west=2.0, land=[[100.0, 160.0, -30.0, 20.0]]),
        lambda: between_poles("tripole", 20),
    ),
    "displaced pole to regular": (lambda: between_poles("displaced-pole", 18), lambda: regular(12)),
    "polar map to regular": (lambda: on_polar_map(12), lambda: regular(18)),
    "regular to polar map": (lambda: regular(18), lambda: on_polar_map(12)),
}


def remap_of(pair):
    surfaces = (Surface.of(make(), Place.center, "a grid") for make in pairs[pair])
    return SurfaceRemap(*surfaces, RemapOptions(method="conservative"))


def polygons(surface):
    """Cells as S2's polygons."""
    points, cells = surface.cells
    found = []
    for corners in points[cells]:
        apart = [np.abs(corners[at] - corners[at - 1]).max() > 1e-12 for at in range(4)]
        x, y, z = corners[apart].T
        places = np.rad2deg([np.arctan2(y, x), np.arctan2(z, np.hypot(x, y))]).T
        found.append(spherely.create_polygon(places.tolist(), oriented=False))
    return np.array(found)


@pytest.mark.parametrize("pair", pairs)
def test_areas_are_those_of_s2(pair):
    remap = remap_of(pair)
    source, target = remap.source, remap.target
    j, i = np.nonzero(target.wet)
    rows = remap.overlap(j, i)
    ours, theirs = polygons(source), polygons(target)[j * target.shape[1] + i]
    overlaps = spherely.intersection(ours[rows.numbers], theirs[rows.targets])
    areas = spherely.area(overlaps, radius=1.0)
    assert rows.numbers.size > 600
    assert np.abs(areas - rows.weights).max() < 1e-14
    assert np.abs(spherely.area(theirs, radius=1.0) - remap.cell_areas(j, i)).max() < 1e-14


def test_no_overlap_is_missed():
    """Of pairs that are not ours S2 finds none in common, or only an edge."""
    remap = remap_of("regular to polar map")
    source, target = remap.source, remap.target
    j, i = np.nonzero(target.wet)
    rows = remap.overlap(j, i)
    near = np.flatnonzero((source.latitude > 30.0).ravel() & source.wet.ravel())
    ours, theirs = polygons(source)[near], polygons(target)[j * target.shape[1] + i]
    known = np.zeros((j.size, source.size), bool)
    known[rows.targets, rows.numbers] = True
    a, b = np.nonzero(~known[:, near])
    some = np.random.default_rng(4).permutation(a.size)[:6000]
    areas = spherely.area(spherely.intersection(theirs[a[some]], ours[b[some]]), radius=1.0)
    assert areas.max() < 1e-14


@pytest.mark.parametrize("pair", pairs)
def test_nearest_are_those_of_scipy(pair):
    surfaces = [Surface.of(make(), Place.center, "a grid") for make in pairs[pair]]
    remap = SurfaceRemap(*surfaces, RemapOptions(method="nearest"))
    source, target = surfaces
    j, i = np.nonzero(target.wet)
    numbers = np.flatnonzero(source.wet.ravel())
    distance, _ = cKDTree(source.points[numbers]).query(target.at(j, i))
    found = source.points[remap.rows(j, i).numbers]
    ours = np.sqrt(((found - target.at(j, i)) ** 2).sum(axis=1))
    assert np.abs(ours - distance).max() < 1e-14
