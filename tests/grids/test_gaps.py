"""Places of files over open sea, and from where gaps are filled, against loops over all places."""

import numpy as np
import pytest
import xarray

from halocline.core.constants import earth_radius
from halocline.grids.files.curvilinear_maps import open_maps
from halocline.grids.horizontal.gaps import nearest_places, open_sea
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.metrics import Curvilinear
from halocline.grids.sphere import nearest_points, vectors
from halocline.runtime.fields.place import Place


def open_file(path, x, y):
    """A file with places of lines or planes of coordinates."""
    lines = x.ndim == 1
    dims = ("lat", "lon") if lines else ("row", "column")
    shape = (y.size, x.size) if lines else x.shape
    coordinates = {
        name: (dims[at : at + 1] if lines else dims, values, {"standard_name": standard})
        for name, at, values, standard in (("lat", 0, y, "latitude"), ("lon", 1, x, "longitude"))
    }
    xarray.Dataset({"depth": (dims, np.ones(shape))}, coordinates).to_netcdf(path)
    return open_maps([path])


def slanted(periodic):
    """Cells of 12 to 2 degrees, whose columns lean, with a few islands."""
    random = np.random.default_rng(2)
    rows = 75.0 - 150.0 * np.linspace(1.0, 0.0, 20) ** 1.5
    x, y = np.meshgrid(np.arange(0.0, 361.0 if periodic else 200.0, 10.0), rows)
    corners = Curvilinear(corner_x=x + 0.2 * y, corner_y=y + 1e-3, periodic_x=periodic)
    return Grid.of(corners, (random.random(corners.shape) > 0.02).astype(float))


def spacing(places, j, i):
    """Greatest angle to a neighbour in the file [rad]."""
    _, nj, ni = places.shape
    beside = [(j - 1, i), (j + 1, i), (j, i - 1), (j, i + 1)]
    inside = [places[:, a, b] for a, b in beside if 0 <= a < nj and 0 <= b < ni]
    return max(np.arccos(places[:, j, i] @ other) for other in inside)


@pytest.mark.parametrize("periodic", [True, False])
def test_open_sea_of_a_curvilinear_grid(tmp_path, periodic):
    """No land in the rows and columns that a spacing covers, and a cell in its reach."""
    grid = slanted(periodic)
    x, y = np.meshgrid(np.arange(3.0, 360.0, 7.0), np.arange(-80.0, 81.0, 8.0))
    y += 0.02 * x
    files = open_file(tmp_path / "a.nc", x, y)
    found = open_sea(grid, files)
    files.close()
    center = grid.at(Place.center)
    model, places = vectors(center.x, center.y), vectors(x, y)
    nj, ni = grid.shape
    wanted = np.zeros(x.shape, bool)
    for place in np.ndindex(x.shape):
        at = places[:, *place]
        cosine = np.tensordot(at, model, 1)
        j, i = np.unravel_index(cosine.argmax(), cosine.shape)
        dx, dy = center.dx[j, i], center.dy[j, i]
        reach = max(spacing(places, *place) * earth_radius, dx, dy) * (1 + 1e-6)
        rows, columns = int(np.ceil(reach / dy)), int(np.ceil(reach / dx))
        land = False
        for row in range(max(j - rows, 0), min(j + rows + 1, nj)):
            for column in range(i - columns, i + columns + 1):
                if periodic or 0 <= column < ni:
                    land |= not grid.mask[row, column % ni]
        wanted[place] = not land and np.arccos(min(cosine.max(), 1.0)) * earth_radius <= reach
    assert 0.1 < wanted.mean() < 0.9
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize("periodic", [True, False])
@pytest.mark.parametrize("spacing", [2.0, 7.5])
def test_open_sea_of_a_regular_grid(tmp_path, periodic, spacing):
    """Nothing but sea as near, in longitude and in latitude, as the wider of the two spacings."""
    random = np.random.default_rng(3)
    x = np.arange(-20.3, 339.0 if periodic else 100.0, 5.0)
    y = np.arange(-50.1, 51.0, 4.0)
    mask = random.random((y.size, x.size)) > 0.03
    grid = Grid(x=x, y=y, depth=1.0 * mask, mask=mask, periodic_x=periodic)
    there_x, there_y = np.arange(0.0, 360.0, spacing), np.arange(-72.0, 73.0, spacing)
    files = open_file(tmp_path / "a.nc", there_x, there_y)
    found = open_sea(grid, files)
    files.close()
    east = np.abs((there_x[:, None] - x + 180.0) % 360.0 - 180.0) <= max(spacing, 5.0)
    north = np.abs(there_y[:, None] - y) <= max(spacing, 4.0)
    wanted = np.zeros(found.shape, bool)
    for j, i in np.ndindex(wanted.shape):
        around = mask[np.ix_(north[j], east[i])]
        wanted[j, i] = around.size > 0 and around.all()
    assert 0.1 < wanted.mean() < 0.9
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize("periodic", [True, False])
def test_gaps_are_filled_from_the_nearest_place(periodic):
    random = np.random.default_rng(4)
    x, y = np.meshgrid(np.arange(0.0, 360.0, 9.0), np.arange(-81.0, 82.0, 9.0))
    x, y = x + random.random(x.shape), y + random.random(x.shape)
    places = vectors(x, y)
    valid, wanted = random.random(x.shape) < 0.4, random.random(x.shape) < 0.5
    valid[5:14, 8:25] = False
    target, source = nearest_places(
        valid, wanted, lambda at: places[:, at[:, 0], at[:, 1]], periodic
    )
    assert np.array_equal(np.argwhere(wanted & ~valid), np.stack(target, axis=1))
    assert len(target[0]) > 128 and valid[source].all()
    cosine = np.tensordot(places[:, *target], places[:, valid], (0, 0))
    nearness = (places[:, *target] * places[:, *source]).sum(axis=0)
    np.testing.assert_allclose(nearness, cosine.max(axis=1), rtol=0.0, atol=1e-15)


def test_nearest_points_are_those_of_all_pairs():
    """The first of equal ones, whether others are beside a point or half the globe away."""
    random = np.random.default_rng(7)
    points, others = (random.standard_normal((3, count)) for count in (3000, 400))
    others[2] = np.abs(others[2]) + 0.5
    points, others = (some / np.sqrt((some**2).sum(axis=0)) for some in (points, others))
    others[:, 300:] = others[:, :100]
    points[:, :50] = others[:, 100:150]
    closeness = sum(points[axis, :, None] * others[axis] for axis in range(3))
    assert np.array_equal(nearest_points(points, others), closeness.argmax(axis=1))
