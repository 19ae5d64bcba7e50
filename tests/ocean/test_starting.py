"""The start: potential temperatures, columns that are mixed. Ranks: 1."""

from dataclasses import replace

import gsw
import netCDF4
import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.grids.horizontal.regular import GridOptions, regular_grid
from halocline.grids.vertical.levels import layered
from halocline.ocean.equation_of_state import DensityOptions
from halocline.ocean.forcing_options import OceanWindOptions
from halocline.ocean.options import OceanOptions, OceanStartOptions
from halocline.ocean.potential_temperature import potential_temperature
from halocline.ocean.region_options import RegionOptions
from halocline.ocean.regions import region_cells
from halocline.ocean.start_sea_options import StartSeaOptions
from halocline.ocean.starting import overturn
from halocline.runtime.fields.place import Place
from ocean import oceans
from ocean.forced_ocean import build, small_sea, still, thickness

calm = OceanWindOptions(amplitude=0.0)
water = DensityOptions(equation="mcdougall-2003")


def start_file(path, temperature, salinity, depth):
    """A file of the whole globe with one profile everywhere."""
    x, y = np.arange(0.0, 360.0, 10.0), np.arange(-85.0, 90.0, 10.0)
    with netCDF4.Dataset(path, "w") as file:
        for name, values in (("depth", depth), ("lat", y), ("lon", x)):
            file.createDimension(name, values.size)
            file.createVariable(name, "f8", (name,))[:] = values
        file["depth"].positive, file["depth"].units = "down", "m"
        file["depth"].standard_name = "depth"
        file["lon"].standard_name, file["lat"].standard_name = "longitude", "latitude"
        for name, profile in (("temperature", temperature), ("salinity", salinity)):
            variable = file.createVariable(name, "f8", ("depth", "lat", "lon"))
            variable[:] = np.broadcast_to(profile[:, None, None], (depth.size, y.size, x.size))
    return str(path)


def test_potential_temperature_is_that_of_the_toolbox():
    """TEOS-10's has another heat capacity: within some thousandths of a degree."""
    t, s, p = np.meshgrid([0.0, 4.0, 15.0], [33.0, 35.0, 38.0], [0.0, 1000.0, 5000.0])
    wanted = gsw.pt0_from_t(s * 35.16504 / 35.0, t, p)
    assert np.abs(t - wanted).max() > 0.4
    np.testing.assert_allclose(potential_temperature(t, s, p), wanted, rtol=0, atol=6e-3)


def test_temperatures_in_situ_become_potential_ones(tmp_path):
    levels = small_sea()
    salt = np.linspace(34.0, 35.0, 5)
    depth = levels.depth[::-1].copy()
    path = start_file(tmp_path / "start.nc", np.full(5, 3.0), salt, depth)
    found = {}
    for in_situ in (False, True):
        start = OceanStartOptions(file=path, in_situ=in_situ)
        component, _ = build(OceanOptions(mixing=still, wind=calm, start=start), levels=levels)
        found[in_situ] = component.model.state.tracer.gather()
        assert component.remarks == []
    wet = levels.wet
    np.testing.assert_allclose(found[False][0][wet], 3.0, rtol=1e-14)
    np.testing.assert_array_equal(found[True][1], found[False][1])
    for k in range(5):
        wanted = gsw.pt0_from_t(salt[4 - k] * 35.16504 / 35.0, 3.0, gsw.p_from_z(-depth[4 - k], 45))
        here = found[True][0][k][wet[k]]
        np.testing.assert_allclose(here, wanted, rtol=0, atol=2e-3)
    assert found[True][0][0][wet[0]].max() < 2.98


def test_a_start_in_kelvin_is_that_in_degrees(tmp_path):
    levels = small_sea()
    depth, salt = levels.depth[::-1].copy(), np.full(5, 35.0)
    found = []
    for units, zero in (("degC", 0.0), ("K", 273.15)):
        path = start_file(tmp_path / "start.nc", zero + np.linspace(9.0, 3.0, 5), salt, depth)
        with netCDF4.Dataset(path, "a") as file:
            file["temperature"].units = units
        start = OceanStartOptions(file=path)
        component, _ = build(OceanOptions(mixing=still, wind=calm, start=start), levels=levels)
        found.append(component.model.state.tracer.gather()[0][levels.wet])
    np.testing.assert_allclose(found[1], found[0], atol=1e-12)
    with netCDF4.Dataset(path, "a") as file:
        file["temperature"].units = "m"
    with pytest.raises(UserError, match="'temperature' of .* has the units 'm', which cannot"):
        build(OceanOptions(mixing=still, wind=calm, start=start), levels=levels)


