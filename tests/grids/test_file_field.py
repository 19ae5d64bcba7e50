"""Values of files at places and levels of a grid, against SciPy and exact functions."""

import netCDF4
import numpy as np
import pytest
from scipy.interpolate import RegularGridInterpolator

from halocline.core.clock import date
from halocline.core.errors import UserError
from halocline.grids.files.curvilinear_maps import CurvilinearFiles, open_maps
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.metrics import Curvilinear
from halocline.grids.horizontal.regular import GridOptions, regular_grid
from halocline.grids.sphere import longitude_latitude, vectors
from halocline.grids.vertical.file_field import FileField, WantedPoints, along_grid
from halocline.runtime.fields.place import Place

depths = np.array([5.0, 20.0, 60.0, 200.0])


def exact(longitude, latitude, depth):
    """Smooth over the sphere, linear over depth."""
    x, y, z = vectors(longitude, latitude)
    return (2.0 + x + 0.5 * y * z) * (300.0 - depth) + z


def write(path, names, planes, values, times=None, missing=None):
    """A file with coordinates of one or two dimensions, values on `depths`."""
    flat = planes[0].ndim == 2
    with netCDF4.Dataset(path, "w") as file:
        sizes = values.shape[-2:]
        for name, size in zip(("row", "column") if flat else names[::-1], sizes, strict=True):
            file.createDimension(name, size)
        dims = ("row", "column") if flat else names[::-1]
        for name, plane, standard, own in zip(
            names, planes, ("longitude", "latitude"), dims[::-1], strict=True
        ):
            variable = file.createVariable(name, "f8", dims if flat else (own,))
            variable.standard_name = standard
            variable[:] = plane
        file.createDimension("z", depths.size)
        level = file.createVariable("z", "f8", ("z",))
        level.units, level.positive, level[:] = "m", "down", depths
        outer = ("z",) if times is None else ("time", "z")
        if times is not None:
            file.createDimension("time", len(times))
            time = file.createVariable("time", "f8", ("time",))
            time.units, time[:] = "days since 2000-01-01", times
        data = file.createVariable("phosphate", "f8", (*outer, *dims), fill_value=-1e30)
        data[:] = values if missing is None else np.where(missing, -1e30, values)
    return path


def regular_file(path, **more):
    x, y = np.arange(0.0, 360.0, 5.0), np.arange(-87.5, 90.0, 5.0)
    values = exact(x[None, None, :], y[None, :, None], depths[:, None, None])
    return write(path, ("lon", "lat"), (x, y), values, **more), x, y, values


@pytest.mark.parametrize("place", [Place.center, Place.x_face, Place.y_face, Place.corner])
def test_levels_from_a_regular_file_at_any_place(tmp_path, place):
    """As SciPy's linear interpolation in three dimensions, above and below as at the ends."""
    path, x, y, values = regular_file(tmp_path / "a.nc")
    grid = regular_grid(GridOptions(nx=7, ny=5, x0=-31.0, y0=12.3, dx=1.7, dy=2.1))
    at, ours = grid.at(place), np.array([1.0, 5.0, 33.0, 130.0, 900.0])
    files = open_maps([path])
    found = FileField(files, "phosphate", WantedPoints(at.x.ravel(), at.y.ravel(), ours)).read()
    files.close()
    axes = depths, y, np.append(x, 360.0)
    there = RegularGridInterpolator(axes, np.concatenate([values, values[..., :1]], axis=-1))
    level = np.clip(ours, 5.0, 200.0)[:, None]
    wanted = there((level, at.y.ravel()[None], at.x.ravel()[None] % 360.0))
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def turned(step: float) -> Grid:
    """A band around the globe whose pole lies at 40 N, as a curvilinear grid."""
    angle = np.deg2rad(50.0)
    x, y = np.meshgrid(np.arange(0.0, 360.0 + step / 2, step), np.arange(-60.0, 61.0, step))
    points = vectors(x, y)
    points = np.stack(
        [
            np.cos(angle) * points[0] + np.sin(angle) * points[2],
            points[1],
            np.cos(angle) * points[2] - np.sin(angle) * points[0],
        ]
    )
    corner_x, corner_y = longitude_latitude(points)
    curvilinear = Curvilinear(corner_x=corner_x, corner_y=corner_y, periodic_x=True)
    return Grid.of(curvilinear, np.ones(curvilinear.shape))


