"""Nests that move over ground and starts of files: what they have there, and what is refused."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from numpy.testing import assert_array_equal

from atmosphere.dynamics_cases import values
from atmosphere.test_air_nests import ended, moist
from atmosphere.test_file_window import hills
from atmosphere.test_ground_of_start import coast
from atmosphere.test_moving_nests import short
from halocline.atmosphere.start import analysis_command
from halocline.core.errors import UserError
from halocline.experiment.check import report_members
from halocline.experiment.members import make_members
from halocline.experiment.run import run

state = ("mass", "theta", "geopotential", "u", "v", "w", "water")


def over(path: Path, columns: int = 108, **air: Any) -> dict[str, Any]:
    """Options of the air over a file of the hill, which has the western columns of 500 m."""
    grid = {
        "grid.nx": columns, "grid.ny": 48, "grid.x0": 250.0, "grid.y0": 250.0,
        "grid.dx": 500.0, "grid.dy": 500.0,
    }  # fmt: skip
    file = hills(grid, path, x=40.5e3, y=12e3)
    return {"mountain": {"kind": "file", "file": str(file)}, **air}


def on_file(table: dict[str, Any], path: Path, columns: int = 108) -> dict[str, Any]:
    """A case whose inner member has the ground of the file."""
    table["members"]["inner"]["atmosphere"] |= over(path, columns)
    return table


def hilly(length: str, inner: dict[str, Any]) -> dict[str, Any]:
    shape = {"kind": "bell", "height": 400.0, "width": 3e3, "width_y": 2e3}
    return short(length, inner, **moist, mountain=shape | {"x": 40.5e3, "y": 12e3})


def test_ground_of_a_file_moves_as_one_in_closed_form(tmp_path: Path):
    """Moist air in motion: the same bits by both, and the ground of the new place."""
    inner = {"moves": ["6s east 2", "12s east 1 north 1"]}
    _, closed = ended(hilly("18s", inner))
    _, filed = ended(on_file(hilly("18s", inner), tmp_path / "hill.nc"))
    with xr.open_dataset(tmp_path / "hill.nc") as file:
        wanted = file.hill.values[9 : 9 + 36, 42 : 42 + 42]
    assert np.ptp(wanted) > 300.0
    assert_array_equal(values(filed, "ground"), wanted)
    for name in state:
        assert_array_equal(values(filed, name), values(closed, name))


def test_what_stays_over_the_ground_keeps_its_bits(tmp_path: Path):
    """At its last moment a nest moves: state, and so dry mass, of what stays are those without a
    move to the bit; what comes over other ground is not what it was over the ground around."""
    still = ended(on_file(hilly("12s", {"feedback": False}), tmp_path / "hill.nc"))[1]
    inner = {"feedback": False, "moves": ["12s east 2 south 1"]}
    moved = ended(on_file(hilly("12s", inner), tmp_path / "hill.nc"))[1]
    for name in state:
        before, after = values(still, name), values(moved, name)
        assert_array_equal(after[..., 3:, :-6], before[..., :-3, 6:])
    mass = [values(some, "mass") + values(some, "base_mass") for some in (still, moved)]
    assert mass[1][3:, :-6].sum() == mass[0][:-3, 6:].sum()
    assert np.ptp(values(moved, "ground")[:, -6:]) > 100.0


def analysed(folder: Path) -> dict[str, Any]:
    """Columns of 60 km, and a nest of 20 km whose start lies on all of them."""
    outer = coast(folder)
    text = (folder / "case.toml").read_text()
    for old, new in (
        ("nx = 14", "nx = 42"), ("ny = 11", "ny = 33"), ("60e3", "20e3"),
        ("center_latitude = 52.0", "center_latitude = 52.0\nparents = [[14, 11, 3, 1, 1]]"),
    ):  # fmt: skip
        assert old in text
        text = text.replace(old, new)
    (folder / "fine.toml").write_text(text)
    parser = argparse.ArgumentParser()
    analysis_command.add_arguments(parser)
    words = [str(folder / "analysis.nc"), str(folder / "fine.toml"), "--no-picture", "--no-sides"]
    analysis_command.main(parser.parse_args([*words, "--output", str(folder / "fine")]))
    around = outer.to_table()
    inner = outer.with_settings(
        {
            "grid.nx": 24, "grid.ny": 18, "grid.dx": 20e3, "grid.dy": 20e3,
            "grid.projection.parents": [(14, 11, 3, 3, 3)], "time.step": "80s",
            "atmosphere.sides.kind": "nest", "atmosphere.sides.file": "",
            "atmosphere.start.file": str(folder / "fine" / "start.nc"),
        }
    ).to_table()  # fmt: skip
    return {
        "members": {"outer": around, "inner": inner | {"nested_in": "outer", "feedback": False}}
    }


def test_a_nest_from_a_start_moves_over_its_ground(tmp_path: Path):
    """Height, land, cover and soil of new points are those of the file there; others are kept."""
    table = analysed(tmp_path)
    still = ended(table)[1]
    table["members"]["inner"]["moves"] = ["8min east 2 north 1"]
    moved = ended(table)[1]
    rows, columns = slice(9, 9 + 18), slice(12, 12 + 24)
    new = np.ones((18, 24), bool)
    new[:-3, :-6] = False
    with xr.open_dataset(tmp_path / "fine" / "start.nc") as file:
        found = {name: file[name].values[0, rows, columns] for name in ("ground", "land", "ice")}
        skin = file.skin_temperature.values[0, rows, columns]
    solid = (found["land"] > 0.5) | (found["ice"] > 0.5)
    assert 0.2 < solid.mean() < 0.8 and 0.05 < solid[new].mean() < 0.95
    assert_array_equal(values(moved, "ground"), found["ground"].astype(np.float32))
    planes = [
        some.dynamics.physics.columns.ground for some in (still, moved) if some.dynamics.physics
    ]
    assert_array_equal(planes[1].land.gather(), solid)
    assert_array_equal(planes[1].skin_temperature.gather()[new], skin[new])
    for name in ("skin_temperature", "soil_temperature", "roughness"):
        kept, here = (getattr(some, name).gather() for some in planes)
        assert_array_equal(here[..., :-3, :-6], kept[..., 3:, 6:])
    for name in state:
        before, after = values(still, name), values(moved, name)
        assert_array_equal(after[..., :-3, :-6], before[..., 3:, 6:])
        assert np.isfinite(after).all()


def test_a_nest_from_a_start_goes_on_where_it_has_moved(tmp_path: Path):
    """The same bits of state and soil over a restart after the move; land is that of its place."""
    table = analysed(tmp_path)
    table["members"]["inner"]["moves"] = ["4min east 2 north 1"]

    def lasting(length: str, **more: Any) -> dict[str, Any]:
        members = {
            name: some | {"time": some["time"] | {"length": length}} | more
            for name, some in table["members"].items()
        }
        return {"members": members}

    whole = ended(lasting("12min"))[1]
    run(lasting("8min", restart={"at_end": True}), output=tmp_path / "first")
    parted = ended(lasting("12min", restart={"source": str(tmp_path / "first")}))[1]
    for one, other in zip(whole.restart_fields(), parted.restart_fields(), strict=True):
        assert_array_equal(one.gather(), other.gather())
    lands = [s.dynamics.physics.columns.ground.land for s in (whole, parted) if s.dynamics.physics]
    assert_array_equal(lands[1].gather(), lands[0].gather())
    assert 0.2 < float(lands[0].gather().mean()) < 0.8


def test_a_start_that_the_run_makes_is_made_where_the_nest_goes(tmp_path: Path, capfd):
    """Its ground and land are those of a start of all columns; analyses have to cover the way."""
    table = analysed(tmp_path)
    table["members"]["inner"]["moves"] = ["4min east 1 north 1"]
    for some in table["members"].values():
        some["time"]["length"] = "4min"
    whole = ended(table)[1]
    air = table["members"]["inner"]["atmosphere"]
    air["analysis"]["files"] = [str(tmp_path / "analysis.nc")]
    air["start"]["file"] = str(tmp_path / "own" / "start.nc")
    capfd.readouterr()
    made = ended(table)[1]
    assert capfd.readouterr().err.count("making") == 2
    with xr.open_dataset(tmp_path / "own" / "start.nc") as file:
        assert file.ground.shape == (1, 18, 24)
    assert np.ptp(values(made, "ground")) > 100.0
    assert_array_equal(values(made, "ground"), values(whole, "ground"))
    lands = [s.dynamics.physics.columns.ground.land for s in (whole, made) if s.dynamics.physics]
    assert_array_equal(lands[1].gather(), lands[0].gather())
    with xr.open_dataset(tmp_path / "analysis.nc", decode_times=False) as file:
        file.sel(longitude=slice(None, 8.0)).to_netcdf(tmp_path / "west.nc")
    air["analysis"]["files"] = [str(tmp_path / "west.nc")]
    table["members"]["inner"]["moves"] = ["4min east 4"]
    with pytest.raises(
        UserError, match="after '4min east 4' .*west.nc.* of the model grid lie out"
    ):
        run(table)


@pytest.mark.parametrize(
    ("moves", "columns", "match"),
    [
        (["6s east 3"], 80, "after '6s east 3' 'hill' of .*hill.nc does not cover the grid of 36 x"
                            " 42 cells: it lacks 4 columns in the east"),
        (["6s west 1"], 70, "'inner'.* 'hill' of .* it lacks 5 columns in the east"),
    ],
)  # fmt: skip
def test_files_that_do_not_cover_the_itinerary_are_refused(tmp_path: Path, moves, columns, match):
    table = on_file(hilly("12s", {"moves": moves}), tmp_path / "hill.nc", columns)
    with pytest.raises(UserError, match=match):
        report_members(make_members(table), 1, tmp_path)
    with pytest.raises(UserError, match=match):
        run(table)


def test_a_ground_that_does_not_tell_its_place_does_not_move(tmp_path: Path):
    table = on_file(hilly("12s", {"moves": ["6s east 1"]}), tmp_path / "hill.nc")
    with xr.open_dataset(tmp_path / "hill.nc") as file:
        part = file.isel(x=slice(33, 75), y=slice(6, 42)).drop_vars(["x", "y"])
        part.to_netcdf(tmp_path / "part.nc")
    mountain = table["members"]["inner"]["atmosphere"]["mountain"]
    mountain["file"] = str(tmp_path / "part.nc")
    with pytest.raises(UserError, match="does not tell where its cells lie"):
        run(table)
    del table["members"]["inner"]["moves"]
    run(table)


def test_a_nest_that_follows_stops_where_its_file_ends(tmp_path: Path, capfd):
    """The top of the hill lies 9 cells off its middle, and the file has 3 cells more."""
    follow = {"field": "ground", "extreme": "maximum", "interval": "6s", "most": 1, "margin": 1}
    table = on_file(hilly("36s", {"follow": follow}), tmp_path / "hill.nc", 33 + 42 + 9)
    _, inner = ended(table)
    assert inner.plane.x[0] == 16750.0 + 3 * 1500.0
    told = capfd.readouterr().err
    assert "'inner' does not move: 'hill' of" in told and "it lacks 3 columns in the east" in told
