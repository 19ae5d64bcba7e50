"""The shipped analysis written as GRIB2 gives the same state as from netCDF."""

from pathlib import Path

import netCDF4
import numpy as np
import pytest
from numpy.testing import assert_allclose

from atmosphere.analysis_files import layers
from halocline.atmosphere.start.analysed_state import AnalysedState, analysed_state
from halocline.atmosphere.start.options import AnalysisOptions
from halocline.atmosphere.start.pressure_level_files import PressureLevelFiles
from halocline.grids.horizontal.grid import Grid

sample = Path(__file__).parents[2] / "cases" / "data" / "gfs_sample.nc"


def write_grib(path: Path) -> Path:
    """All that a start needs of the first state, as messages of the whole globe."""
    import eccodes

    rows = {
        "Ni": 144, "Nj": 73, "latitudeOfFirstGridPointInDegrees": 90,
        "longitudeOfFirstGridPointInDegrees": 0, "latitudeOfLastGridPointInDegrees": -90,
        "longitudeOfLastGridPointInDegrees": 357.5, "iDirectionIncrementInDegrees": 2.5,
        "jDirectionIncrementInDegrees": 2.5, "dataDate": 20110115, "dataTime": 1200,
        "bitsPerValue": 24,
    }  # fmt: skip
    with netCDF4.Dataset(sample) as data, path.open("wb") as file:
        planes = [
            (name, round(float(level) / 100), "isobaricInhPa", data[name][0, k])
            for k, level in enumerate(data["plev"][:])
            for name in ("t", "u", "v", "r", "gh")
        ]
        surface = {"sp": "ps", "orog": "orog", "t": "tsfc", "lsm": "lsm"}
        planes += [(short, 0, "surface", data[name][0]) for short, name in surface.items()]
        for name, level, kind, values in planes:
            message = eccodes.codes_grib_new_from_samples("regular_ll_pl_grib2")
            facts = {**rows, "typeOfLevel": kind, "level": level, "shortName": name}
            for key, value in facts.items():
                eccodes.codes_set(message, key, value)
            eccodes.codes_set_values(message, np.asarray(values[::-1], float).ravel())
            eccodes.codes_write(message, file)
            eccodes.codes_release(message)
    return path


def state(path: Path) -> AnalysedState:
    files = PressureLevelFiles([path])
    grid = Grid(
        x=np.arange(-10.0, 10.0, 2.0), y=np.arange(45.0, 58.0, 2.0), depth=np.ones((7, 10)),
        mask=np.ones((7, 10), bool),
    )  # fmt: skip
    ground = np.full((7, 10), 150.0)
    record = files.files.records[0]
    return analysed_state(files, record, grid, ground, layers(10), AnalysisOptions())


def test_grib_is_the_same_analysis(tmp_path):
    pytest.importorskip("eccodes")
    one, other = state(sample), state(write_grib(tmp_path / "gfs.grib2"))
    for name in ("mass", "u", "v", "theta", "vapor", "geopotential"):
        # 24 bits of a message: 1e-5 of the range of its values.
        assert_allclose(getattr(other, name), getattr(one, name), rtol=1e-5, atol=1e-3)
    assert_allclose(other.surface["skin_temperature"], one.surface["skin_temperature"], atol=1e-3)
    assert_allclose(other.surface["land"], one.surface["land"], atol=1e-5)
