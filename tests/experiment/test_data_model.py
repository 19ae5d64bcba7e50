"""Data models: what files hold comes to another member as it stands there, in time and in space."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray

from halocline.core.errors import UserError
from halocline.experiment.members import make_members
from halocline.experiment.run import run

hours = np.arange(0, 13, 6)
longitude, latitude = np.arange(190.0, 202.0, 2.0), np.array([20.0, 23.0, 25.0, 26.0, 30.0])


def wind(time: Any, x: Any, y: Any) -> Any:
    """Linear in time and in space, so that no interpolation changes it."""
    return 0.25 * time + 0.5 * (x - 190.0) - 0.125 * (y - 20.0)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Winds on uneven latitudes from north to south, in km/h, with one point that has none."""
    values = wind(hours[:, None, None], longitude, latitude[:, None])
    values[:, 2, 3] = np.nan
    facts = {"standard_name": "eastward_wind", "units": "km h-1"}
    found = xarray.Dataset(
        {"w10": (("time", "lat", "lon"), 3.6 * values, facts)},
        {
            "time": np.datetime64("2000-01-01") + hours * np.timedelta64(1, "h"),
            "lat": ("lat", latitude, {"units": "degrees_north"}),
            "lon": ("lon", longitude, {"units": "degrees_east"}),
        },
    )
    found.isel(lat=slice(None, None, -1)).to_netcdf(tmp_path / "wind.nc")
    return tmp_path


def members(folder: Path, *, taker: dict[str, Any], **exchange: Any) -> dict[str, Any]:
    source = {"file": "wind.nc", "fields": ["wind_u"], "variables": ["w10"]}
    return {
        "data_folder": str(folder),
        "time": {"start": "2000-01-01T00:00:00", "length": "12h"},
        "members": {
            "winds": {
                "component": "data", "precision": "float64", "time": {"step": "1h"},
                "data": {"gives": {"wind": source}},
            },
            "sink": {
                "component": "data", "precision": "float64", "time": {"step": "3h"},
                "data": {"takes": ["wind_u"]},
                "output": {"fields": {"maps": {"interval": "3h"}}},
                **taker,
            },
        },
        "exchanges": {
            "wind": {
                "source": "winds", "target": "sink", "fields": ["eastward_wind"], **exchange,
            }
        },
    }  # fmt: skip


fine = {
    "grid": {"nx": 5, "ny": 3, "x0": 191.0, "y0": 20.5, "dx": 0.5, "dy": 0.5, "closed_edges": False}
}


@pytest.mark.parametrize(
    ("exchange", "before"),
    [({}, 0.0), ({"lagged": True}, 0.0), ({"operator": "mean"}, 1.0), ({"lag": "3h"}, 3.0)],
    ids=["now", "lagged", "mean", "later"],
)
def test_a_sink_writes_what_files_hold(files: Path, exchange: dict[str, Any], before: float):
    """Means of three hours are the values of an hour before; what is lagged comes after maps. What
    is given at the start is in the first record."""
    run(members(files, taker=fine, **exchange), output=files / "out")
    with xarray.open_dataset(files / "out" / "sink.maps.nc") as found:
        x, y = np.meshgrid(found.longitude, found.latitude)
        for number, hour in enumerate(range(0, 13, 3)):
            late = 3.0 if exchange.get("lagged") else 3.0 + before if "lag" in exchange else before
            wanted = wind(max(hour - late, 0.0), x, y)
            assert np.abs(found.wind_u[number] - wanted).max() < 2e-3, (hour, late)
            # Great circles are no lines of latitude: half a degree makes a thousandth of it.


def test_the_grid_of_files_is_theirs(files: Path):
    """Cells around uneven lines; what has no value is land, and nobody is given it."""
    case = members(files, taker={})
    del case["members"]["sink"], case["exchanges"]
    component = run(case).components["winds"]
    plane = component.plane
    assert plane.shape == (5, 6) and plane.mask.sum() == 29 and not plane.mask[2, 3]
    at = plane.at(component.fields["wind_u"].place)
    assert np.abs(at.y[:, 0] - latitude).max() < 1e-12
    found = component.fields["wind_u"].gather()[plane.mask]
    assert np.abs(found - wind(12.0, at.x, at.y)[plane.mask]).max() < 1e-12


def test_grids_that_do_not_overlap_are_refused(files: Path):
    elsewhere = {"grid": {**fine["grid"], "x0": 20.0}}
    case = members(files, taker=elsewhere)
    with pytest.raises(
        UserError, match="'wind' has nothing to give: no point of the sea of 'sink'"
    ):
        run(case)
    case["exchanges"]["wind"]["extrapolation"] = "nearest"
    run(case)


refused: dict[str, Any] = {
    "is no multiple of the schedule's interval of 3h": {"interval": "4h"},
    "lag = 2h is no multiple of the exchange's interval": {"lag": "2h"},
    "is one of|not one of|operator": {"operator": "median"},
    "'winds' does not give 'northward_wind'. It gives wind_u": {"fields": ["northward_wind"]},
}


@pytest.mark.parametrize("words", refused)
def test_refused(files: Path, words: str):
    with pytest.raises(UserError, match=words):
        make_members(members(files, taker=fine, **refused[words]))


def test_two_that_give_one_field_are_refused(files: Path):
    case = members(files, taker=fine)
    case["exchanges"]["again"] = case["exchanges"]["wind"]
    with pytest.raises(UserError, match="exchanges.wind and exchanges.again both give 'wind_u'"):
        make_members(case)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "gives and takes nothing"),
        ({"takes": ["wind_w"]}, "which is no known field. Did you mean"),
        ({"takes": ["ice", "ice"]}, "has 'ice' twice"),
        ({"gives": {"a": {"file": "wind.nc"}}}, "Give both"),
    ],
)
def test_options_of_data_are_refused(options: dict[str, Any], words: str):
    with pytest.raises(UserError, match=words):
        make_members({"component": "data", "data": options, "time": {"step": "1h"}})


def test_it_steps(files: Path):
    case = members(files, taker=fine)
    assert make_members(case).schedule().interval == timedelta(hours=3)
