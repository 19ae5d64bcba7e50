"""The start: potential temperatures, columns that are mixed. Ranks: 1."""

from dataclasses import replace

import gsw
import netCDF4
import numpy as np
import pytest

from halocline.ocean.equation_of_state import DensityOptions
from halocline.ocean.forcing_options import OceanWindOptions
from halocline.ocean.options import OceanOptions, OceanStartOptions
from halocline.ocean.potential_temperature import potential_temperature
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


def test_levels_of_a_box_take_their_means(tmp_path):
    """Means over the area of what is wet in it; the rest stays as the file has it."""
    levels = small_sea()
    depth = levels.depth[::-1].copy()
    path = start_file(tmp_path / "start.nc", np.full(5, 3.0), np.full(5, 34.0), depth)
    with netCDF4.Dataset(path, "a") as file:
        file["temperature"][:] = 0.1 * np.arange(36.0) + 0.5 * np.arange(5.0)[:, None, None]
    found = {}
    for even in ([], [(9.0, 31.0, 44.0, 60.0)]):
        start = OceanStartOptions(file=path, even=even)
        component, _ = build(OceanOptions(mixing=still, wind=calm, start=start), levels=levels)
        found[bool(even)] = component.model.state.tracer.gather()
    center = levels.horizontal.at(Place.center)
    box = (np.abs(center.x - 20.0) <= 11.0) & (np.abs(center.y - 52.0) <= 8.0)
    assert (box & ~levels.mask).any()
    for k in range(5):
        here = levels.wet[k] & box
        before, area = found[False][0, k], center.area
        mean = (before * area)[here].sum() / area[here].sum()
        assert np.ptp(before[here]) > 0.1
        np.testing.assert_allclose(found[True][0, k][here], mean, rtol=1e-13)
        rest = levels.wet[k] & ~box
        np.testing.assert_array_equal(found[True][:, k][:, rest], found[False][:, k][:, rest])


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
