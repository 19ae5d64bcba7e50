"""Files with values that cannot be: one message with quantity, value, bound, place, time, file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray

from halocline.component.case.reading import make_case
from halocline.core.errors import UserError
from halocline.experiment.check import report
from halocline.experiment.run import run

fill = 9.0e33


def winds() -> xarray.Dataset:
    """Light winds on a grid wider than that of the model, for a day."""
    dims = ("time", "lat", "lon")
    return xarray.Dataset(
        {name: (dims, np.full((3, 9, 9), 5.0)) for name in ("u10", "v10")},
        {
            "time": ("time", [0.0, 6.0, 12.0], {"units": "hours since 2000-01-01"}),
            "lat": ("lat", np.arange(-4.0, 5.0), {"units": "degrees_north"}),
            "lon": ("lon", np.arange(-4.0, 5.0), {"units": "degrees_east"}),
        },
    )


def spectra() -> xarray.Dataset:
    """Spectra at the corners of the model."""
    places = {
        "lon": ("station", [-2.0, 2.0, -2.0, 2.0]),
        "lat": ("station", [-2.0, -2.0, 2.0, 2.0]),
    }
    dims = ("time", "station", "frequency", "direction")
    return xarray.Dataset(
        {"efth": (dims, np.full((2, 4, 3, 4), 0.1)), **places},
        {
            "time": ("time", [0.0, 12.0], {"units": "hours since 2000-01-01"}),
            "frequency": ("frequency", [0.05, 0.1, 0.2]),
            "direction": ("direction", [0.0, 90.0, 180.0, 270.0]),
        },
    )


def depths() -> xarray.Dataset:
    return xarray.Dataset(
        {"depth": (("lat", "lon"), np.full((5, 5), 100.0))},
        {
            "lat": ("lat", np.arange(-2.0, 3.0), {"units": "degrees_north"}),
            "lon": ("lon", np.arange(-2.0, 3.0), {"units": "degrees_east"}),
        },
    )


def case_in(folder: Path, **changed: Any) -> dict[str, Any]:
    """A case of six hours that reads the files of a folder."""
    table: dict[str, Any] = {
        "data_folder": str(folder),
        "grid": {"nx": 5, "ny": 5, "x0": -2.0, "y0": -2.0},
        "spectrum": {"frequencies": 3, "directions": 4},
        "time": {"length": "6h"},
        "forcing": {"wind": {"file": "wind.nc"}},
    }
    return {**table, **changed}


def both_refuse(table: dict[str, Any], *words: str) -> None:
    """A check and a run refuse a case with one message that has these words."""
    case = make_case(table)
    with pytest.raises(UserError) as refused:
        run(case)
    with pytest.raises(UserError) as checked:
        report(case, 1)
    assert str(checked.value) == str(refused.value)
    for word in words:
        assert word in str(refused.value)


@pytest.mark.parametrize("value", [1e20, 1e30, -1e30, 300.0, np.inf])
def test_winds_that_cannot_be(tmp_path: Path, value: float) -> None:
    data = winds()
    data.v10.values[1, 3, 5] = value
    data.to_netcdf(tmp_path / "wind.nc")
    both_refuse(
        case_in(tmp_path), f"'v10' of {tmp_path / 'wind.nc'} is {value:g} m s-1", "at 1 E, 1 S",
        "2000-01-01 06:00", "northward wind at 10 m lies between -150 and 150 m s-1",
    )  # fmt: skip


def test_fill_values_that_are_named_are_gaps(tmp_path: Path) -> None:
    data = winds()
    data.v10.values[1, 4, 4] = fill
    data.v10.encoding["_FillValue"] = fill
    data.to_netcdf(tmp_path / "wind.nc")
    both_refuse(case_in(tmp_path), "is missing (NaN) over sea", "0 E, 0 N")


@pytest.mark.parametrize("axis", ["lat", "lon"])
@pytest.mark.parametrize(
    ("value", "words"), [(np.nan, "has no value at place 9 of 9"), (1e20, "is 1e+20 degrees_")]
)
def test_axes_that_cannot_be(tmp_path: Path, axis: str, value: float, words: str) -> None:
    data = winds()
    values = data[axis].values.copy()
    values[-1] = value
    data[axis] = (axis, values, data[axis].attrs)
    data.to_netcdf(tmp_path / "wind.nc", encoding={axis: {"_FillValue": None}})
    both_refuse(case_in(tmp_path), words, f"'{axis}' of {tmp_path / 'wind.nc'}")


def test_latitudes_beyond_the_poles(tmp_path: Path) -> None:
    data = winds()
    data["lat"] = ("lat", [-4.0, -3, -2, -1, 0, 1, 2, 3, 120], {"units": "degrees_north"})
    data.to_netcdf(tmp_path / "wind.nc")
    both_refuse(case_in(tmp_path), "is 120 degrees_north at place 9", "between -90.001 and 90.001")


def test_times_that_cannot_be(tmp_path: Path) -> None:
    for name, times, words in (
        ("none", [], "has no record"),
        ("nan", [0.0, np.nan, 12.0], "The time of record 2"),
        ("far", [0.0, 6.0, 1e300], "have no units such as"),
    ):
        data = winds().isel(time=slice(0, len(times)))
        units = {"units": "hours since 2000-01-01"}
        data = data.drop_vars("time").assign_coords(time=("time", np.array(times, float), units))
        data.to_netcdf(tmp_path / f"{name}.nc", encoding={"time": {"_FillValue": None}})
        wind = {"forcing": {"wind": {"file": f"{name}.nc"}}}
        both_refuse(case_in(tmp_path, **wind), words, f"{name}.nc")


@pytest.mark.parametrize(
    ("quantity", "value", "words"),
    [
        ("ice", 40.0, "sea-ice concentration lies between -0.1 and 1.1"),
        ("air_sea", 280.0, "between -100 and 100 K"),
    ],
)
def test_ice_and_temperatures_that_cannot_be(
    tmp_path: Path, quantity: str, value: float, words: str
) -> None:
    winds().to_netcdf(tmp_path / "wind.nc")
    name = {"ice": "ice", "air_sea": "air_sea_temperature_difference"}[quantity]
    data = winds().rename(u10=name).drop_vars("v10")
    data[name].values[:] = 0.0
    data[name].values[:, 4, 4] = value
    data.to_netcdf(tmp_path / "more.nc")
    forcing = {"wind": {"file": "wind.nc"}, quantity: {"file": "more.nc"}}
    both_refuse(case_in(tmp_path, forcing=forcing), words, "at 0 E, 0 N", "2000-01-01 00:00")


@pytest.mark.parametrize("value", [1e20, -32767.0])
def test_depths_that_cannot_be(tmp_path: Path, value: float) -> None:
    data = depths()
    data.depth.values[1, 3] = value
    data.to_netcdf(tmp_path / "depth.nc")
    table = case_in(tmp_path, grid={"file": "depth.nc"}, forcing={})
    both_refuse(table, f"is {value:g} m at 1 E, 1 S", "between -30000 and 30000 m")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("efth", 1e30, "is 1e+30 m2 s rad-1"),
        ("efth", -5.0, "is -5 m2 s rad-1"),
        ("frequency", np.nan, "has no value at place 1"),
        ("frequency", 3.0, "do not ascend"),
        ("direction", 1e20, "is 1e+20 degree"),
    ],
)
@pytest.mark.parametrize("used", ["boundary", "start"])
def test_spectra_that_cannot_be(
    tmp_path: Path, used: str, name: str, value: float, words: str
) -> None:
    data = spectra()
    values = data[name].values.copy()
    values.flat[0] = value
    data[name] = (data[name].dims, values)
    data.to_netcdf(tmp_path / "s.nc", encoding={name: {"_FillValue": None}})
    path = str(tmp_path / "s.nc")
    table = case_in(tmp_path, forcing={})
    if used == "boundary":
        table["boundary"] = {"file": path}
        table["grid"]["boundary"] = ["west", "east", "south", "north"]
    else:
        table["start"] = {"kind": "given", "given": {"file": path, "time": 0}}
    both_refuse(table, words, "s.nc")


def test_a_region_without_sea_is_refused(tmp_path: Path) -> None:
    data = depths()
    data.depth.values[:, 3:] = 0.0
    data.to_netcdf(tmp_path / "depth.nc")
    maps = {"variables": ["significant_height"], "region": [1, 2, -2, 2]}
    table = case_in(tmp_path, grid={"file": "depth.nc"}, forcing={}, output={"fields": {"m": maps}})
    with pytest.raises(UserError, match=r"'m': region = \[.*\] holds no sea point: all 10 cells"):
        run(make_case(table), output=tmp_path / "out")
    with pytest.raises(UserError, match="holds no sea point: all 10 cells"):
        report(make_case(table), 1)
