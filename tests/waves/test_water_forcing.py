"""Currents and level as they come: files, constants, functions, messages. One rank."""

import numpy as np
import pytest
import xarray

from halocline.core.errors import UserError
from halocline.experiment.run import run
from halocline.waves.dispersion import linear_dispersion


def case(**more):
    table = {
        "component": "waves",
        "grid": {"nx": 12, "ny": 6, "dx": 1.0, "dy": 1.0, "x0": 0.0, "y0": 30.0, "depth": 20.0},
        "spectrum": {"frequencies": 6, "first_frequency": 0.06, "factor": 1.2, "directions": 12},
        "time": {"start": "2011-01-15", "length": "2h", "step": "30min"},
        "waves": {"physics": "none"},
        "start": {"kind": "gaussian", "gaussian": {"x": 5.0, "y": 33.0, "peak_frequency": 0.1}},
        "precision": "float64",
    }
    return table | more


def ocean_file(path, names=("uo", "vo", "zos"), **units):
    """Records every three hours, linear in time, on a grid of 2 degrees."""
    hours, lat, lon = (
        np.arange(0.0, 7.0, 3.0),
        np.arange(24.0, 41.0, 2.0),
        np.arange(-4.0, 19.0, 2.0),
    )
    line = np.broadcast_to(lon, (3, 9, 12)) / 10.0
    later = hours[:, None, None] / 10.0
    values = line + later, 0.5 - line, 2.0 * later + 0.0 * line
    dims = ("time", "lat", "lon")
    data = xarray.Dataset(
        {name: (dims, some, {"units": units.get(name, "m s-1")})
         for name, some in zip(names, values, strict=True)},
        {
            "time": ("time", hours, {"units": "hours since 2011-01-15"}),
            "lat": ("lat", lat, {"units": "degrees_north"}),
            "lon": ("lon", lon, {"units": "degrees_east"}),
        },
    )  # fmt: skip
    data.to_netcdf(path)
    return str(path)


def shown(result, *names):
    found = result.component.diagnose(names, result.component.wind.start)
    return [found[name].gather() for name in names]


