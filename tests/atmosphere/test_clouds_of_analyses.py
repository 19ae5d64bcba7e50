"""Clouds, rain and ice that analyses tell, in starts and in runs from them. Ranks: 1."""

from __future__ import annotations

from pathlib import Path

import netCDF4
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from atmosphere.analysis_files import column_values, write_analysis
from atmosphere.dynamics_cases import begun, ended
from atmosphere.test_given_sides import levels, make_analysis, x, y
from halocline.atmosphere.case import AtmosphereCase
from halocline.atmosphere.component import AtmosphereComponent
from halocline.atmosphere.start.pressure_level_files import PressureLevelFiles
from halocline.atmosphere.start.start_files import side_names
from halocline.core.errors import UserError
from halocline.grids.files.parts import part_of

shape = levels.size, y.size, x.size


def clouds() -> dict[str, np.ndarray]:
    """Cloud of 0.4 g/kg at 850 and 700 hPa, rain below in the east, ice at 300 hPa, from east to
    west less; nothing below the ground."""
    found = {name: np.zeros(shape) for name in ("clwmr", "rwmr", "ciwc")}
    found["clwmr"][1:3] = 4e-4
    found["rwmr"][:3, :, x > 5.0] = 0.3
    found["ciwc"][4] = np.linspace(0.0, 1e-4, x.size)
    found["clwmr"][0, :, :3] = np.nan
    return found


def read(folder: Path) -> dict[str, np.ndarray]:
    with netCDF4.Dataset(folder / "start.nc") as file:
        return {name: np.squeeze(np.asarray(v[:])) for name, v in file.variables.items()}


