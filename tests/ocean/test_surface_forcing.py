"""Fluxes at the surface: budgets, light in the water, restoring, turned stress, the same bits.

Ranks: 1 and 3, started here.
"""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import netCDF4
import numpy as np
import pytest

from halocline.component.case.shipped import data_folder
from halocline.core.errors import UserError
from halocline.grids.sphere import vectors
from halocline.grids.vertical.levels import read_layers
from halocline.ocean.forcing_options import (
    OceanHeatOptions,
    OceanWindOptions,
    SurfaceForcingOptions,
    SurfaceRestoringOptions,
    WaterFluxOptions,
)
from halocline.ocean.model import Weights
from halocline.ocean.options import OceanOptions, OceanStartOptions
from halocline.ocean.time_filter import TimeFilterOptions
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command
from ocean import oceans
from ocean.forced_ocean import (
    advance,
    build,
    everything,
    monthly,
    small_sea,
    step,
    still,
    thickness,
)
from ocean.oceans import thinned

calm = OceanWindOptions(amplitude=0.0)


def held(component, prefix=""):
    """Heat less what freezing lent [K m3], salt [m3], water [m3] of all wet cells."""
    s, levels = component.model.state, component.grid
    tracer, layer, store = (
        getattr(s, prefix + name).gather() for name in ("tracer", "layer", "heat_store")
    )
    volume = levels.cell_thickness * levels.horizontal.area
    volume[-1] = levels.mask * layer * levels.horizontal.area
    lent = (levels.mask * store * levels.horizontal.area).sum()
    return np.array([(tracer[0] * volume).sum() - lent, (tracer[1] * volume).sum(), volume.sum()])


def brought(component):
    """What the fluxes of the last step bring in a second."""
    s, area = component.model.state, component.grid.mask * component.grid.horizontal.area
    heat = component.options.forcing.heat
    flux = s.surface_flux.gather()
    light = s.short_wave.gather() / (component.options.density.reference * heat.capacity)
    water = s.water_flux.gather()
    return np.array(
        [((flux[0] + light) * area).sum(), (flux[1] * area).sum(), (water * area).sum()]
    )


@pytest.mark.parametrize(
    ("count", "thin"),
    [(60, False), (60, True), pytest.param(1000, True, marks=pytest.mark.slow)],
)
def test_budgets_close(count, thin):
    """In every step; water freezes and thaws, rain falls and is balanced."""
    frost = OceanStartOptions(deep=-2.2, range=0.5, scale=50.0)  # thin cells freeze, too
    options = replace(everything, start=frost) if thin and count == 60 else everything
    component, time = build(options, levels=thinned(small_sea()) if thin else None)
    s = component.model.state
    contents, frozen = [held(component)], []
    contents.append(contents[0])
    scale = np.abs(contents[0]) + 1e3 * step * np.abs(brought(component))
    for number in range(count):
        time = advance(component, time, 1)
        contents.append(held(component))
        if number:  # the first step has one level only
            gained = contents[-1] - contents[-3]
            expected = 2.0 * step * brought(component)
            assert (np.abs(gained - expected) <= 1e-13 * scale).all(), (number, gained, expected)
        tracer = s.tracer.gather()
        above = tracer[0] + 0.0544 * tracer[1]
        assert above[component.grid.wet].min() > -1e-12
        frozen.append(s.heat_store.gather().max())
    assert max(frozen) > 1e-2  # some did freeze
    assert contents[-1][2] == pytest.approx(contents[0][2], rel=1e-13)
    assert np.ptp(s.layer.gather()[component.grid.mask]) > 1e-4
    assert abs(contents[-1][0] - contents[0][0]) > 1e-6 * scale[0]


def test_averages_keep_what_the_levels_hold():
    component, time = build(everything)
    advance(component, time, 6)
    model = component.model
    model.advance(Weights.leapfrog(step))
    old, now, new = (held(component, prefix) for prefix in ("old_", "", "new_"))
    assert np.ptp([old[0], now[0], new[0]]) > 0.0
    model.average()
    np.testing.assert_allclose(held(component, "old_"), 0.5 * (old + now), rtol=1e-14)
    np.testing.assert_allclose(held(component), 0.5 * (now + new), rtol=1e-14)


