"""Tracers that change nothing else: constants, the way of salinity, age, files. Ranks: 1."""

from dataclasses import replace

import netCDF4
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from halocline.core.errors import UserError
from halocline.experiment.run import run
from halocline.ocean.forcing_options import (
    OceanWindOptions,
    SurfaceForcingOptions,
    WaterFluxOptions,
)
from halocline.ocean.options import OceanMixingOptions, OceanOptions, OceanStartOptions
from halocline.ocean.passive_tracers import PassiveTracerOptions
from halocline.ocean.tracer_options import OceanTracerOptions
from ocean.forced_ocean import advance, build, everything, step, still


def with_passive(options, advection="centred", **passive):
    return replace(options, tracers=OceanTracerOptions(advection=advection, passive=passive))


@pytest.mark.parametrize("advection", ["centred", "upwind3", "limited3"])
def test_a_constant_stays_constant(advection):
    """Under wind and ice, with averages of levels; rain would thin it."""
    dry = replace(everything.forcing, water=WaterFluxOptions())
    options = replace(everything, forcing=dry, averaging=4)
    options = with_passive(options, advection, dye=PassiveTracerOptions(start=3.0))
    component, time = build(options)
    advance(component, time, 10)
    tracer = component.model.state.tracer.gather()
    assert tracer.shape[0] == 3
    assert np.ptp(tracer[0][component.grid.wet]) > 0.1
    assert_allclose(tracer[2][component.grid.wet], 3.0, rtol=1e-13)


def test_it_goes_where_salinity_goes(tmp_path):
    """From the same file, under another name; no salt passes the surface."""
    path = tmp_path / "start.nc"
    x, y, z = np.arange(0.0, 60.0, 3.0), np.arange(36.0, 75.0, 3.0), np.array([0.0, 100.0, 600.0])
    with netCDF4.Dataset(path, "w") as file:
        for name, values in (("depth", z), ("lat", y), ("lon", x)):
            file.createDimension(name, values.size)
            file.createVariable(name, "f8", (name,))[:] = values
        file["lon"].standard_name, file["lat"].standard_name = "longitude", "latitude"
        file["depth"].standard_name, file["depth"].units = "depth", "m"
        for name, first in (("temperature", 10.0), ("salinity", 35.0)):
            values = first + 0.01 * z[:, None, None] + np.sin(x + y[:, None])
            file.createVariable(name, "f8", ("depth", "lat", "lon"))[:] = values
    options = OceanOptions(
        mixing=everything.mixing, wind=everything.wind, start=OceanStartOptions(file=str(path))
    )
    copied = PassiveTracerOptions(file=str(path), variable="salinity")
    component, time = build(with_passive(options, copy=copied))
    advance(component, time, 5)
    _, salinity, copy = component.model.state.tracer.gather()
    wet = component.grid.wet
    assert np.ptp(salinity[wet]) > 1.0
    assert_array_equal(copy[wet], salinity[wet])


def test_age_is_the_time_since_the_surface():
    """Where nothing moves it is the time of the run, and 0 in the uppermost cells."""
    resting = OceanOptions(
        mixing=still, wind=OceanWindOptions(amplitude=0.0), forcing=SurfaceForcingOptions(),
        averaging=0,
    )  # fmt: skip
    component, time = build(with_passive(resting, age=PassiveTracerOptions(ages=True)))
    advance(component, time, 7)
    age, wet = component.model.state.tracer.gather()[2], component.grid.wet
    assert_allclose(age[:-1][wet[:-1]], 7 * step / 86400.0, rtol=1e-13)
    assert not age[-1].any()


def test_mixing_makes_water_younger():
    mixing = OceanMixingOptions(vertical_diffusivity=1e-2)
    options = OceanOptions(mixing=mixing, averaging=0)
    component, time = build(with_passive(options, age=PassiveTracerOptions(ages=True)))
    advance(component, time, 7)
    age, wet = component.model.state.tracer.gather()[2], component.grid.wet
    assert age[:-1][wet[:-1]].min() > 0.0
    assert age[-2][wet[-2]].max() < 6.9 * step / 86400.0


def test_files_hold_them(tmp_path):
    tracers = {"passive": {"dye": {"units": "mol m-3", "start": 2.0}, "age": {"ages": True}}}
    case = {
        "component": "ocean",
        "grid": {
            "nx": 8, "ny": 6, "dx": 2.0, "dy": 2.0, "x0": 1.0, "y0": 40.0, "depth": 200.0,
            "levels": {"thickness": [100.0, 100.0]},
        },
        "time": {"start": "2000-01-01", "length": "2h", "step": "1h"},
        "ocean": {"tracers": tracers},
        "output": {"fields": {"all": {"interval": "2h"}}},
    }  # fmt: skip
    run(case, output=tmp_path)
    (path,) = tmp_path.glob("*.nc")
    with netCDF4.Dataset(path) as file:
        dye, age = file["dye"], file["age"]
        assert (dye.units, age.units) == ("mol m-3", "d")
        assert age.standard_name == "sea_water_age_since_surface_contact"
        assert dye.dimensions == file["salinity"].dimensions
        assert_allclose(dye[:].compressed(), 2.0, rtol=1e-6)
        assert_allclose(age[-1].compressed().max(), 2.0 / 24.0, rtol=1e-6)


@pytest.mark.parametrize("name", ["salinity", "two words"])
def test_names_that_are_taken_are_refused(name):
    with pytest.raises(UserError, match=rf"cannot be called '{name}'"):
        OceanTracerOptions(passive={name: PassiveTracerOptions()})
    with pytest.raises(UserError, match="counted in days"):
        PassiveTracerOptions(ages=True, units="s")