def densities(start: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Weight of the dry air of layers [Pa], and its density [kg m-3]."""
    layer = start["c1"][:, None, None] * start["mass"] + start["c2"][:, None, None]
    weight = layer * -np.diff(start["interface"])[:, None, None]
    return weight, weight / np.diff(start["geopotential"], axis=0)


def test_starts_have_the_clouds_of_the_analysis(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """They weigh: all water and the dry air are the pressure at the ground; else all stays."""
    (tmp_path / "clear").mkdir()
    make_analysis(tmp_path, **clouds())
    assert "of columns up to [kg/m2]: cloud " in (said := capsys.readouterr().out)
    assert ", ice " in said and ", rain " in said and "vapour alone" not in said
    start = read(tmp_path)
    cloud, rain, ice = (start[f"{kind}_mixing_ratio"] for kind in ("cloud", "rain", "ice"))
    assert cloud.max() == pytest.approx(4e-4, rel=1e-6) and cloud.min() == 0.0
    assert rain.max() == pytest.approx(3e-4, rel=1e-6) and rain.min() == 0.0
    k = int(np.abs(start["pressure"][:, 0, 0] - 300e2).argmin())
    along = ice[k].mean(axis=0)
    assert (np.diff(along) > 0).all() and 2e-5 < along[-1] < 1e-4
    weight, _ = densities(start)
    water = start["vapor"] + cloud + rain + ice
    assert_allclose(
        (weight * (1.0 + water)).sum(axis=0) + start["top_pressure"], start["surface_pressure"],
        rtol=2e-7,
    )  # fmt: skip
    assert (weight * (cloud + rain)).sum(axis=0).max() > 10.0  # so that this is seen
    make_analysis(tmp_path / "clear")
    clear = read(tmp_path / "clear")
    assert_allclose(start["vapor"], clear["vapor"], rtol=2e-3)
    assert_allclose(start["temperature"], clear["temperature"], rtol=2e-5)


def moist(folder: Path, scheme: str = "thompson") -> AtmosphereCase:
    settings = {"atmosphere.microphysics.scheme": scheme, "time.length": "4min"}
    return make_analysis(folder, **clouds()).with_settings(settings)


def water_of(component: AtmosphereComponent) -> dict[str, np.ndarray]:
    return dict(zip(component.state.species, component.state.water.gather(), strict=True))


def test_a_run_begins_with_them_and_numbers_of_them(tmp_path: Path):
    """Drops of Marshall and Palmer: their mass is pi rho_w N0 / slope^4, their number N0 / slope;
    crystals 5.38e7 content^(3/4) in a cubic metre. Where there are none there is no number."""
    case = moist(tmp_path)
    water = water_of(component := begun(case))
    start = read(tmp_path)
    _, density = densities(start)
    for kind in ("cloud", "rain", "ice"):
        assert_array_equal(water[kind], start[f"{kind}_mixing_ratio"])
    for kind in ("rain", "ice"):
        assert_array_equal(water[f"{kind}_number"] > 0.0, water[kind] > 0.0)
        assert (water[kind] > 0.0).any()
    some = water["rain"] > 0.0
    slope = 8e6 / (water["rain_number"] * density)[some]
    assert_allclose(np.pi * 1e3 * 8e6 / slope**4, (water["rain"] * density)[some], rtol=1e-5)
    some = water["ice"] > 0.0
    many = 5.38e7 * (water["ice"] * density)[some] ** 0.75
    assert_allclose((water["ice_number"] * density)[some], many, rtol=1e-5)
    assert water["snow"].max() == water["graupel"].max() == 0.0
    after = ended(case, component).state.water.gather()
    assert np.isfinite(after).all() and after.min() >= 0.0 and after[-2].max() > 10.0


def test_numbers_of_a_file_stay(tmp_path: Path):
    case = moist(tmp_path)
    with netCDF4.Dataset(tmp_path / "start.nc", "a") as file:
        given = file.createVariable("rain_number", "f4", ("time", "level", "y", "x"))
        given[:] = 0.0
        given[0, 0] = 1234.0
    water = water_of(begun(case))
    assert_array_equal(water["rain_number"][0], 1234.0)
    assert_array_equal(water["rain_number"][1:] > 0.0, water["rain"][1:] > 0.0)


@pytest.mark.parametrize(
    ("scheme", "kinds"), [("kessler", ("cloud", "rain")), ("wsm6", ("cloud", "rain", "ice"))]
)
def test_schemes_take_the_kinds_that_they_have(tmp_path: Path, scheme, kinds):
    water = water_of(begun(moist(tmp_path, scheme)))
    start = read(tmp_path)
    for kind in kinds:
        assert_array_equal(water[kind], start[f"{kind}_mixing_ratio"])
    assert "rain_number" not in water


def test_an_analysis_without_clouds_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    make_analysis(tmp_path)
    assert "the analysis tells no clouds: of water there is vapour alone" in capsys.readouterr().out
    assert not [name for name in read(tmp_path) if name.endswith("_mixing_ratio")]


def test_levels_that_clouds_lack_have_none(tmp_path: Path):
    """Clouds on their own levels, in another order, without the upper ones; one out of range."""
    path = write_analysis(tmp_path / "a.nc", x, y, levels, column_values(levels, shape[1:]))
    with netCDF4.Dataset(path, "a") as file:
        file.createDimension("lower", 3)
        axis = file.createVariable("lower", "f8", ("lower",))
        axis.units, axis.standard_name = "hPa", "air_pressure"
        axis[:] = [500.0, 850.0, 700.0]
        found = file.createVariable("clwmr", "f8", ("time", "lower", "latitude", "longitude"))
        found.units = "kg kg-1"
        found[0] = np.array([1e-5, 3e-5, 2e-5])[:, None, None]
    files = PressureLevelFiles([path])
    whole = part_of(np.ones(y.size, bool), np.ones(x.size, bool))
    cloud = files.condensed_on_levels("cloud", files.files.records[0], whole)
    assert_allclose(cloud[:, 2, 3], [0.0, 3e-5, 2e-5, 1e-5, 0.0, 0.0, 0.0, 0.0])
    files.close()
    with netCDF4.Dataset(path, "a") as file:
        file["clwmr"][0, 1, 2, 2] = 0.3
    files = PressureLevelFiles([path])
    with pytest.raises(UserError, match="'clwmr' of .* is 0.3 at 850 hPa"):
        files.condensed_on_levels("cloud", files.files.records[0], whole)


@pytest.mark.parametrize("scheme", ["wsm6", "thompson"])
def test_clouds_come_in_at_the_sides(tmp_path: Path, scheme: str):
    """Sides are given what the file's next record has, of kinds that it has, and numbers of these;
    what it lacks is 0 there, and the log says so. Kernels of sides have tests of their own."""
    case = moist(tmp_path, scheme)
    with netCDF4.Dataset(tmp_path / "sides.nc", "a") as file:
        for side in side_names:
            assert file[f"rain_mixing_ratio_{side}"][:].max() == pytest.approx(
                3e-4 if side != "west" else 0.0, rel=1e-6
            )
            file[f"cloud_mixing_ratio_{side}"][1] *= 3.0  # six hours after the start
        west = {kind: file[f"{kind}_mixing_ratio_west"][0] for kind in ("cloud", "ice")}
    component = begun(case)
    ended(case, component)
    assert component.remarks == ["the file of sides tells no snow, graupel: 0 there"]
    species = component.state.species
    given = {
        name: component.given.field("after", "water").gather()[species.index(name)]
        for name in species
    }
    for kind, factor in (("cloud", 3.0), ("ice", 1.0)):
        there = np.swapaxes(west[kind], -1, -2)[:, 3:-3, :3]
        assert there.max() > 0.0
        assert_allclose(given[kind][:, 3:-3, :3], factor * there, rtol=1e-6)
    if scheme == "thompson":
        assert_array_equal(given["ice"][:, :3] > 0.0, given["ice_number"][:, :3] > 0.0)


def test_sides_without_clouds_say_so(tmp_path: Path):
    settings = {"atmosphere.microphysics.scheme": "kessler", "time.length": "4min"}
    component = begun(make_analysis(tmp_path).with_settings(settings))
    assert component.remarks == ["the file of sides tells no clouds: no condensed water comes in"]
    assert component.given.known == ("vapor",)
