"""The season of a start: upper water as warm as the file's surface at that date. Ranks: 1."""

import numpy as np
import pytest
import xarray

from halocline.experiment.run import run
from halocline.ocean.case import OceanCase


@pytest.mark.parametrize(("start", "warm"), [("2000-01-16", 4.0), ("2000-07-16", 20.0)])
def test_upper_water_has_the_season_of_the_date(tmp_path, start, warm):
    """Down to 40 m, less below, none from 80 m on; on land and under the floor nothing."""
    months = np.array([f"2000-{month:02}-16" for month in range(1, 13)], "datetime64[ns]")
    series = 12.0 - 8.0 * np.cos(2.0 * np.pi * np.arange(12) / 12.0)
    lines = {
        "time": months,
        "lat": ("lat", np.array([30.0, 60.0]), {"units": "degrees_north"}),
        "lon": ("lon", np.array([0.0, 40.0]), {"units": "degrees_east"}),
    }
    values = np.broadcast_to(series[:, None, None], (12, 2, 2))
    facts = {"standard_name": "sea_surface_temperature", "units": "degree_C"}
    xarray.Dataset({"sst": (("time", "lat", "lon"), values, facts)}, lines).to_netcdf(
        tmp_path / "sst.nc"
    )
    depth = [[200.0] * 6 for _ in range(5)]
    depth[2][3] = 40.0
    table = {
        "component": "ocean",
        "data_folder": str(tmp_path),
        "precision": "float64",
        "time": {"start": start, "length": "1h", "step": "1h"},
        "grid": {
            "nx": 6, "ny": 5, "x0": 10.0, "y0": 40.0, "depth": depth,
            "levels": {"thickness": [20.0, 20.0, 30.0, 30.0, 100.0]},
        },
        "ocean": {
            "start": {
                "deep": 2.0, "range": 0.0,
                "surface": {
                    "file": "sst.nc", "variable": "sst", "every_year": True, "depth": 40.0,
                },
            },
        },
    }  # fmt: skip
    component = OceanCase.from_table(table)
    whole = run(component, settings=["time.step=1min", "time.length=1min"]).component
    found = whole.model.state.tracer.gather()[0]
    share = np.clip(2.0 - np.array([150.0, 85.0, 55.0, 30.0, 10.0]) / 40.0, 0.0, 1.0)
    assert share.tolist() == [0.0, 0.0, 0.625, 1.0, 1.0]
    expected = 2.0 + share * (warm - 2.0)
    assert np.abs(found[:, 1, 1] - expected).max() < 1e-3  # a step has mixed a little
    assert not found[:3, 2, 3].any() and abs(found[3, 2, 3] - warm) < 1e-3
    assert not found[:, 0, 0].any()
