"""Grids that are a part of the cells of a file: what is read there, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from numpy.testing import assert_array_equal

from atmosphere.dynamics_cases import begun, small
from atmosphere.test_given_sides import limited, make_analysis
from atmosphere.test_ground_of_start import coast
from halocline.atmosphere.case import AtmosphereCase
from halocline.atmosphere.terrain import MountainOptions
from halocline.core.errors import UserError
from halocline.grids.horizontal.regular import build_grid


def part(case: AtmosphereCase, column: int, row: int, ratio: int = 1) -> AtmosphereCase:
    """Of the 14 x 11 columns of a case 8 x 6, or finer ones, from a cell on (from 0)."""
    place = [(14, 11, ratio, column + 1, row + 1)]
    return case.with_settings(
        {
            "grid.nx": 8, "grid.ny": 6, "grid.dx": 60e3 / ratio, "grid.dy": 60e3 / ratio,
            "grid.projection.parents": place, "atmosphere.sides.kind": "nest",
            "atmosphere.sides.file": "",
        }
    )  # fmt: skip


def test_a_start_of_more_columns_than_the_grid_is_read_where_the_grid_lies(tmp_path: Path):
    """Against the same columns of the file itself, and faces of a whole run there."""
    case = coast(tmp_path)
    whole, some = begun(case), begun(part(case, 4, 3))
    rows, columns = slice(3, 9), slice(4, 12)
    assert np.ptp(some.state.ground.gather()) > 100.0
    for name in ("ground", "mass", "theta", "geopotential", "water"):
        wanted = getattr(whole.state, name).gather()[..., rows, columns]
        assert_array_equal(getattr(some.state, name).gather(), wanted)
    assert_array_equal(some.state.u.gather(), whole.state.u.gather()[:, rows, 4:13])
    assert_array_equal(some.state.v.gather(), whole.state.v.gather()[:, 3:10, columns])
    assert some.dynamics.physics is not None
    ground = some.dynamics.physics.columns.ground
    with xr.open_dataset(tmp_path / "start.nc") as file:
        assert_array_equal(ground.land.gather() > 0.5, file.land[0, rows, columns] > 0.5)
        skin = file.skin_temperature[0, rows, columns]
        assert_array_equal(ground.skin_temperature.gather(), skin)
        assert 0.2 < float((file.land[0, rows, columns] > 0.5).mean()) < 0.8


@pytest.mark.parametrize(
    ("column", "row", "ratio", "match"),
    [
        (6, 5, 1, None),
        (3, 2, 2, "start.nc has columns 2 times as far apart as the grid"),
    ],
)
def test_starts_of_other_cells_are_refused(tmp_path: Path, column, row, ratio, match):
    case = part(make_analysis(tmp_path), column, row, ratio)
    if match is None:
        begun(case)
        return
    with pytest.raises(UserError, match=match):
        begun(case)


def test_a_start_that_lacks_cells_is_refused_with_their_number_and_side(tmp_path: Path):
    """The file has the rows 2 to 9 and the columns 0 to 9 of those that the case is cut of."""
    case = make_analysis(tmp_path)
    with xr.open_dataset(tmp_path / "start.nc") as file:
        fewer = {"y": slice(2, 10), "x": slice(0, 10), "y_face": slice(2, 11)}
        file.isel(x_face=slice(0, 11), **fewer).to_netcdf(tmp_path / "fewer.nc")
    case = case.with_settings({"atmosphere.start.file": str(tmp_path / "fewer.nc")})
    assert begun(part(case, 2, 4)).plane.shape == (6, 8)
    for column, row, match in (
        (5, 0, "it lacks 3 columns in the east, 2 rows in the south. Give a file of a larger"),
        (0, 5, "does not cover the grid of 6 x 8 cells: it lacks 1 row in the north"),
    ):
        with pytest.raises(UserError, match=match):
            begun(part(case, column, row))


def hills(grid: dict[str, Any], path: Path, **changed: float) -> Path:
    """A ground in closed form on a grid of the plane, in a file that tells its places."""
    case = small(**limited, **grid)
    plane = build_grid(case.grid)
    shape = {"height": 400.0, "width": 3e3, "width_y": 2e3, "x": 1e3}
    ground = MountainOptions(kind="bell", **(shape | changed))
    names = {"x": ("x", plane.x), "y": ("y", plane.y)}
    file = xr.Dataset({"hill": (("y", "x"), ground.heights(plane))}, coords=names)
    file.hill.attrs["standard_name"] = "surface_altitude"
    for one in "xy":
        file[one].attrs |= {"standard_name": f"projection_{one}_coordinate", "units": "m"}
    file.to_netcdf(path)
    return path


def test_ground_of_a_plane_is_read_where_the_grid_lies(tmp_path: Path):
    grid = {"grid.nx": 60, "grid.ny": 30, "grid.x0": -9750.0, "grid.y0": 0.0}
    path = hills(grid, tmp_path / "hills.nc")
    inner = {"grid.nx": 24, "grid.ny": 18, "grid.x0": -9750.0 + 7 * 500.0, "grid.y0": 2000.0}
    on_file = {"atmosphere.mountain.kind": "file", "atmosphere.mountain.file": str(path)}
    found = begun(small(**limited, **inner, **on_file)).state.ground.gather()
    with xr.open_dataset(path) as file:
        assert_array_equal(found, file.hill[4:22, 7:31])
    for change, match in (
        ({"grid.x0": -10750.0, "grid.y0": 7000.0}, "2 columns in the west, 2 rows in the north"),
        ({"grid.x0": -6100.0}, "up to 0.3 cells off the centres"),
        ({"grid.dy": 250.0}, "rows 2 times as far apart"),
        ({"grid.nx": 61}, "no ground of 18 x 61 cells or more"),
    ):
        with pytest.raises(UserError, match=match):
            begun(small(**limited, **(inner | change), **on_file))
    with xr.open_dataset(path) as file:
        file.drop_vars("y").to_netcdf(tmp_path / "unplaced.nc")
    on_file["atmosphere.mountain.file"] = str(tmp_path / "unplaced.nc")
    with pytest.raises(UserError, match="where its cells lie.*projection_y_coordinate"):
        begun(small(**limited, **inner, **on_file))
