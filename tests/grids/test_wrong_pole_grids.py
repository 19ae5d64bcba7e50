"""What is wrong in a grid file in the manner of POP is refused with its place. Ranks: 1."""

import shutil

import netCDF4
import numpy as np
import pytest

from halocline.component.case.shipped import data_folder
from halocline.core.errors import UserError
from halocline.grids.horizontal.curvilinear_files import read_displaced_pole

row, column = 100, 40
"""A cell of the South Pacific, deep and far from land."""


def wrong(path, changes):
    """POP's grid with other values, by variable and place."""
    shutil.copy(data_folder() / "g_pop_x1_grid.nc", path)
    with netCDF4.Dataset(path, "a") as file:
        assert file["kmt"][row, column] > 20
        for name, (place, value) in changes.items():
            values = file[name][:]
            values[place] = value(values[place]) if callable(value) else value
            file[name][:] = values
    return path


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"ulon": ((row, slice(column - 1, column + 1)), np.flip)},
            "2 cells of the sea .* inside out",
        ),
        ({"ulat": ((row, column), np.nan)}, r"1 corners \(ulon, ulat\) .* missing"),
        ({"htn": ((row, column), -1.0)}, "1 cells .* htn is not the distance .*: -1 where"),
        ({"htn": ((row, column), np.nan)}, "1 cells .* htn is not the distance .*: nan where"),
        ({"hte": ((row, column), lambda length: 100.0 * length)}, "hte is not .* in metres"),
        ({"kmt": ((row, column), 55)}, r"55 wet levels \(kmt\) .* thicknesses \(dz\) of 40"),
    ],
)
def test_the_place_is_told(tmp_path, changes, told):
    path = wrong(tmp_path / "grid.nc", changes)
    with pytest.raises(UserError, match=told) as refused:
        read_displaced_pole(path)
    assert f"row {row}, column {column}" in str(refused.value)


def test_lengths_of_faces_on_land_may_be_anything(tmp_path):
    """As POP's own are at the poles."""
    with netCDF4.Dataset(data_folder() / "g_pop_x1_grid.nc") as file:
        assert not file["kmt"][-1, 0]
    read_displaced_pole(wrong(tmp_path / "grid.nc", {"htn": ((-1, 0), 0.0)}))