def test_curvilinear_files_converge_with_second_order(tmp_path):
    """Also across the seam of the file's columns, onto places of another curvilinear grid."""
    own = turned(7.0).on_both_sides(Place.corner)
    inside = np.s_[2:-2]
    points = own.x[inside].ravel(), own.y[inside].ravel()
    ours, errors = np.array([10.0, 90.0]), []
    for step in (4.0, 2.0):
        centers = turned(step).at(Place.center)
        values = exact(centers.x, centers.y, depths[:, None, None])
        path = write(tmp_path / f"{step}.nc", ("tlon", "tlat"), (centers.x, centers.y), values)
        files = open_maps([path])
        assert isinstance(files, CurvilinearFiles) and files.longitude.period
        found = FileField(files, "phosphate", WantedPoints(*points, ours)).read()
        files.close()
        errors.append(np.abs(found / exact(*points, ours[:, None]) - 1.0).max())
    assert errors[1] < 1e-3 and np.log2(errors[0] / errors[1]) > 1.8, errors


def test_gaps_take_the_nearest_value_and_empty_levels_the_one_above(tmp_path):
    x, y = np.arange(0.0, 360.0, 5.0), np.arange(-87.5, 90.0, 5.0)
    missing = np.zeros((depths.size, y.size, x.size), bool)
    missing[:, 20, 10:12] = True  # 12.5 N, 50 and 55 E
    missing[3] = True
    path, *_, values = regular_file(tmp_path / "a.nc", missing=missing)
    files = open_maps([path])
    points = np.array([50.0, 57.0]), np.array([12.5, 12.5])
    found = FileField(files, "phosphate", WantedPoints(*points, depths)).read()
    files.close()
    assert found[0, 0] == values[0, 20, 9]  # at 12.5 N the neighbour in longitude is nearest
    np.testing.assert_allclose(found[:3, 1], values[:3, 20, 12])
    np.testing.assert_array_equal(found[3], found[2])


@pytest.mark.parametrize(("curvilinear", "empty"), [(False, False), (True, False), (True, True)])
def test_ranks_read_parts_and_have_the_bits_of_one(tmp_path, curvilinear, empty):
    """Land in the file, some of it far from any value, more of it further down.

    An empty level is known as such from the whole of it only.
    """
    random = np.random.default_rng(5)
    if curvilinear:
        centers = turned(2.0).at(Place.center)
        x, y, names = centers.x, centers.y, ("tlon", "tlat")
        planes = x, y
    else:
        line_x, line_y = np.arange(0.0, 360.0, 2.0), np.arange(-58.0, 59.0, 2.0)
        (x, y), names, planes = np.meshgrid(line_x, line_y), ("lon", "lat"), (line_x, line_y)
    missing = random.random((depths.size, *x.shape)) < 0.1 * np.arange(4)[:, None, None]
    missing[:, 18:28, 20:44] = True
    missing[2] |= random.random(x.shape) < 0.5
    missing[3] |= empty
    values = random.standard_normal(missing.shape)
    path = write(tmp_path / "a.nc", names, planes, values, missing=missing)
    own = turned(3.0).at(Place.x_face) if curvilinear else None
    a, b = (
        (own.x[2:-2].ravel(), own.y[2:-2].ravel())
        if own is not None
        else (some.ravel() for some in np.meshgrid(np.arange(0.4, 360.0, 3.0), line_y[1:-1] + 0.3))
    )
    ours = np.array([5.0, 40.0, 70.0, 300.0])
    wet = np.arange(4)[:, None] < random.integers(1, 5, a.size)

    def read(some):
        files = open_maps([path])
        found = FileField(
            files, "phosphate", WantedPoints(a[some], b[some], ours, wet[:, some])
        ).read()
        files.close()
        return found, files.values_read

    whole, everything = read(np.arange(a.size))
    assert np.isfinite(whole).all()
    rows = b.size // 16
    counts = []
    for first in range(0, b.size, rows):
        some = np.arange(first, min(first + rows, b.size))
        part, count = read(some)
        np.testing.assert_array_equal(part, whole[:, some])
        counts.append(count)
    once = x.size if empty else 0
    assert np.median(counts) - once < everything / (4 if curvilinear else 5), counts
    assert max(counts) - once < everything / 2, counts


