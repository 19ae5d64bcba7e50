"""Tripolar grids: their fold found in the corners of files, and what contradicts it refused."""

import netCDF4
import numpy as np
import pytest

from halocline.core.constants import earth_radius
from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.metrics import Curvilinear
from halocline.grids.horizontal.regular import GridOptions, build_grid
from halocline.grids.sphere import angles_between, vectors
from halocline.runtime.fields.place import Place

nj, ni = 12, 32


def cap(kind, columns=ni):
    """Corners around the north pole whose last row ends in a seam between two poles [degree].

    Ellipses and hyperbolas about the same two points of the stereographic plane: conformal. The
    seam runs along the northern faces of the last row, or half a row and a column before.
    """
    beyond = 0.5 if kind == "centres" else 0.0
    u = 1.2 * (1.0 - np.arange(nj + 1.0) / (nj - beyond))
    v = 2.0 * np.pi * (np.arange(columns + 1.0) - beyond) / columns
    z = 0.15 * np.cosh(u[:, None] + 1j * v)
    return np.rad2deg(np.angle(z)), 90.0 - 2.0 * np.rad2deg(np.arctan(np.abs(z)))


def write(path, x, y, depth=None):
    shape = x.shape[0] - 1, x.shape[1] - 1
    with netCDF4.Dataset(path, "w") as file:
        for name, size in zip(("j", "i", "jc", "ic"), (*shape, *x.shape), strict=True):
            file.createDimension(name, size)
        file.createVariable("ulon", "f4", ("jc", "ic"))[:] = x
        file.createVariable("ulat", "f4", ("jc", "ic"))[:] = y
        file.createVariable("depth", "f8", ("j", "i"))[:] = (
            np.full(shape, 500.0) if depth is None else depth
        )
    return str(path)


@pytest.mark.parametrize("kind", ["faces", "centres"])
def test_the_fold_is_found_and_its_points_meet(tmp_path, kind):
    """What the topology calls one point stands at one place, also one row beyond the seam."""
    path = write(tmp_path / "a.nc", *cap(kind))
    for asked in ("file", kind):
        grid = build_grid(GridOptions(file=path, fold=asked))
        assert grid.topology.fold == kind and grid.topology.periodic_i
        assert grid.mask[-1].all() and not grid.mask[0].any()
    x, y = cap(kind)
    rows = nj if kind == "faces" else nj - 1
    j, i = np.mgrid[rows : nj + 1, 0:ni]
    points = grid.topology.resolve(Place.corner, j, i)
    assert points.inside.all()
    np.testing.assert_allclose(
        np.exp(1j * np.deg2rad(x[points.j, points.i])) * (90.0 - y[points.j, points.i]),
        np.exp(1j * np.deg2rad(x[j, i])) * (90.0 - y[j, i]),
        atol=1e-9,
    )
    closed = build_grid(GridOptions(file=path, fold="none"))
    assert closed.topology.fold == "" and not closed.mask[-1].any()


@pytest.mark.parametrize(("kind", "other"), [("faces", "centres"), ("centres", "faces")])
def test_what_contradicts_the_file_is_refused(tmp_path, kind, other):
    path = write(tmp_path / "a.nc", *cap(kind))
    with pytest.raises(UserError, match=f"grid.fold = '{other}', but .* fold along its {kind}"):
        build_grid(GridOptions(file=path, fold=other))
    with pytest.raises(UserError, match="the north of the grid is folded"):
        build_grid(GridOptions(file=path, boundary=["north"]))
    x, y = cap(kind)
    # A seam that stays open, and the same columns counted from elsewhere.
    lower = 1.5 * np.linspace(0, 1, nj + 1)[:, None] * (1.0 + np.sin(np.deg2rad(x)))
    open_path = write(tmp_path / "open.nc", x, y - lower)
    assert build_grid(GridOptions(file=open_path)).topology.fold == ""
    with pytest.raises(UserError, match="do not meet each other across a fold"):
        build_grid(GridOptions(file=open_path, fold=kind))
    roll = np.r_[5:ni, 0:6]
    rolled = write(tmp_path / "rolled.nc", x[:, roll], y[:, roll])
    with pytest.raises(UserError, match="about column 11.*Roll the columns"):
        build_grid(GridOptions(file=rolled))
    with pytest.raises(UserError, match="even number of columns"):
        odd = write(tmp_path / "odd.nc", *cap(kind, ni + 1))
        _ = build_grid(GridOptions(file=odd)).topology


