"""Model grids from files."""

from dataclasses import replace

import numpy as np
import pytest
import xarray

from halocline.core.errors import UserError
from halocline.grids.horizontal.bathymetry import BathymetryOptions, read_bathymetry
from halocline.grids.horizontal.regular import GridOptions, build_grid


def dataset(longitude, latitude=(-10.0, 0.0, 10.0)):
    longitude, latitude = np.asarray(longitude, float), np.asarray(latitude, float)
    depth = 100.0 + longitude[None, :] % 360.0 + 1000.0 * (latitude[:, None] + 10.0)
    depth[0, 0] = 0.0
    dims = ("lat", "lon")
    return xarray.Dataset(
        {
            "depth": (dims, depth, {"units": "m"}),
            "mask": (dims, (depth > 0).astype("i1")),
            "obstruction_x": (dims, np.full(depth.shape, 0.25)),
        },
        {
            "lat": ("lat", latitude, {"standard_name": "latitude"}),
            "lon": ("lon", longitude, {"standard_name": "longitude"}),
        },
    )


def read(tmp_path, data, **options):
    file = f"depth{len(list(tmp_path.iterdir()))}.nc"
    data.to_netcdf(tmp_path / file)
    return read_bathymetry(BathymetryOptions(file=file, **options), tmp_path)


def assert_right(grid, land=(0.0, -10.0)):
    x, y = np.meshgrid(grid.x, grid.y)
    dry = (x % 360.0 == land[0]) & (y == land[1])
    assert np.array_equal(grid.mask, ~dry)
    assert np.allclose(grid.depth, np.where(dry, 0.0, 100.0 + x % 360.0 + 1000.0 * (y + 10.0)))
    assert np.all(np.diff(grid.x) > 0)
    assert np.all(np.diff(grid.y) > 0)


def test_a_global_grid(tmp_path):
    grid = read(tmp_path, dataset(np.arange(0.0, 360.0, 10.0)))
    assert_right(grid)
    assert grid.periodic_x
    assert np.array_equal(grid.obstruction_x, np.where(grid.mask, 0.25, 0.0))
    assert grid.obstruction_y is None


@pytest.mark.parametrize("step", [10.0, 0.5])
def test_latitudes_from_the_north_and_any_longitudes(tmp_path, step):
    data = dataset(np.arange(0.0, 360.0, step))
    assert_right(read(tmp_path, data.isel(lat=slice(None, None, -1))))
    turned = data.roll(lon=round(180 / step), roll_coords=True)
    assert_right(read(tmp_path, turned))
    signed = turned.assign_coords(
        lon=("lon", (turned.lon.values + 180) % 360 - 180, data.lon.attrs)
    )
    grid = read(tmp_path, signed)
    assert_right(grid)
    assert grid.x[0] == -180.0
    assert grid.periodic_x


def test_a_regional_grid_keeps_its_longitudes(tmp_path):
    grid = read(tmp_path, dataset(np.arange(-20.0, 31.0, 10.0)), mask="mask")
    assert_right(grid, (340.0, -10.0))
    assert grid.x[0] == -20.0
    assert not grid.periodic_x


def test_elevations_and_missing_masks(tmp_path):
    data = dataset(np.arange(0.0, 360.0, 10.0))
    elevation = (-data.depth).rename("elevation").assign_attrs(units="m", positive="up")
    assert_right(read(tmp_path, elevation.to_dataset()))
    elevation[0, 0] = np.nan
    assert_right(read(tmp_path, elevation.to_dataset()))


def test_land_masks_are_turned_round(tmp_path):
    data = dataset(np.arange(0.0, 360.0, 10.0))
    data["lsm"] = (1 - data.mask).assign_attrs(standard_name="land_binary_mask")
    assert_right(read(tmp_path, data.drop_vars("mask")))


def test_shallow_points_get_the_minimum_depth(tmp_path):
    data = dataset(np.arange(0.0, 360.0, 10.0))
    data["depth"][1, 1] = 0.5
    assert read(tmp_path, data, minimum_depth=5.0).depth[1, 1] == 5.0


def test_a_mask_without_sea(tmp_path):
    data = dataset(np.arange(0.0, 360.0, 10.0))
    with pytest.raises(UserError, match="mask 'mask' of .* has no sea point: all 108 cells"):
        read(tmp_path, data.assign(mask=data.mask * 0))
    with pytest.raises(UserError, match="The depth of .* has no sea point"):
        read(tmp_path, data.drop_vars("mask").assign(depth=-data.depth))


