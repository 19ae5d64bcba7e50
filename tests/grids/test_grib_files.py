"""GRIB files through a stand-in of eccodes that hands out prepared messages."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from halocline.core.clock import date
from halocline.core.errors import UserError
from halocline.grids.gridded_files import GriddedFiles

longitude, latitude = np.arange(0.0, 360.0, 90.0), np.array([90.0, 0.0, -90.0])


def message(name, time, values, **more):
    y, x = np.meshgrid(latitude, longitude, indexing="ij")
    return {
        "shortName": name, "typeOfLevel": "heightAboveGround", "gridType": "regular_ll",
        "validityDate": 20110115, "validityTime": time, "longitudes": x.ravel(),
        "latitudes": y.ravel(), "values": values, **more,
    }  # fmt: skip


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Reads a file that holds the given messages."""

    def files(messages):
        queue = list(messages)
        stand_in = SimpleNamespace(
            codes_grib_new_from_file=lambda file: queue.pop(0) if queue else None,
            codes_release=lambda message: None,
            codes_set=lambda message, key, value: message.update({key: value}),
            codes_get=lambda message, key: message[key],
            codes_get_array=lambda message, key: message[key],
            codes_get_values=lambda message: message["values"],
        )
        monkeypatch.setitem(sys.modules, "eccodes", stand_in)
        path = tmp_path / "gfs.grib2"
        path.write_bytes(b"GRIB")
        return GriddedFiles([path])

    return files


def test_winds_are_put_in_order(read):
    values = np.arange(12.0)
    values[5] = 1e30
    files = read(
        [message("10u", 600, values + 100), message("10v", 600, -values), message("10u", 0, values),
         message("10v", 0, -values), message("t", 0, values), message("gh", 0, values)]
    )  # fmt: skip
    assert files.times == [date("2011-01-15"), date("2011-01-15 06")]
    first = files.read(files.find("wind_u"), "wind_u", files.records[0])
    expected = values.reshape(3, 4)[::-1].copy()
    expected[1, 1] = np.nan
    assert np.array_equal(first, expected, equal_nan=True)
    later = files.read(files.find("wind_v"), "wind_v", files.records[1])
    assert later[0, 0] == -8.0


def test_files_without_wind_or_on_other_grids(read):
    with pytest.raises(UserError, match="has none of the fields"):
        read([message("gh", 0, np.zeros(12))])
    with pytest.raises(UserError, match="not on a regular latitude-longitude grid"):
        read([message("10u", 0, np.zeros(12), gridType="reduced_gg")])
    with pytest.raises(UserError, match="share no time"):
        read([message("10u", 0, np.zeros(12)), message("10v", 600, np.zeros(12))])
