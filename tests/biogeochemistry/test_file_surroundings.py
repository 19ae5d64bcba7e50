"""Water and air around the tracers from files: linear in time, looked through, closed."""

import os
from pathlib import Path

import numpy as np
import pytest
import xarray

from biogeochemistry import sea_files as sea
from halocline.component.case.reading import make_case
from halocline.core.clock import date
from halocline.core.errors import UserError
from halocline.experiment.run import run
from halocline.runtime.ranks.communicator import Alone

surface = {"short_wave": ("W m-2", 50.0, 250.0), "wind_speed": ("m s-1", 1.0, 12.0)}


def write(folder: Path, *, kelvin: bool = False) -> xarray.Dataset:
    """An ocean's file with all that surrounds tracers, uniform at the surface."""
    sea.write_grid(folder / "grid.nc")
    sea.write_corners(folder / "flow.nc")
    with xarray.open_dataset(folder / "flow.nc", decode_times=False) as flow:
        data = flow.load()
    warm = data.temperature.values
    if kelvin:
        data["temperature"] = (data.temperature.dims, warm + 273.15, {"units": "K"})
    data["salinity"] = (data.temperature.dims, 0.1 * warm + 35.0, {"units": "1"})
    for name, (units, least, most) in surface.items():
        values = np.linspace(least, most, sea.days.size)[:, None, None]
        values = values * np.ones(data.sea_level.shape[1:])
        data[name] = (data.sea_level.dims, values, {"units": units})
    data.to_netcdf(folder / "ocean.nc")
    return data


ours = {
    "velocity_v": "m s-1",
    "sea_level": "m",
    "vertical_diffusivity": "m2 s-1",
    "temperature": "degree_C",
    "salinity": "1e-3",
    "short_wave": "W m-2",
    "wind_speed": "m s-1",
}


@pytest.mark.parametrize("name", ours)
def test_units_of_another_system_are_one_clear_message(tmp_path: Path, name: str) -> None:
    data = write(tmp_path)
    if name == "vertical_diffusivity":
        data[name] = (data.temperature.dims, np.full(data.temperature.shape, 1e-4))
    data[name].attrs["units"] = "furlong"
    data.to_netcdf(tmp_path / "ocean.nc")
    made = make_case(case(tmp_path))
    component = made.build(made.time.clock(), Alone())
    words = f"The variable '{name}' of .* has the units 'furlong', which cannot be brought to"
    with pytest.raises(UserError, match=f"{words} '{ours[name]}'. Known units are: ") as error:
        component.look_through_input(np.inf)
    component.close()
    assert "\n" not in str(error.value)


def open_files(folder: Path) -> int:
    """Files of a folder that this process has open."""
    own = [Path(f"/proc/self/fd/{one}") for one in os.listdir("/proc/self/fd")]
    return sum(one.exists() and one.readlink().parent == folder for one in own)


def case(folder: Path) -> dict:
    return {
        "component": "biogeochemistry",
        "precision": "float64",
        "data_folder": str(folder),
        "grid": {
            "file": "grid.nc",
            "closed_edges": False,
            "levels": {"thickness": sea.thickness.tolist()},
        },
        "time": {"start": "2000-01-01", "length": "18h", "step": "1h"},
        "biology": {"model": "npzd"},
        "transport": {
            "circulation": "files",
            "files": {"file": "ocean.nc", "largest_surface_water": 1e3},
        },
    }


