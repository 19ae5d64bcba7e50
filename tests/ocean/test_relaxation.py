"""Boxes that are drawn to their targets: the exact exponential, its ramp, files, what stays.

Ranks: 1.
"""

from dataclasses import replace

import netCDF4
import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.ocean.equation_of_state import DensityOptions
from halocline.ocean.options import OceanOptions, OceanStartOptions
from halocline.ocean.relaxation import relaxation_rate
from halocline.ocean.relaxation_options import RelaxationOptions
from halocline.runtime.fields.place import Place
from ocean.forced_ocean import advance, build, small_sea, still
from ocean.forced_ocean import step as seconds
from ocean.test_surface_forcing import calm

box = (-1.5, 13.5, 36.5, 80.0)  # the five western columns of the small sea
start = OceanStartOptions(deep=4.0, range=10.0, scale=50.0)
weightless = DensityOptions(expansion=0.0, contraction=0.0)
at_rest = OceanOptions(mixing=still, wind=calm, start=start, density=weightless, averaging=0)


def deep_file(path):
    """Temperature and salinity that grow with depth and longitude, alike in all months."""
    month = np.arange(12) * 30.0
    x, y, depth = np.arange(-5.0, 60.0, 5.0), np.arange(30.0, 80.0, 5.0), np.array([0.0, 600.0])
    with netCDF4.Dataset(path, "w") as file:
        for name, values in (("time", month), ("depth", depth), ("lat", y), ("lon", x)):
            file.createDimension(name, values.size)
            file.createVariable(name, "f8", (name,))[:] = values
        file["lon"].standard_name, file["lat"].standard_name = "longitude", "latitude"
        file["time"].units = "days since 1999-12-01"
        file["depth"].standard_name, file["depth"].units = "depth", "m"
        for name, first in (("temperature", 20.0), ("salinity", 36.0)):
            variable = file.createVariable(name, "f8", ("time", "depth", "lat", "lon"))
            variable[:] = first + 0.01 * depth[:, None, None] + 0.0 * y[:, None] + 0.1 * x
    return str(path)


def test_a_difference_falls_exponentially(tmp_path):
    """Exactly, on all levels, over steps of leapfrog; the rest of the sea stays."""
    days = 0.5
    given = RelaxationOptions(box=box, time_scale=days, file=deep_file(tmp_path / "deep.nc"))
    component, time = build(replace(at_rest, relax={"west": given}))
    s, levels = component.model.state, component.grid
    center, depth = levels.horizontal.at(Place.center), levels.depth[:, None, None]
    inside = levels.wet & (center.x <= 13.5)
    outside = levels.wet & (center.x > 13.5)
    goal = 20.0 + 0.01 * depth + 0.1 * center.x + 0.0 * levels.volume
    first = s.tracer.gather()[0].copy()
    advance(component, time, 20)
    now = s.tracer.gather()
    left = np.exp(-20 * seconds / (86400.0 * days))
    np.testing.assert_allclose(now[0][inside], (goal + left * (first - goal))[inside], rtol=1e-12)
    np.testing.assert_allclose(
        now[1][inside], (goal + 16.0 + left * (19.0 - goal))[inside], rtol=1e-12
    )
    np.testing.assert_allclose(now[0][outside], first[outside], rtol=1e-14)
    component.close()


def test_the_rate_falls_over_its_ramp():
    grid = small_sea().horizontal
    given = RelaxationOptions(box=box, time_scale=2.0, ramp=(0.0, 6.0, 10.0, 0.0))
    rate = relaxation_rate(given, grid, "west") * 2.0 * 86400.0
    x, y = np.broadcast_arrays(grid.at(Place.center).x, grid.at(Place.center).y)
    expected = np.minimum(1.0, (13.5 - x) / 6.0) * np.clip((y - 36.5) / 10.0, 0.0, 1.0)
    np.testing.assert_allclose(rate, np.where(x < 13.5, expected, 0.0), atol=1e-14)


def test_the_start_is_kept_and_comes_back():
    """What is moved from the start returns to it, after a restart too."""
    options = replace(at_rest, relax={"west": RelaxationOptions(box=box, time_scale=1e-3)})
    component, time = build(options)
    first = component.model.state.tracer.gather().copy()
    kept = [[array.copy() for array in field.read()] for field in component.restart_fields()]
    again, _ = build(replace(options, start=OceanStartOptions(deep=1.0)))
    for field, arrays in zip(again.restart_fields(), kept, strict=True):
        with field.change() as owned:
            for array, values in zip(owned, arrays, strict=True):
                array[...] = values
    for name in ("tracer", "old_tracer"):
        with getattr(again.model.state, name).change() as owned:
            for array in owned:
                array[...] += 3.0
    again.start(time, True)
    advance(again, time, 4)
    got, levels = again.model.state.tracer.gather(), again.grid
    inside = levels.wet & (levels.horizontal.at(Place.center).x <= 13.5)
    np.testing.assert_allclose(got[:, inside], first[:, inside], rtol=1e-12)
    assert (np.abs(got - first)[:, levels.wet & ~inside] > 2.9).all()


def test_boxes_without_cells_are_refused():
    given = RelaxationOptions(box=(200.0, 210.0, 0.0, 1.0))
    with pytest.raises(UserError, match="ocean.relax.west.box"):
        relaxation_rate(given, small_sea().horizontal, "west")
