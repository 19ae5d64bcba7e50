"""GRIB files through a stand-in of eccodes that hands out prepared messages."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from halocline.core.clock import date
from halocline.core.errors import UserError
from halocline.grids.files.gridded_files import GriddedFiles

longitude, latitude = np.arange(0.0, 360.0, 90.0), np.array([90.0, 0.0, -90.0])


def message(name, time, values, **more):
    y, x = np.meshgrid(latitude, longitude, indexing="ij")
    return {
        "shortName": name, "typeOfLevel": "heightAboveGround", "gridType": "regular_ll",
        "validityDate": 20110115, "validityTime": time, "longitudes": x.ravel(),
        "latitudes": y.ravel(), "values": values, "totalLength": 1, "md5GridSection": "a", **more,
    }  # fmt: skip


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Reads a file that holds the given messages."""

    def files(messages):
        queue = list(enumerate(messages))
        decoded = []

        def values(message):
            decoded.append(message[0])
            return message[1]["values"]

        stand_in = SimpleNamespace(
            CodesInternalError=ZeroDivisionError,
            codes_grib_new_from_file=lambda file: queue.pop(0) if queue else None,
            codes_new_from_message=lambda content: (content[0], messages[content[0]]),
            codes_release=lambda message: None,
            codes_set=lambda message, key, value: message[1].update({key: value}),
            codes_get=lambda message, key: message[1][key],
            codes_get_message_offset=lambda message: message[0],
            codes_get_array=lambda message, key: message[1][key],
            codes_get_values=values,
        )
        monkeypatch.setitem(sys.modules, "eccodes", stand_in)
        path = tmp_path / "gfs.grib2"
        path.write_bytes(bytes(range(len(messages))))
        found = GriddedFiles([path])
        found.decoded = decoded
        return found

    return files


def test_winds_are_put_in_order(read):
    values = np.arange(12.0)
    turned = -values
    values[5] = turned[5] = 1e30
    files = read(
        [message("10u", 600, values + 100), message("10v", 600, turned), message("10u", 0, values),
         message("10v", 0, turned), message("t", 0, values), message("gh", 0, values)]
    )  # fmt: skip
    assert files.times == [date("2011-01-15"), date("2011-01-15 06")]
    assert files.comes_whole("u10") and not files.decoded
    first = files.read(files.find("wind_u"), "wind_u", files.records[0])
    expected = values.reshape(3, 4)[::-1].copy()
    expected[1, 1] = np.nan
    assert np.array_equal(first, expected, equal_nan=True)
    later = files.read(files.find("wind_v"), "wind_v", files.records[1])
    assert later[0, 0] == -8.0
    assert files.decoded == [2, 1]


def test_files_without_wind_or_on_other_grids(read):
    with pytest.raises(UserError, match="has none of the fields"):
        read([message("gh", 0, np.zeros(12))])
    with pytest.raises(UserError, match="not on a regular latitude-longitude grid"):
        read([message("10u", 0, np.zeros(12), gridType="reduced_gg")])
    with pytest.raises(UserError, match="share no time"):
        read([message("10u", 0, np.zeros(12)), message("10v", 600, np.zeros(12))])
    half = message("10u", 0, np.zeros(12), md5GridSection="b")
    half["longitudes"] = 0.5 * half["longitudes"]
    with pytest.raises(UserError, match="fields on several grids"):
        read([message("10v", 0, np.zeros(12)), half])


def test_messages_in_another_order_on_the_same_grid(read):
    values = np.arange(12.0)
    other = message("10v", 0, values.reshape(3, 4)[::-1].ravel(), md5GridSection="south first")
    other["latitudes"] = other["latitudes"].reshape(3, 4)[::-1].ravel()
    files = read([message("10u", 0, values), other])
    u, v = (files.read(n, s, files.records[0]) for n, s in (("u10", "wind_u"), ("v10", "wind_v")))
    assert np.array_equal(u, v) and u[2, 1] == 1.0


def test_a_message_that_was_cut_off(read, tmp_path):
    files = read([message("10u", 0, np.zeros(12)), message("10v", 0, np.zeros(12))])
    (tmp_path / "gfs.grib2").write_bytes(b"\0")
    assert files.read("u10", "wind_u", files.records[0]).shape == (3, 4)
    with pytest.raises(OSError, match="ends within a message"):
        files.read("v10", "wind_v", files.records[0])


def test_a_file_that_is_no_grib_from_some_place_on(read):
    class Message(dict):
        def __getitem__(self, key):
            return 1 / 0 if key == "shortName" else super().__getitem__(key)

    with pytest.raises(UserError, match="Cannot read '.*gfs.grib2': division by zero"):
        read([message("10u", 0, np.zeros(12)), Message()])


def on_level(name, hectopascal, time, values, **more):
    return message(
        name, time, values, **{"typeOfLevel": "isobaricInhPa", "level": hectopascal, **more}
    )


def test_air_lies_on_the_levels_that_all_fields_have(read):
    """Levels in any order, temperature on one more, in Pa too; the ground at one of two times."""
    values = np.arange(12.0)
    given = [
        on_level("t", 500, 0, values + 500), on_level("t", 1000, 0, values + 1000),
        on_level("t", 850, 0, values + 850), on_level("u", 1000, 0, values - 1000),
        on_level("u", 500, 0, values - 500),
        on_level("t", 50000, 600, values + 510, typeOfLevel="isobaricInPa"),
        on_level("t", 1000, 600, values + 1010), on_level("u", 1000, 600, values),
        on_level("u", 500, 600, values), on_level("w", 500, 600, values),
        message("sp", 0, values + 9e4, typeOfLevel="surface"),
        message("sp", 600, values + 9e4, typeOfLevel="surface"),
        message("orog", 0, values, typeOfLevel="surface"),
        message("t", 0, values, typeOfLevel="heightAboveGround"),
    ]  # fmt: skip
    files = read(given)
    first = files.first
    assert [str(t)[:16] for t in files.times] == ["2011-01-15 00:00:00"[:16], "2011-01-15 06:00"]
    assert first["plev"].read().tolist() == [100000.0, 50000.0]
    assert first["t"].shape == (2, 2, 3, 4) and "w" not in first.variables
    assert first["t"].attrs["standard_name"] == "air_temperature"
    south_west = files.read("t", "", files.records[0], level=1)[0, 0]
    assert south_west == 508.0  # the southern row is the last of the file
    assert files.read("t", "", files.records[1], level=1)[0, 0] == 518.0
    assert files.read("u", "", files.records[0], level=0)[2, 3] == -997.0
    assert first["t"].read()[1, :, 0, 0].tolist() == [1018.0, 518.0]
    assert first["t"].read(time=0)[1, 0, 0] == 508.0
    assert "sp" in first.variables and "orog" not in first.variables


def test_air_does_not_change_the_times_of_winds(read):
    values = np.zeros(12)
    files = read([
        message("10u", 0, values), message("10v", 0, values), message("10u", 600, values),
        message("10v", 600, values), on_level("t", 500, 0, values),
    ])  # fmt: skip
    assert len(files.times) == 2 and "t" not in files.first.variables
