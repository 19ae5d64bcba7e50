"""MetPy opens our files by the CF conventions and finds in them what we say. Ranks: 1.

It is given names of files and nothing else of ours.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import metpy.calc
import numpy as np
import pyproj
import pytest
import xarray as xr
from metpy.constants import Rd, g
from metpy.interpolate import cross_section, log_interpolate_1d
from metpy.units import units

from atmosphere.dynamics_cases import small
from halocline.analysis.air_sections import air_section
from halocline.analysis.map_grid import grid_of
from halocline.analysis.section_lines import line_of
from halocline.experiment.run import run
from halocline.grids.horizontal.projections import Conic, Mercator

storm = {
    "grid.nx": 12, "grid.ny": 2, "time.length": "20s",
    "atmosphere.microphysics.scheme": "kessler", "atmosphere.base.kind": "standard",
    "atmosphere.start.sounding.kind": "weisman-klemp", "atmosphere.start.shear.kind": "tanh",
    "atmosphere.layers.top": 18e3, "atmosphere.layers.count": 60,
}  # fmt: skip
hill = {
    "grid.kind": "lambert", "grid.nx": 24, "grid.ny": 20, "grid.dx": 20e3, "grid.dy": 20e3,
    "grid.projection.center_longitude": -2.0, "grid.projection.center_latitude": 54.0,
    "grid.projection.longitude": -30.0,
    "grid.periodic_x": False, "grid.periodic_y": False,
    **{f"grid.sides.{side}": "mirror" for side in ("west", "east", "south", "north")},
    "time.step": "20s", "time.length": "40s", "atmosphere.base.kind": "standard",
    "atmosphere.air.kind": "standard", "atmosphere.layers.count": 40,
    "atmosphere.layers.top": 16e3, "atmosphere.mountain.kind": "bell",
    "atmosphere.mountain.height": 800.0, "atmosphere.mountain.width": 80e3,
    "atmosphere.start.wind_u": 10.0, "atmosphere.start.wind_v": -6.0,
    "atmosphere.diagnostics.pressure_levels": [85e3, 50e3],
}  # fmt: skip


constants = float((Rd / g).to("m/K").m) / (287.0 / 9.81)
"""MetPy's air is thicker than ARW's."""


def opened(folder: Path, settings: dict[str, Any]) -> xr.Dataset:
    """The last record of all fields of a run, as MetPy opens it."""
    maps = {"interval": settings["time.length"], "precision": "float64"}
    run(small(**settings | {"output.fields.air": maps}), output=folder)
    with xr.open_dataset(folder / "air.nc") as data:
        if "projection" in data and data.projection.standard_parallel.size > 1:
            # MetPy 1.7 cannot compare maps with arrays among their attributes.
            data.projection.attrs["standard_parallel"] = data.projection.standard_parallel.tolist()
        return data.load().metpy.parse_cf().isel(time=-1)


@pytest.fixture(scope="module")
def moist(tmp_path_factory: pytest.TempPathFactory) -> xr.Dataset:
    return opened(tmp_path_factory.mktemp("moist"), storm)


@pytest.fixture(scope="module", params=["one parallel", "two"])
def mapped(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> xr.Dataset:
    parallels = [54.0] if request.param == "one parallel" else [50.0, 58.0]
    x, y = Conic.lambert(parallels, -30.0, 6.37e6).to_map(np.array(-2.0), np.array(54.0))
    settings = {
        "grid.projection.true_latitudes": parallels,
        "atmosphere.mountain.x": float(x), "atmosphere.mountain.y": float(y),
    }  # fmt: skip
    return opened(tmp_path_factory.mktemp("mapped"), hill | settings)


def column(data: xr.Dataset, name: str, i: int) -> Any:
    return data[name].isel(y=0, x=i).metpy.quantify().data


def test_axes_are_found(moist: xr.Dataset, mapped: xr.Dataset):
    wanted = {
        "potential_temperature": ("height", "y", "x"),
        "x_wind": ("height", "y", "x_face"),
        "y_wind": ("height", "y_face", "x"),
        "upward_wind": ("height_interface", "y", "x"),
    }
    for data in (moist, mapped):
        for name, axes in wanted.items():
            found = data[name].metpy
            assert (found.vertical.name, found.y.name, found.x.name) == axes
            assert found.time.name == "time"
    assert mapped.isobaric_height.metpy.vertical.name == "pressure_level"
    assert mapped.isobaric_height.metpy.vertical.metpy.units == units.Pa
    assert mapped.eastward_wind.metpy.longitude.name == "longitude"


def test_temperature_from_theta(moist: xr.Dataset, mapped: xr.Dataset):
    """Within 1e-4 K: kappa is 2/7 there and here."""
    for data in (moist, mapped):
        found = metpy.calc.temperature_from_potential_temperature(
            data.air_pressure.metpy.quantify(), data.potential_temperature.metpy.quantify()
        )
        error = found.metpy.dequantify() - data.layer_temperature
        assert np.abs(error).max() < 1e-4


@pytest.mark.parametrize("i", [0, 6])
def test_cape_cin_and_vapour(moist: xr.Dataset, i: int):
    """CAPE within 1 %, CIN within 0.5 J/kg, vapour of columns within 1 %."""
    p, t, q = (
        column(moist, name, i)
        for name in ("air_pressure", "layer_temperature", "vapor_mixing_ratio")
    )
    dewpoint = metpy.calc.dewpoint(metpy.calc.vapor_pressure(p, q))
    for start, function in (
        ("surface", metpy.calc.surface_based_cape_cin),
        ("unstable", metpy.calc.most_unstable_cape_cin),
    ):
        cape, cin = function(p, t, dewpoint)
        ours = column(moist, f"{start}_cape", i), column(moist, f"{start}_cin", i)
        assert cape.m > 1500.0
        assert ours[0].m == pytest.approx(cape.m, rel=0.01)
        assert ours[1].m == pytest.approx(cin.m, abs=0.5)
    ground = column(moist, "surface_pressure", i)
    whole = np.concatenate([[ground.m], p.m]) * units.Pa
    vapor = metpy.calc.precipitable_water(whole, np.concatenate([dewpoint[:1], dewpoint]))
    assert column(moist, "vapor_content", i).m == pytest.approx(vapor.to("mm").m, rel=0.01)


def test_humidity_at_the_ground(moist: xr.Dataset):
    ratio = metpy.calc.mixing_ratio_from_specific_humidity(moist.air_humidity.metpy.quantify())
    lowest = moist.vapor_mixing_ratio[0]
    np.testing.assert_allclose(ratio.metpy.dequantify(), lowest, rtol=1e-12)


def test_pressure_at_sea_level_is_as_heavy_as_the_air_below_the_hill(mapped: xr.Dataset):
    """MetPy's hydrostatics of a column with 6.5 K/km below the ground: as thick as the ground is
    high, within 0.5 m, or 6 Pa."""
    j, i = np.unravel_index(int(mapped.ground.values.argmax()), mapped.ground.shape)
    here = mapped.isel(y=j, x=i)
    ground, low = float(here.ground), float(here.surface_pressure)
    assert ground > 500.0
    free = (low - 1e4) * units.Pa
    warm = log_interpolate_1d(
        free, here.air_pressure.metpy.quantify().data, here.layer_temperature.values
    )
    fall = 287.0 * 0.0065 / 9.81
    bottom = float(warm[0]) * (low / free.m) ** fall
    levels = np.linspace(0.0, ground, 50)
    t = bottom + 0.0065 * levels
    p = low * (t / bottom) ** (1.0 / fall)
    p[-1] = float(here.sea_level_pressure)
    thick = metpy.calc.thickness_hydrostatic(p[::-1] * units.Pa, t[::-1] * units.K)
    assert thick.to("m").m / constants == pytest.approx(ground, abs=0.5)


def test_heights_of_levels_of_pressure(mapped: xr.Dataset):
    """The thickness from 850 to 500 hPa by MetPy's hydrostatics of our temperatures: within 1 m."""
    here = mapped.isel(y=2, x=3)
    p, t = here.air_pressure.values, here.layer_temperature.values
    levels = np.array([85e3, *p[(p < 85e3) & (p > 50e3)], 50e3])
    inside = log_interpolate_1d(levels * units.Pa, p * units.Pa, t) * units.K
    thick = metpy.calc.thickness_hydrostatic(levels * units.Pa, inside).to("m").m
    between = float(here.isobaric_height[1] - here.isobaric_height[0])
    assert between == pytest.approx(thick / constants, abs=1.0)