def test_what_was_lent_is_given_back_first():
    """A cold column freezes, a warm flux then leaves it at its freezing point until all is paid."""
    freezing = SurfaceForcingOptions(freezing=True, heat=OceanHeatOptions(rest=-500.0))
    cold = OceanStartOptions(deep=-1.9, range=0.0)
    component, time = build(OceanOptions(mixing=still, wind=calm, start=cold, forcing=freezing))
    time = advance(component, time, 20)
    s, mask = component.model.state, component.grid.mask
    lent = s.heat_store.gather()[mask]
    assert lent.min() > 0.0
    s.heat_flux.fill(2000.0)
    seen = []
    for _ in range(10):
        time = advance(component, time, 1)
        store, surface = s.heat_store.gather()[mask], s.tracer.gather()[0, -1][mask]
        owing = store > 0.0
        point = -0.0544 * s.tracer.gather()[1, -1][mask]
        np.testing.assert_allclose(surface[owing], point[owing], atol=1e-12)
        seen.append(owing.mean())
    assert seen[0] == 1.0 and seen[-1] == 0.0 and surface.min() > -1.8


@pytest.mark.parametrize(
    ("kind", "red", "short", "long"),
    [("I", 0.58, 0.35, 23.0), ("IB", 0.67, 1.0, 17.0), ("III", 0.78, 1.4, 7.9)],
)
def test_short_wave_warms_by_what_is_absorbed(kind, red, short, long):
    """Paulson and Simpson's Table 2; columns of any depth take all that came in."""
    heat = OceanHeatOptions(short_wave=200.0, water_type=kind)
    options = OceanOptions(mixing=still, wind=calm, forcing=SurfaceForcingOptions(heat=heat))
    component, time = build(options, levels=thinned(small_sea()) if kind == "IB" else None)
    s, levels = component.model.state, component.grid
    before = s.tracer.gather()[0].copy()
    advance(component, time, 1)  # forward: tau is dt
    dz = levels.cell_thickness
    warmed = (s.tracer.gather()[0] - before) * dz * 1026.0 * 3996.0 / step
    np.testing.assert_allclose(warmed.sum(axis=0)[levels.mask], 200.0, rtol=1e-10)
    z = np.append(0.0, np.cumsum(thickness))
    left = red * np.exp(-z / short) + (1.0 - red) * np.exp(-z / long)
    deep = levels.wet_levels == 5
    for k in range(3):
        exact = 200.0 * (left[k] - left[k + 1])
        np.testing.assert_allclose(warmed[4 - k][deep], exact, rtol=1e-6)


@pytest.mark.parametrize("tracer", [0, 1])
def test_restoring_relaxes_in_its_time(tracer):
    """As exp(-t / scale), with what a step of the old level makes of it."""
    days, target = 5.0, (9.0, 33.0)[tracer]
    towards = SurfaceRestoringOptions(time_scale=days, equator=target, pole=target)
    forcing = SurfaceForcingOptions(**{("temperature", "salinity")[tracer]: towards})
    start = OceanStartOptions(deep=4.0, range=0.0)
    component, time = build(
        OceanOptions(mixing=still, wind=calm, start=start, forcing=forcing, averaging=0)
    )
    s, mask = component.model.state, component.grid.mask
    first = s.tracer.gather()[tracer, -1][mask] - target
    advance(component, time, 48)
    left = (s.tracer.gather()[tracer, -1][mask] - target) / first
    share = step / (86400.0 * days)
    np.testing.assert_allclose(left, (1.0 - 2.0 * share) ** 24, rtol=1e-4)
    np.testing.assert_allclose(left, np.exp(-1.0 / days), rtol=0.01)


def test_water_comes_and_goes_as_warm_as_the_surface():
    """So that a sea of one temperature keeps it, while salt is thinned."""
    rain = SurfaceForcingOptions(water=WaterFluxOptions(amplitude=3e-6, balanced=False))
    start = OceanStartOptions(deep=12.0, range=0.0)
    component, time = build(OceanOptions(start=start, forcing=rain, averaging=4))
    advance(component, time, 20)
    warm, salt = (component.model.state.tracer.gather()[n, -1] for n in (0, 1))
    wet = component.grid.mask
    np.testing.assert_allclose(warm[wet], 12.0, rtol=1e-13)
    assert np.ptp(salt[wet]) > 0.1
    component.close()


def test_wind_of_closed_form():
    """- A cos(bands latitude) on the sphere, - A cos(2 pi y / wave) on a plane; nothing along y."""
    belt = small_sea()
    sheet = oceans.plane(8, 10, 1e5, [100.0], periodic_x=True)
    latitude = np.radians(belt.horizontal.at(Place.corner).y)
    y = sheet.horizontal.at(Place.corner).y
    for levels, wind, phase in (
        (belt, OceanWindOptions(amplitude=0.2, bands=5.0), 5.0 * latitude),
        (sheet, OceanWindOptions(amplitude=0.2, wave=7e5), 2.0 * np.pi * y / 7e5),
    ):
        component, _ = build(OceanOptions(wind=wind, averaging=0), levels=levels)
        x, other = (getattr(component.model.state, f"stress_{a}").gather() * 1026.0 for a in "xy")
        np.testing.assert_allclose(x, np.broadcast_to(-0.2 * np.cos(phase), x.shape), atol=1e-14)
        assert not other.any()
        component.close()