def test_cells_turned_inside_out_are_refused(tmp_path):
    """One corner that stands beyond its neighbour; where both cells beside it are land it may."""
    x, y = cap("faces")
    x[4, 7] = x[4, 8] + 1.0
    path = write(tmp_path / "a.nc", x, y)
    words = r"has 2 cells of the sea .* row 3, column 7, at .* E, .* N"
    with pytest.raises(UserError, match=words):
        build_grid(GridOptions(file=path))
    depth = np.full((nj, ni), 500.0)
    depth[3:5, 6:8] = 0.0
    build_grid(GridOptions(file=write(tmp_path / "b.nc", x, y, depth)))


def test_doubles_have_one_depth(tmp_path):
    depth = np.full((nj, ni), 500.0)
    depth[-1, 3] = depth[-1, ni - 3] = 300.0
    path = write(tmp_path / "a.nc", *cap("centres"), depth)
    assert build_grid(GridOptions(file=path)).topology.fold == "centres"
    depth[-1, ni - 3] = 0.0
    path = write(tmp_path / "b.nc", *cap("centres"), depth)
    with pytest.raises(UserError, match="the depth of column 3 is 300 m, that of its double 0 m"):
        build_grid(GridOptions(file=path))


def test_other_grids_have_no_fold(tmp_path):
    """Corners that all are the pole, POP's displaced pole, longitude and latitude."""
    x, y = np.meshgrid(np.linspace(0.0, 360.0, ni + 1), np.linspace(50.0, 90.0, nj + 1))
    assert build_grid(GridOptions(file=write(tmp_path / "a.nc", x, y))).topology.fold == ""
    x[-1], y[-1] = 0.0, 90.0
    assert build_grid(GridOptions(file=write(tmp_path / "a.nc", x, y))).topology.fold == ""
    with pytest.raises(UserError, match="do not meet"):
        build_grid(GridOptions(nx=36, ny=9, dx=10.0, fold="faces"))


@pytest.mark.parametrize("longitudes", ["own", "one"])
def test_a_row_on_the_pole_closes_the_north(tmp_path, longitudes):
    """All corners of the last row are the pole, whatever longitude the file gives them there."""
    x, y = np.meshgrid(np.linspace(0.0, 360.0, ni + 1), np.linspace(50.0, 90.0, 2 * nj + 1))
    if longitudes == "one":
        x[-1] = 0.0
    grid = build_grid(GridOptions(file=write(tmp_path / "a.nc", x, y)))
    assert grid.topology.fold == "" and grid.topology.periodic_i and not grid.mask[-1].any()
    center, y_face = grid.at(Place.center), grid.at(Place.y_face)
    # Triangles of great circles from the pole to the southern faces of a row, less those within.
    turn, half = 2.0 * np.pi / ni, np.tan(np.deg2rad(90.0 - y[:, 0]) / 2.0) ** 2
    triangle = 2.0 * np.arctan2(half * np.sin(turn), 1.0 + half * np.cos(turn))
    exact = -(earth_radius**2) * np.diff(triangle)
    np.testing.assert_allclose(center.area, exact[:, None] * np.ones(ni), rtol=1e-4)
    np.testing.assert_allclose(center.angle, 0.0, atol=1e-6)
    assert np.abs(y_face.dx[-1]).max() < 1e-3 < 1e4 < y_face.dx[-2].min()
    height = earth_radius * np.deg2rad(y[-1, 0] - y[-2, 0])
    np.testing.assert_allclose(y_face.dy[-1], height, rtol=0.03)
    for place in (Place.center, Place.x_face, Place.y_face, Place.corner):
        here = grid.at(place)
        assert all(np.isfinite(plane).all() for plane in (here.dx, here.dy, here.area, here.x))