def test_a_section_between_two_places(mapped: xr.Dataset):
    """Over longitude and latitude, on the file's map: temperature of the standard air within 1 K of
    6.5 K/km, wind to east and north by the convergence that PROJ has for the map."""
    start, end = (53.0, -4.0), (55.0, 0.0)
    names = ["layer_temperature", "eastward_wind", "northward_wind", "ground"]
    found = cross_section(mapped[names], start, end, steps=15)
    assert np.isfinite(found.layer_temperature).all()
    assert (float(found.latitude[0]), float(found.longitude[-1])) == pytest.approx(
        (53.0, 0.0), abs=1e-3
    )
    crs = mapped.metpy_crs.item().to_pyproj()
    longitude, latitude = mapped.longitude.values, mapped.latitude.values
    turned = np.deg2rad(pyproj.Proj(crs).get_factors(longitude, latitude).meridian_convergence)
    assert turned.min() > 0.1
    x = 0.5 * (mapped.x_wind.values[..., 1:] + mapped.x_wind.values[..., :-1])
    y = 0.5 * (mapped.y_wind.values[:, 1:] + mapped.y_wind.values[:, :-1])
    east = x * np.cos(turned) + y * np.sin(turned)
    north = y * np.cos(turned) - x * np.sin(turned)
    np.testing.assert_allclose(mapped.eastward_wind, east, atol=1e-3)
    np.testing.assert_allclose(mapped.northward_wind, north, atol=1e-3)