def test_an_eastward_wind_is_turned_to_the_axes_of_the_grid(tmp_path):
    """On the displaced-pole grid, against the directions between its corners in space."""
    levels = read_layers(data_folder() / "g_pop_x1_grid.nc", 2)
    path = monthly(
        tmp_path / "wind.nc", taux=lambda x, y, m: 0.1 + 0 * x, tauy=lambda x, y, m: 0 * x
    )
    wind = OceanWindOptions(file=path, every_year=True)
    component, time = build(OceanOptions(wind=wind), levels=levels)
    component.model.forcing.update(time)
    corner = levels.horizontal.at(Place.corner)
    points = vectors(corner.x, corner.y)
    along = np.roll(points, -1, axis=2) - np.roll(points, 1, axis=2)
    east = np.stack([-points[1], points[0], 0.0 * points[0]])
    cosine = (along * east).sum(0) / np.sqrt((along**2).sum(0) * (east**2).sum(0))
    north = np.cross(points, east, axis=0)
    sine = (along * north).sum(0) / np.sqrt((along**2).sum(0) * (north**2).sum(0))
    wet = component.model.state.corner_floor.gather() < 2
    x, y = (getattr(component.model.state, f"stress_{axis}").gather() * 1026.0 for axis in "xy")
    assert np.ptp(corner.angle[wet]) > 2.0
    np.testing.assert_allclose(x[wet], 0.1 * cosine[wet], atol=1e-3)
    np.testing.assert_allclose(y[wet], -0.1 * sine[wet], atol=1e-3)
    component.close()


def test_where_files_do_not_know_the_target_it_is_the_start(tmp_path):
    """Known in the west, filled in in the east; after a restart too."""
    path = monthly(
        tmp_path / "sst.nc",
        sst=lambda x, y, m: 10.0 + 0.1 * y + m,
        observed=lambda x, y, m: np.where(x < 22.0, 1.0, 0.0),
    )
    given = SurfaceRestoringOptions(
        target="files", file=path, every_year=True, variable="sst", known="observed", piston=1e-5
    )
    options = OceanOptions(
        wind=calm, mixing=still, forcing=SurfaceForcingOptions(temperature=given)
    )
    whole, time = build(options)
    advance(whole, time, 1)
    again, _ = build(replace(options, start=OceanStartOptions(deep=-1.0)))
    for field, other in zip(again.restart_fields(), whole.restart_fields(), strict=True):
        field.set_global(other.gather())
    again.start(time, True)
    middle = time.replace(month=1, day=16, hour=4, minute=48)  # 15.2 days
    for component in (whole, again):
        component.model.forcing.update(middle)
        found = component.model.state.temperature_target.gather()
        center, mask = component.grid.horizontal.at(Place.center), component.grid.mask
        west, east = mask & (center.x <= 20.0), mask & (center.x >= 25.0)
        assert west.sum() > 20 and east.sum() > 20
        np.testing.assert_allclose(found[west], (10.0 + 0.1 * center.y)[west], rtol=1e-12)
        profile = OceanStartOptions()
        surface = profile.deep + profile.range * np.exp(-5.0 / profile.scale)
        np.testing.assert_allclose(found[east], surface, rtol=1e-12)
        component.close()
    with pytest.raises(UserError, match="known = 'observed', but no 'file'"):
        SurfaceRestoringOptions(known="observed")


def test_forcing_comes_in_the_units_of_its_files_and_others_are_refused(tmp_path):
    """Kelvin and dyn cm-2 give what degrees and pascals do; furlongs are no temperature."""
    found = {}
    for degrees, pascal in (("degC", "Pa"), ("K", "dyn cm-2"), ("furlong", "Pa")):
        path = monthly(
            tmp_path / "forcing.nc",
            sst=lambda x, y, m, zero=273.15 * (degrees == "K"): zero + 10.0 + 0.1 * y + m,
            taux=lambda x, y, m, unit=1.0 if pascal == "Pa" else 10.0: unit * 0.1 + 0 * y,
            tauy=lambda x, y, m: 0 * y,
        )
        with netCDF4.Dataset(path, "a") as file:
            file["sst"].units = degrees
            file["taux"].units = file["tauy"].units = pascal
        target = SurfaceRestoringOptions(
            target="files", file=path, every_year=True, variable="sst", piston=1e-5
        )
        options = OceanOptions(
            wind=OceanWindOptions(file=path, every_year=True),
            mixing=still,
            forcing=SurfaceForcingOptions(temperature=target),
        )
        if degrees == "furlong":
            with pytest.raises(UserError, match=r"'sst' of .* has the units 'furlong'"):
                build(options)
            continue
        component, time = build(options)
        component.model.forcing.update(time)
        state, mask = component.model.state, component.grid.mask
        target, wind = state.temperature_target.gather()[mask], state.wind_x.gather().ravel()
        found[degrees] = np.concatenate([target, wind])
        assert 5.0 < target.min() < target.max() < 25.0 and wind.max() == pytest.approx(0.1)
        component.close()
    np.testing.assert_allclose(found["K"], found["degC"], rtol=1e-12, atol=1e-12)