@pytest.mark.parametrize("kind", ["faces", "centres"])
@pytest.mark.parametrize("place", [Place.center, Place.x_face, Place.y_face, Place.corner])
def test_lengths_on_the_last_rows_are_those_of_the_map(kind, place):
    """With second order, on the seam too: 2 |dz| / (1 + |z|^2), away from the ends of the seam."""
    errors, late = [], 0.5 if kind == "centres" else 0.0
    for rows, columns in ((12, 32), (24, 64)):
        du, dv = 1.2 / (rows - late), 2.0 * np.pi / columns
        u = du * (rows - late - np.arange(rows + 1.0))
        v = dv * (np.arange(columns + 1.0) - late)
        z = 0.15 * np.cosh(u[:, None] + 1j * v)
        corner_x = np.rad2deg(np.angle(z))
        corner_y = 90.0 - 2.0 * np.rad2deg(np.arctan(np.abs(z)))
        given = Curvilinear(corner_x=corner_x, corner_y=corner_y, periodic_x=True)
        here = Grid.of(given, np.full((rows, columns), 500.0), fold=kind).at(place)
        v = dv * (np.arange(columns) + (0.0 if place.between_columns else 0.5) - late)
        nj = here.dx.shape[0]
        u = du * (rows - late - np.arange(nj) - (0.0 if place.between_rows else 0.5))
        w = u[-3:, None] + 1j * v
        scale = earth_radius * 0.3 * np.abs(np.sinh(w)) / (1.0 + np.abs(0.15 * np.cosh(w)) ** 2)
        keep = np.abs(np.sin(v)) > 0.4
        apart = [
            np.abs(here.dx[-3:, keep] / (scale[:, keep] * dv) - 1.0).max(),
            np.abs(here.dy[-3:, keep] / (scale[:, keep] * du) - 1.0).max(),
        ]
        errors.append(apart)
    assert (np.array(errors[1]) < 0.01).all() and (np.array(errors[0]) < 0.04).all(), errors
    assert (np.array(errors[0]) > 3.0 * np.array(errors[1])).all(), errors


def test_lengths_across_the_fold_reach_to_the_places_beyond():
    """Also where rows and columns are not symmetric, and where they are means of given lengths."""
    random = np.random.default_rng(1)
    x, y = cap("faces")
    x[1:-1, 1:-1] += random.uniform(-2.0, 2.0, (nj - 1, ni - 1))
    y[1:-1, 1:-1] += random.uniform(-0.5, 0.5, (nj - 1, ni - 1))
    grid = Grid.of(
        Curvilinear(corner_x=x, corner_y=y, periodic_x=True), np.ones((nj, ni)), fold="faces"
    )
    last, i = vectors(grid.longitude[-1], grid.latitude[-1]), np.arange(ni)
    exact = earth_radius * angles_between(last, last[:, ::-1])
    np.testing.assert_allclose(grid.at(Place.y_face).dy[-1], exact, rtol=1e-9)
    x_face = grid.at(Place.x_face)
    there = vectors(x_face.x[-1], x_face.y[-1])
    exact = earth_radius * angles_between(there, there[:, -i % ni])
    np.testing.assert_allclose(grid.at(Place.corner).dy[-1], exact, rtol=1e-9, atol=1e-3)
    # Given lengths of faces: means of those on both sides of the seam.
    widths, heights = random.uniform(1e4, 2e4, (nj + 1, ni)), random.uniform(1e4, 2e4, (nj, ni + 1))
    heights[:, -1] = heights[:, 0]
    given = Curvilinear(
        corner_x=x, corner_y=y, periodic_x=True, fold="faces",
        x_face_length=heights, y_face_length=widths,
    )  # fmt: skip
    center = 0.5 * (heights[-1, :-1] + heights[-1, 1:])
    np.testing.assert_allclose(given.at(Place.y_face).dy[-1], 0.5 * (center + center[::-1]))
    across = 0.5 * (heights[-1, :-1] + heights[-1, -i % ni])
    np.testing.assert_allclose(given.at(Place.corner).dy[-1, :-1], across)