def test_our_section_is_metpys(mapped: xr.Dataset):
    """Along a great circle over the file's map: temperature within 1 mK, heights within 5 cm."""
    line = line_of(grid_of(mapped.layer_temperature), "-4,53,0,55", steps=15)
    found = cross_section(
        mapped[["layer_temperature", "geopotential_height"]], (53, -4), (55, 0), 15
    )
    np.testing.assert_allclose(line.x, found.longitude, atol=1e-3)
    np.testing.assert_allclose(line.y, found.latitude, atol=1e-3)
    ours = air_section(mapped, mapped.layer_temperature, 0, line)
    np.testing.assert_allclose(ours.values, found.layer_temperature, atol=1e-3)
    np.testing.assert_allclose(1e3 * ours.edges, found.geopotential_height, atol=0.05)
    assert np.ptp(ours.edges[0]) > 0.1


@pytest.mark.parametrize(
    "map_",
    [
        Conic.lambert([54.0], -2.0, 6.37e6),
        Conic.lambert([50.0, 60.0], -14.0, 6.37e6),
        Conic.lambert([-30.0, -60.0], 20.0, 6.37e6),
        Conic.stereographic(60.0, 10.0, 6.37e6),
        Conic.stereographic(-71.0, 0.0, 6.37e6),
        Mercator(latitude=20.0, longitude=140.0, radius=6.37e6),
    ],
    ids=["one parallel", "two", "south", "stereographic", "stereographic south", "mercator"],
)
def test_proj_reads_our_maps(map_: Any):
    """By the CF attributes alone it puts places where we have them, within 1 mm."""
    longitude = map_.longitude + np.array([-7.0, 0.0, 9.0])
    latitude = np.array([44.0, 52.0, 61.0]) * np.sign(map_.grid_mapping.get(
        "latitude_of_projection_origin", 1.0))  # fmt: skip
    attributes = {
        name: value[0] if isinstance(value, list) and len(value) == 1 else value  # as in a file
        for name, value in map_.grid_mapping.items()
    }
    found = pyproj.Proj(pyproj.CRS.from_cf(attributes))(longitude, latitude)
    np.testing.assert_allclose(found, map_.to_map(longitude, latitude), atol=1e-3)