def test_heat_of_files_and_its_short_wave(tmp_path):
    """All heat less the part that is absorbed below; halfway between two months their mean."""
    path = monthly(
        tmp_path / "heat.nc",
        q_net=lambda x, y, m: 10.0 * m + y,
        sw_net=lambda x, y, m: 100.0 + 2.0 * m + 0 * y,
    )
    heat = OceanHeatOptions(file=path, every_year=True)
    options = OceanOptions(wind=calm, mixing=still, forcing=SurfaceForcingOptions(heat=heat))
    component, time = build(options)
    middle = time.replace(month=1, day=31, hour=10, minute=3)  # 15.2 + 30.4375 / 2 days
    component.model.forcing.update(middle)
    component.model.forcing.fluxes()
    s, levels = component.model.state, component.grid
    latitude = levels.horizontal.at(Place.center).y
    expected = (5.0 + latitude - 101.0) / (1026.0 * 3996.0)
    got = s.surface_flux.gather()[0]
    np.testing.assert_allclose(got[levels.mask], expected[levels.mask], rtol=1e-3)
    np.testing.assert_allclose(s.short_wave.gather()[levels.mask], 101.0, rtol=1e-3)
    component.close()


@pytest.mark.parametrize(
    ("scheme", "mixing"), [("averaging", "constant"), ("matsuno", "richardson"), ("robert", "kpp")]
)
def test_a_restart_gives_the_same_bits(scheme, mixing):
    options = replace(
        everything,
        averaging=3,
        time_filter=TimeFilterOptions(scheme=scheme),
        mixing=replace(everything.mixing, scheme=mixing),
    )
    whole, start = build(options)
    halfway = advance(whole, start, 4)
    kept = [[array.copy() for array in field.read()] for field in whole.restart_fields()]
    advance(whole, halfway, 5)
    again, _ = build(replace(options, start=OceanStartOptions(deep=5.0)))
    for field, arrays in zip(again.restart_fields(), kept, strict=True):
        with field.change() as owned:
            for array, values in zip(owned, arrays, strict=True):
                array[...] = values
    again.start(halfway, True)
    again.forward = False
    advance(again, halfway, 5)
    for field, other in zip(whole.restart_fields(), again.restart_fields(), strict=True):
        np.testing.assert_array_equal(field.gather(), other.gather(), err_msg=str(field))


def bits(path, ranks):
    """Distinct lines of precision, forcing and hash, over all ways to cut the grid."""
    command = [sys.executable, str(Path(__file__).parent / "small_forced_ocean.py"), path]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    if ranks > 1:
        command = [*mpiexec_command(ranks, 1), *command]
        environment = mpi_environment(environment)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    found = [line for line in done.stdout.splitlines() if line.startswith("bits ")]
    assert len(found) == 5, done.stdout
    return frozenset(found)


def test_ranks_and_decompositions_have_the_same_bits(tmp_path):
    path = monthly(
        tmp_path / "forcing.nc",
        taux=lambda x, y, m: 0.05 + 0.01 * m + 1e-4 * x,
        tauy=lambda x, y, m: 1e-3 * y,
        sw_net=lambda x, y, m: 100.0 + m + 0 * x,
        q_net=lambda x, y, m: -800.0 + m - y,
        sst=lambda x, y, m: 30.0 - 0.6 * y,
        rain=lambda x, y, m: 1e-9 * (x - y),
        u10=lambda x, y, m: 5.0 + 0.1 * x,
        v10=lambda x, y, m: 0.2 * y,
        wind_speed=lambda x, y, m: 9.0 + m,
        t_air=lambda x, y, m: 10.0 - 0.4 * y,
        q_air=lambda x, y, m: 3.0 + 0.01 * x,
        lw_up=lambda x, y, m: 60.0 + m + 0 * x,
    )
    alone = bits(path, 1)
    assert len(alone) == 3  # of options in both precisions, and of forcing by air
    assert bits(path, 3) == alone


def test_contradictions_are_refused():
    with pytest.raises(UserError, match="not both"):
        SurfaceRestoringOptions(time_scale=1.0, piston=1.0)
    with pytest.raises(UserError, match="all three"):
        SurfaceRestoringOptions(target="files")