def test_a_missing_variable(tmp_path):
    data = dataset(np.arange(0.0, 360.0, 10.0))
    with pytest.raises(UserError, match=r"no variable for water depth.* It has: mask\(lat, lon\)"):
        read(tmp_path, data.drop_vars("depth"))
    with pytest.raises(UserError, match="no variable 'maks'. Did you mean 'mask'"):
        read(tmp_path, data, mask="maks")


def test_depth_missing_at_sea(tmp_path):
    data = dataset(np.arange(0.0, 360.0, 10.0))
    data["depth"][2, 3] = np.nan
    with pytest.raises(UserError, match="missing at 1 sea points, first at 30 E, 10 N"):
        read(tmp_path, data)


def plane(units="km", names=("y", "x"), **attributes):
    """A beach of 4 x 6 cells of 2 km, its rows from the north."""
    x, y = np.arange(6) * 2.0 + 10.0, np.arange(4)[::-1] * 2.0
    depth = 10.0 + x[None] + 100.0 * y[:, None]
    facts = {} if units is None else {"units": units}
    return xarray.Dataset(
        {"depth": (names, depth, {"units": "m"})},
        {names[0]: (names[0], y, facts | attributes), names[1]: (names[1], x, facts | attributes)},
    )


@pytest.mark.parametrize(("units", "unit"), [("km", 1e3), ("m", 1.0), (None, 1.0), ("meters", 1)])
def test_a_cartesian_grid(tmp_path, units, unit):
    grid = read(tmp_path, plane(units), kind="cartesian")
    assert not grid.spherical and not grid.periodic_x
    assert np.array_equal(grid.x, unit * (np.arange(6) * 2.0 + 10.0))
    assert np.array_equal(grid.y, unit * np.arange(4) * 2.0)
    assert np.array_equal(grid.depth, 10.0 + grid.x[None] / unit + 100.0 * grid.y[:, None] / unit)
    assert np.all(grid.dx == 2.0 * unit) and np.all(grid.dy == 2.0 * unit)


def test_a_cartesian_grid_of_a_case_has_its_sides_and_its_boundary(tmp_path):
    plane().to_netcdf(tmp_path / "beach.nc")
    from_file = GridOptions(
        kind="cartesian", file=str(tmp_path / "beach.nc"), boundary=["west"], periodic_y=True
    )
    grid = build_grid(from_file)
    made = {"nx": 6, "ny": 4, "dx": 2e3, "dy": 2e3, "x0": 1e4, "depth": grid.depth.tolist()}
    same = build_grid(replace(from_file, file="", **made))
    for name in ("x", "y", "depth", "mask", "boundary", "dx", "area"):
        assert np.array_equal(getattr(grid, name), getattr(same, name)), name
    assert grid.topology == same.topology and not grid.spherical
    assert not grid.mask[:, -1].any() and grid.boundary[:, 0].all()


def test_a_cartesian_grid_by_standard_names(tmp_path):
    data = plane(names=("north", "east"))
    data.north.attrs["standard_name"] = "projection_y_coordinate"
    data.east.attrs["standard_name"] = "projection_x_coordinate"
    grid = read(tmp_path, data.transpose("east", "north"), kind="cartesian")
    assert grid.shape == (4, 6) and grid.depth[0, 1] == 22.0


def test_grids_of_the_other_kind_are_refused(tmp_path):
    sphere = dataset(np.arange(0.0, 360.0, 10.0))
    with pytest.raises(UserError, match=r"no x that can be recognised.*grid.kind = 'spherical'"):
        read(tmp_path, sphere, kind="cartesian")
    sphere.lon.attrs |= {"axis": "X", "units": "degrees_east"}
    with pytest.raises(UserError, match=r"units 'degrees_east', which are no length"):
        read(tmp_path, sphere, kind="cartesian")
    with pytest.raises(UserError, match=r"units 'km'.*grid.kind = 'cartesian'"):
        read(tmp_path, plane())


def test_mistakes_of_cartesian_grids_are_told(tmp_path):
    data = plane()
    data.depth[0, 2] = np.nan
    data["mask"] = (data.depth.dims, np.ones(data.depth.shape, "i1"))
    with pytest.raises(UserError, match=r"first at x = 14000 m, y = 6000 m"):
        read(tmp_path, data, kind="cartesian")
    data = plane().assign_coords(x=[10.0, 12.0, 12.0, 14.0, 16.0, 18.0])
    with pytest.raises(UserError, match="x stands twice"):
        read(tmp_path, data, kind="cartesian")
    data = plane().assign_coords(x=[10.0, 12.0, np.nan, 14.0, 16.0, 18.0])
    with pytest.raises(UserError, match="missing values"):
        read(tmp_path, data, kind="cartesian")