@pytest.mark.parametrize("kelvin", [False, True])
def test_fields_are_those_of_the_middle_of_a_step(tmp_path: Path, kelvin: bool) -> None:
    """Means of days stand at noon: 17:30 is 5.5 hours after that of the first."""
    data = write(tmp_path, kelvin=kelvin)
    state = run(case(tmp_path)).component.state
    assert open_files(tmp_path) == 0
    share = 5.5 / 24.0
    for name in ("temperature", "salinity"):
        values = data[name].values - (273.15 if kelvin and name == "temperature" else 0.0)
        expected = (1 - share) * values[0] + share * values[1]
        found, wet = getattr(state, name).gather(), sea.wet()
        np.testing.assert_allclose(found[wet], expected[wet], rtol=1e-12)
    for name, (_, least, most) in surface.items():
        expected = least + (most - least) * share / (sea.days.size - 1)
        found = getattr(state, name).gather()[sea.depth > 0]
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_ice_stops_gases_and_a_map_takes_light(tmp_path: Path) -> None:
    """Attenuation between monthly records, the same at all depths; no gas passes whole ice."""
    data = write(tmp_path)
    ice = np.zeros(data.sea_level.shape)
    ice[..., :6] = 1.0
    data["ice"] = (data.sea_level.dims, ice, {"units": "1"})
    data.to_netcdf(tmp_path / "ocean.nc")
    clear = 0.03 + 0.01 * np.arange(sea.ni) * np.ones((sea.nj, 1))
    time = {"units": "days since 1999-12-31", "calendar": "standard"}
    xarray.Dataset(
        {"kd490": (("time", "lat", "lon"), np.stack([clear, 3.0 * clear]), {"units": "m-1"})},
        {
            "time": ("time", [0.0, 2.0], time),
            "lat": ("lat", sea.y, {"units": "degrees_north"}),
            "lon": ("lon", sea.x, {"units": "degrees_east"}),
        },
    ).to_netcdf(tmp_path / "clear.nc")
    table = case(tmp_path)
    table["light"] = {"course": "given", "map": {"file": "clear.nc"}}
    table["biology"] = {"model": "bfm"}
    table["time"]["length"] = "2h"
    component = run(table).component
    state, wet = component.state, sea.wet()
    share = (24.0 + 1.5) / 48.0
    attenuation = (1.0 - share) * clear + share * 3.0 * clear
    np.testing.assert_allclose(state.attenuation.gather()[wet[2]], attenuation[wet[2]], rtol=1e-12)
    light, above = state.light.gather(), state.surface_light.gather()
    top = (state.volume.gather() / state.area.gather())[2]
    expected = above * np.exp(-0.5 * attenuation * top)
    np.testing.assert_allclose(light[2][wet[2]], expected[wet[2]], rtol=1e-9)
    uptake = component.biology.air.oxygen_uptake.gather()
    assert (uptake[:, :6] == 0.0).all()
    assert (uptake[:, 6:][wet[2, :, 6:]] != 0.0).all()
    assert open_files(tmp_path) == 0


def test_a_run_with_all_that_comes_in_keeps_its_elements(tmp_path: Path) -> None:
    """Flow with water through the surface, a river, deposition, open boundary, floor and air."""
    write(tmp_path)
    table = case(tmp_path)
    table["time"]["length"] = "3h"
    table["biology"] = {"model": "bfm", "bfm": {"sinking": {"floor": "buried"}}}
    river = {"mouth": [6.1, 33.9], "flow": 1e4, "concentrations": {"N3n": 50.0, "N5s": 40.0}}
    opened = {"box": [12.6, 16.0, 20.0, 50.0], "time_scale": 0.1, "values": {"N1p": 3.0}}
    table["transport"]["boundaries"] = {
        "rivers": {"r": river},
        "deposition": {"N1p": 2.0},
        "open": {"e": opened},
    }
    done = run(table, check_halos=True).component
    came, outside = done.boundaries.totals(), done.biology.outside()
    assert abs(done.biology.air.taken()) > 0.0
    assert all(outside[element] != 0.0 for element in ("nitrogen", "phosphorus", "silicon"))
    assert (np.abs(came) > 0.0).all(), "water through the surface carries every tracer"
    for element, (before, now) in done.elements().items():
        assert now == pytest.approx(before, rel=1e-12), element
        names = done.biology.elements[element]
        entered = came[[done.options.tracers.index(name) for name in names]].sum()
        assert abs(entered) > 1e-9 * before, "the budget would close without it"


def test_all_of_them_are_looked_through_and_closed(tmp_path: Path) -> None:
    write(tmp_path)
    table = case(tmp_path)
    made = make_case(table)
    component = made.build(made.time.clock(), Alone())
    done, total = component.look_through_input(np.inf)
    flow, _ = component.flow.look_through(np.inf)
    assert done == total == flow + 4 * 2  # records around 18 hours
    component.environment.fill(component.state, date("2000-01-01 12"), 3600.0)
    assert open_files(tmp_path) > 0
    component.close()
    assert open_files(tmp_path) == 0