def test_currents_and_level_from_a_file_are_interpolated_in_time(tmp_path):
    path = ocean_file(tmp_path / "ocean.nc", zos="m")
    result = run(case(forcing={"currents": {"file": path}, "level": {"file": path}}))
    x = result.component.grid.point_x
    u, v, level, depth = shown(result, "current_u", "current_v", "sea_level", "depth")
    np.testing.assert_allclose(u, x / 10.0 + 0.2, rtol=1e-6)
    np.testing.assert_allclose(v, 0.5 - x / 10.0, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(level, 0.4, rtol=1e-6)
    np.testing.assert_allclose(depth, 20.4, rtol=1e-6)
    k = linear_dispersion(depth, result.component.spectral.frequency)[0]
    np.testing.assert_allclose(result.component.model.wavenumber.gather(), k, rtol=1e-12)


def test_transport_sees_the_water_in_the_middle_of_the_step(tmp_path):
    seen = []

    def level(seconds, x, y):
        seen.append(seconds)
        return 1e-3 * seconds + 0.0 * x

    def drift(seconds, x, y):
        return 1e-4 * seconds + 0.0 * x, -2e-4 * seconds + 0.0 * x

    result = run(case(), level_function=level, current_function=drift)
    assert seen == [0.0, 1800.0, 3600.0, 5400.0, 7200.0]
    water = result.component.model.water
    water.before["sea_level"].fill(5.4)
    water.begin(result.component.run)
    np.testing.assert_allclose(result.component.model.depth.gather(), 20.0 + 6.3)
    np.testing.assert_allclose(water.depth_change.gather(), 1e-3)
    water.before["current_u"].fill(0.54)
    water.begin(result.component.run)
    u = water.transport_u.gather()[result.component.grid.mask]
    np.testing.assert_allclose(u, 0.63)


def test_a_steady_function_is_asked_once():
    seen = []

    def drift(seconds, x, y):
        seen.append(seconds)
        return 1.0 + 0.0 * x, 0.1 * y

    result = run(case(forcing={"currents": {"steady": True}}), current_function=drift)
    assert seen == [0.0]
    v = shown(result, "current_v")[0]
    np.testing.assert_allclose(v, 0.1 * result.component.grid.point_y)


def test_constant_currents_and_levels():
    forcing = {"currents": {"eastward": 1.5, "northward": -0.5}, "level": {"height": 2.0}}
    result = run(case(forcing=forcing))
    u, v, level, depth = shown(result, "current_u", "current_v", "sea_level", "depth")
    assert (u == 1.5).all() and (v == -0.5).all() and (level == 2.0).all() and (depth == 22.0).all()


def test_water_that_falls_dry_keeps_the_least_depth():
    forcing = {"level": {"height": -25.0, "least_depth": 0.75}}
    result = run(case(forcing=forcing))
    assert (shown(result, "depth")[0] == 0.75).all()
    assert np.isfinite(result.component.model.spectrum.gather()).all()


def test_water_at_rest_is_not_computed():
    result = run(case())
    assert result.component.model.water is None
    u, v, level = shown(result, "current_u", "current_v", "sea_level")
    assert not (u.any() or v.any() or level.any())


@pytest.mark.parametrize(("share", "wind"), [(1.0, 8.0), (0.5, 9.0), (0.0, 10.0)])
def test_the_wind_is_that_over_the_water(share, wind):
    """Waves under 10 m/s with a current of 2 m/s along it are those of the wind that is left."""
    box = {"kind": "cartesian", "nx": 6, "ny": 6, "dx": 5e4, "dy": 5e4}
    box |= {"periodic_x": True, "periodic_y": True, "depth": 3000.0}

    def sea(speed, current, share):
        forcing = {"wind": {"speed": speed, "direction": 270.0}, "currents": {"eastward": current}}
        waves = {"physics": "ST2", "wind_relative": share}
        start = case()["start"]["gaussian"] | {"radius_x": 1e9, "radius_y": 1e9}
        start = {"kind": "gaussian", "gaussian": start}
        return run(case(grid=box, forcing=forcing, waves=waves, start=start))

    found, expected = sea(10.0, 2.0, share), sea(wind, 0.0, share)
    names = ("friction_velocity", "drag_coefficient", "charnock")
    for one, other in zip(shown(found, *names), shown(expected, *names), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)
    spectra = [some.component.model.spectrum.gather() for some in (found, expected)]
    np.testing.assert_allclose(*spectra, rtol=1e-6, atol=1e-9)
    assert (shown(found, "wind_speed")[0] == 10.0).all()


def test_the_peak_seen_from_the_ground():
    """sigma + k . U, with waves that come from the south-west; and against a strong current."""
    start = {"kind": "gaussian", "gaussian": {"direction": 225.0, "peak_frequency": 0.1}}
    start["gaussian"] |= {"x": 5.0, "y": 33.0, "radius_x": 1e3, "radius_y": 1e3}
    for u, v in ((2.0, 0.0), (0.0, -3.0), (-9.0, -9.0)):
        forcing = {"currents": {"eastward": u, "northward": v}}
        short = {"start": "2011-01-15", "length": "1min", "step": "1min"}
        result = run(case(forcing=forcing, start=start, time=short))
        names = (
            "absolute_peak_frequency",
            "absolute_peak_period",
            "peak_frequency",
            "peak_direction",
        )
        seen, period, peak, direction = (some[30] for some in shown(result, *names))
        assert direction == pytest.approx(225.0, abs=0.5)
        k = linear_dispersion([20.0], [peak])[0][0, 0]
        along = -(u * np.sin(np.radians(direction)) + v * np.cos(np.radians(direction)))
        assert seen == pytest.approx(peak + k * along / (2.0 * np.pi), rel=1e-9)
        if seen > 0.0:
            assert period == pytest.approx(1.0 / seen)
        else:
            assert np.isnan(period)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"currents": {"function": "flow.py:drift"}}, "no file .*flow.py"),
        ({"level": {"file": "tide.nc"}}, "No data file .*tide.nc"),
        ({"level": {"height": 70.0}}, "height"),
    ],
)
def test_mistakes_in_a_case_are_named(table, message):
    with pytest.raises(UserError, match=message):
        run(case(forcing=table))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda t, x, y: x, "must return current_u and current_v"),
        (lambda t, x, y: (x, np.where(y > 33.5, np.nan, y)), "no number 0 s after .*y = 34"),
    ],
)
def test_functions_that_return_no_current(function, message):
    with pytest.raises(UserError, match=message):
        run(case(), current_function=function)


def test_two_sources_of_one_current_are_refused():
    forcing = {"currents": {"eastward": 1.0}}
    with pytest.raises(UserError, match="forcing.currents.* names 2 sources"):
        run(case(forcing=forcing), current_function=lambda seconds, x, y: (x, y))


def test_a_file_without_currents_says_what_it_has(tmp_path):
    path = ocean_file(tmp_path / "ocean.nc", names=("a", "b", "c"))
    with pytest.raises(UserError, match="eastward current.*It has: .*a"):
        run(case(forcing={"currents": {"file": path}}))


def test_currents_too_fast_for_the_given_step_are_refused():
    waves = {"physics": "none", "spatial_step": 1500.0}
    grid = case()["grid"] | {"dx": 0.2, "dy": 0.2}
    with pytest.raises(UserError, match=r"spatial step of 1500.0 s is too long"):
        run(case(grid=grid, waves=waves, forcing={"currents": {"eastward": 9.0}}))


def test_another_member_fills_the_ports():
    """What comes before the first step is the water of the start; later changes last one step."""
    short = {"start": "2011-01-15", "length": "30min", "step": "30min"}
    component = run(case(time=short)).component
    component.expect(["current_u", "current_v"])
    component.expect(["sea_level"])
    assert set(component.ports) == {"current_u", "current_v", "sea_level"}
    assert {f.name for f in component.restart_fields()} >= {"current_u_before", "sea_level_before"}
    component._stepped = False
    start = component.wind.start
    component.start(start, restarted=False)
    assert (component.model.depth.gather() == 20.0).all()
    component.ports["sea_level"].field.fill(1.0)
    component.took(["sea_level"], start)
    assert (component.model.depth.gather() == 21.0).all()
    component._stepped = True
    component.ports["sea_level"].field.fill(2.0)
    component.took(["sea_level"], start)
    assert (component.model.depth.gather() == 21.0).all()
    component._give_water(start)
    component.model.water.begin(component.run)
    assert (component.model.depth.gather() == 21.5).all()