def basins_and_a_ridge():
    """Two basins of three levels, joined above a ridge at 65 E by the uppermost one alone."""
    x = 2.5 + 5.0 * np.arange(24)
    depth = np.where(np.abs(x - 65.0) < 11.0, 100.0, 700.0) * np.ones((8, 1))
    options = GridOptions(
        nx=24, ny=8, x0=2.5, y0=-20.0, dx=5.0, dy=5.0, periodic_x=False, depth=depth.tolist()
    )
    return layered(regular_grid(options), np.array([100.0, 200.0, 400.0]))


def test_seas_of_which_the_file_knows_nothing_have_their_profiles(tmp_path):
    """Linear between given depths, potential temperature; the rest stays as the file has it."""
    levels = small_sea()
    depth = levels.depth[::-1].copy()
    path = start_file(tmp_path / "start.nc", np.full(5, 3.0), np.full(5, 34.0), depth)
    sea = StartSeaOptions(
        cells=RegionOptions(boxes=[(9.0, 31.0, 44.0, 60.0)]),
        depth=[0.0, 200.0], temperature=[9.0, 5.0], salinity=[18.0, 22.0],
    )  # fmt: skip
    found = {}
    for seas in ({}, {"black": sea}):
        start = OceanStartOptions(file=path, seas=seas, in_situ=True)
        component, _ = build(OceanOptions(mixing=still, wind=calm, start=start), levels=levels)
        found[bool(seas)] = component.model.state.tracer.gather()
    center = levels.horizontal.at(Place.center)
    box = (np.abs(center.x - 20.0) <= 11.0) & (np.abs(center.y - 52.0) <= 8.0)
    assert (box & levels.mask).any() and (~box & levels.mask).any()
    for k in range(5):
        here, rest = levels.wet[k] & box, levels.wet[k] & ~box
        down = min(levels.depth[k], 200.0) / 200.0
        np.testing.assert_allclose(found[True][0, k][here], 9.0 - 4.0 * down, rtol=1e-14)
        np.testing.assert_allclose(found[True][1, k][here], 18.0 + 4.0 * down, rtol=1e-14)
        np.testing.assert_array_equal(found[True][:, k][:, rest], found[False][:, k][:, rest])


def test_a_profile_that_cannot_be_is_refused():
    with pytest.raises(UserError, match="has 2 depths, 1 temperatures and 2 salinities"):
        StartSeaOptions(depth=[0.0, 9.0], temperature=[5.0], salinity=[18.0, 22.0])
    with pytest.raises(UserError, match="must grow downward; got"):
        StartSeaOptions(depth=[9.0, 0.0], temperature=[5.0, 4.0], salinity=[18.0, 22.0])
    with pytest.raises(UserError, match="seas.none.cells.boxes has the box"):
        far = RegionOptions(boxes=[(200.0, 201.0, 0.0, 1.0)])
        sea = StartSeaOptions(cells=far, depth=[0.0], temperature=[5.0], salinity=[18.0])
        region_cells(sea.cells, small_sea().horizontal, "ocean.start.seas.none.cells")


@pytest.mark.parametrize("cut", [{}, {"blocks_per_rank": 6}])
def test_gaps_are_filled_through_water(tmp_path, cut):
    """Beyond a ridge the nearest values of a level are of another basin: those above are taken."""
    levels = basins_and_a_ridge()
    depth = levels.depth[::-1].copy()
    path = start_file(tmp_path / "start.nc", np.full(3, 3.0), np.full(3, 34.0), depth)
    with netCDF4.Dataset(path, "a") as file:
        x = file["lon"][:]
        warm = np.broadcast_to(np.where(x < 65.0, 4.0, 12.0), file["temperature"].shape).copy()
        warm[1:] -= 1.0
        warm[2:] -= 1.0
        warm[1:, :, x >= 65.0] = np.nan  # the eastern basin below its surface
        warm[:, :, (x > 25.0) & (x < 45.0)] = np.nan  # some of the western one, all levels
        file["temperature"][:] = warm
    start = OceanStartOptions(file=path)
    options = OceanOptions(mixing=still, wind=calm, start=start)
    component, _ = build(options, levels=levels, **({"cut": cut} if cut else {}))
    found = component.model.state.tracer.gather()[0]
    x = levels.horizontal.at(Place.center).x + np.zeros(levels.horizontal.shape)
    for k, west in ((2, 4.0), (1, 3.0), (0, 2.0)):
        np.testing.assert_allclose(found[k][levels.wet[k] & (x < 50.0)], west, rtol=1e-14)
        np.testing.assert_allclose(found[k][levels.wet[k] & (x > 80.0)], 12.0, rtol=1e-14)