def test_records_are_named_by_date(tmp_path):
    x, y = np.arange(0.0, 360.0, 5.0), np.arange(-87.5, 90.0, 5.0)
    values = exact(x[None, None, :], y[None, :, None], depths[:, None, None])
    both = np.stack([values, 2.0 * values])
    path = write(tmp_path / "a.nc", ("lon", "lat"), (x, y), both, times=[0.0, 1.0])
    files = open_maps([path])
    field = FileField(files, "phosphate", WantedPoints(x[:2], y[:2], depths))
    np.testing.assert_allclose(field.read(date("2000-01-02")), 2 * field.read(date("2000-01-01")))
    for wrong in (None, date("2000-01-03")):
        with pytest.raises(UserError, match="2 records"):
            field.read(wrong)
    with pytest.raises(UserError, match="no variable 'nitrate'"):
        FileField(files, "nitrate", WantedPoints(x[:2], y[:2]))
    with pytest.raises(UserError, match="4 levels, but one map"):
        FileField(files, "phosphate", WantedPoints(x[:2], y[:2]))
    files.close()


def test_points_outside_of_a_curvilinear_file_are_refused(tmp_path):
    centers = turned(4.0).at(Place.center)
    values = exact(centers.x, centers.y, depths[:, None, None])
    path = write(tmp_path / "a.nc", ("tlon", "tlat"), (centers.x, centers.y), values)
    files = open_maps([path])
    with pytest.raises(UserError, match="does not cover 1 of 2 points"):
        FileField(files, "phosphate", WantedPoints(np.zeros(2), np.array([0.0, 40.0]), depths))
    files.close()


def test_vectors_along_the_grid_keep_their_length_and_turn():
    """An eastward wind on a grid turned by 30 degrees blows to the right of its x axis."""
    x, y = along_grid(np.array([10.0]), np.array([0.0]), np.deg2rad([30.0]))
    np.testing.assert_allclose([x[0], y[0]], [10 * np.sqrt(0.75), -5.0])


def test_places_of_curvilinear_files_are_held_by_parts(tmp_path):
    """A rank with a tenth of the points holds few rows, which are those of the whole planes."""
    centers = turned(0.5).at(Place.center)
    values = exact(centers.x, centers.y, depths[:, None, None])
    path = write(tmp_path / "a.nc", ("tlon", "tlat"), (centers.x, centers.y), values)
    rows, columns = centers.x.shape
    at = np.random.default_rng(3).integers((100, 0), (rows - 100, columns), (200, 2)).T
    x, y = (plane[at[0], at[1]] + 0.05 for plane in (centers.x, centers.y))
    files = open_maps([path])
    found = FileField(files, "phosphate", WantedPoints(x, y, depths)).read()
    np.testing.assert_allclose(found, exact(x, y, depths[:, None]), rtol=1e-4)
    held = files.points.rows_held
    assert 0 < held < 0.4 * rows
    whole = vectors(centers.x, centers.y)
    assert np.array_equal(files.points[:, at[0], at[1]], whole[:, at[0], at[1]])
    assert files.points.rows_held == held
    j, i = np.mgrid[:rows, :columns]
    assert np.array_equal(files.points[:, j, i], whole) and files.points.rows_held == rows
    files.close()