def overturned(temperature, salinity, levels, **options):
    """A model with given tracers after they were mixed, and its remarks."""
    model = oceans.build(levels, 600.0, **options)
    oceans.put_tracers(model, np.stack([temperature, salinity]))
    return model, overturn(model)


def test_a_column_by_hand():
    """7 (80 m) < 3 (40 m) < 9 (20 m) < 5 (10 m), where < is below: two pairs mix."""
    levels = oceans.plane(4, 4, 1e4, [10.0, 20.0, 40.0, 80.0])
    profile = np.array([7.0, 3.0, 9.0, 5.0])[:, None, None] + np.zeros(levels.shape)
    model, words = overturned(profile, np.full(levels.shape, 35.0), levels)
    low, high = (7 * 80 + 3 * 40) / 120, (9 * 20 + 5 * 10) / 30
    got = model.state.tracer.gather()[0, :, 1, 1]
    np.testing.assert_allclose(got, [low, low, high, high], rtol=1e-15)
    assert words.startswith("16 of 16 columns") and words.endswith("down to 110 m")


@pytest.mark.parametrize("thin", [False, True])
def test_what_is_mixed_is_stable_and_keeps_heat_and_salt(thin):
    levels = oceans.thinned(oceans.rough_sphere()) if thin else oceans.rough_sphere()
    random = np.random.default_rng(8)
    temperature = np.sort(random.uniform(0.0, 20.0, levels.shape), axis=0)
    temperature[:, ::2] = random.uniform(0.0, 20.0, temperature[:, ::2].shape)
    salinity = random.uniform(34.9, 35.1, levels.shape)
    salinity[:, 1::2] = 35.0
    before = oceans.build(levels, 600.0, density=water)
    oceans.put_tracers(before, np.stack([temperature, salinity]))
    before.stability(gravity=9.8, numbers=water.numbers)
    open_below = levels.wet.copy()
    open_below[1:] &= levels.wet[:-1]
    open_below[0] = False
    unsteady = ((before.state.stability.gather() < 0) & open_below).any(axis=0)
    model, words = overturned(temperature, salinity, levels, density=water)
    assert 20 < unsteady.sum() < levels.mask.sum() - 20
    assert words.startswith(f"{unsteady.sum()} of {levels.mask.sum()} columns")
    got = model.state.tracer.gather()
    dz = levels.cell_thickness
    for given, found in zip((temperature, salinity), got, strict=True):
        held = (given * dz).sum(axis=0)
        np.testing.assert_allclose((found * dz).sum(axis=0)[levels.mask], held[levels.mask], 1e-14)
        assert (found == given)[:, ~unsteady & levels.mask].all()
    model.state.old_tracer.copy(model.state.tracer)
    model.stability(gravity=9.8, numbers=water.numbers)
    assert (model.state.stability.gather()[open_below] >= 0.0).all()


def test_the_option_mixes_and_tells():
    start = OceanStartOptions(deep=5.0, range=-3.0, scale=200.0)
    component, _ = build(OceanOptions(mixing=still, wind=calm, start=start))
    assert component.remarks == []
    component, _ = build(OceanOptions(mixing=still, wind=calm, start=replace(start, overturn=True)))
    (words,) = component.remarks
    count = int((component.grid.wet_levels > 1).sum())
    assert words.startswith(f"{count} of {component.grid.mask.sum()} columns of the start")
    tracer = component.model.state.tracer.gather()
    for j, i in zip(*np.nonzero(component.grid.mask), strict=True):
        wet = component.grid.wet[:, j, i]
        dz = thickness[::-1][wet]
        warm = (5.0 - 3.0 * np.exp(-component.grid.depth / 200.0))[wet]
        np.testing.assert_allclose(tracer[0, wet, j, i], (warm * dz).sum() / dz.sum(), rtol=1e-14)
