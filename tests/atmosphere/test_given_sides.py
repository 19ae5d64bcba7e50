"""Limited areas: given sides, the turning Earth on a map, starts and ground from files."""

from __future__ import annotations

import argparse
from datetime import timedelta
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
import xarray as xr
from numpy.testing import assert_allclose

from atmosphere.analysis_files import column_values, write_analysis
from atmosphere.dynamics_cases import begun, ended, held, small, values
from atmosphere.solid_rotation import isothermal
from halocline.atmosphere import _native
from halocline.atmosphere.case import AtmosphereCase
from halocline.atmosphere.start import analysis_command
from halocline.atmosphere.start.start_files import side_rows
from halocline.component.case.reading import read_case
from halocline.component.case.shipped import data_folder
from halocline.core.errors import UserError
from halocline.runtime.fields.kernel import kernels_of
from kernels.all_samples import samples

kernels = kernels_of(_native)
limited = {
    "grid.periodic_x": False, "grid.periodic_y": False, "atmosphere.sides.kind": "nest",
}  # fmt: skip


analysed = """
component = "atmosphere"
[grid]
kind = "lambert"
nx = 14
ny = 11
dx = 60e3
dy = 60e3
[grid.projection]
center_longitude = 3.0
center_latitude = 52.0
[time]
start = "2020-01-01T06"
length = "6h"
step = "240s"
[atmosphere.base]
kind = "standard"
[atmosphere.layers]
count = 12
top = 15e3
"""
x, y = np.arange(-15.0, 21.0, 2.5), np.arange(40.0, 63.0, 2.5)
levels = np.array([1000, 850, 700, 500, 300, 200, 100, 50.0]) * 100


def test_uniform_wind_between_given_sides_stays_as_it_is():
    wind = {"atmosphere.start.wind_u": 20.0, "atmosphere.start.wind_v": -7.0}
    case = small(**limited, **wind, **{"grid.ny": 20, "atmosphere.air.kind": "stable"})
    component = ended(case, held(begun(case)))
    for name, expected in (("u", 20.0), ("v", -7.0), ("w", 0.0)):
        assert_allclose(values(component, name), expected, atol=1e-9)


def test_given_rows_follow_and_the_next_are_drawn():
    """Sides that warm by 1 K and gain 100 Pa in a minute, which the air beside them takes on."""
    case = small(**limited, **{"grid.ny": 20})
    component = held(begun(case))
    assert component.given is not None
    after = component.given.field("after", "theta")
    with after.change() as owned:
        owned[0] += 1.0
    component.given.after_time = component.period[0] + timedelta(seconds=60)
    warmed = values(ended(case, component), "theta")[10, 10] - values(begun(case), "theta")[10, 10]
    assert_allclose(warmed[:3], 1.0, atol=1e-9)
    assert_allclose(warmed[-3:], 1.0, atol=1e-9)
    assert 0.5 < warmed[3] < 1.0 and warmed[3] > warmed[4] > warmed[5] > warmed[7]


def lambert(**settings: Any) -> AtmosphereCase:
    """36 x 30 columns of 60 km around 54 N 14 W, sides given."""
    grid = {
        "grid.kind": "lambert", "grid.nx": 36, "grid.ny": 30, "grid.dx": 60e3, "grid.dy": 60e3,
        "grid.x0": 0.0, "grid.projection.center_longitude": -14.0,
        "grid.projection.center_latitude": 54.0, "grid.projection.true_latitudes": [50.0, 60.0],
        "grid.projection.longitude": 10.0,
    }  # fmt: skip
    more = {"time.step": "240s", "time.length": "4h"}
    return small(**(limited | grid | isothermal | more | settings))


def reference_turning(a: dict[str, np.ndarray], c: float) -> dict[str, np.ndarray]:
    """Forces of cells along x, y and upward [Pa m s-2], from the arguments of the kernels."""
    u, v = 0.5 * (a["u"][..., :-1] + a["u"][..., 1:]), 0.5 * (a["v"][:, :-1] + a["v"][:, 1:])
    u, v = u[:, :-1], v[..., :-1]
    layer = a["c1"][:, None, None] * (a["mass"] + a["base_mass"]) + a["c2"][:, None, None]
    layer, found = layer[:, :-1, :-1], {}
    if "turning" in a:
        w = 0.5 * (a["w"][1:] + a["w"][:-1])[:, :-1, :-1]
        about_z = (
            a["turning"][:-1, :-1]
            + (v * np.diff(a["x_length"])[:-1] - u * np.diff(a["y_length"], axis=0)[:, :-1])
            / a["area"][:-1, :-1]
        )
        if "tilt_y" in a:
            found["u"] = layer * (about_z * v - (a["tilt_y"][:-1, :-1] + c * u) * w)
        else:
            found["v"] = layer * ((a["tilt_x"][:-1, :-1] - c * v) * w - about_z * u)
    else:
        tilt_x, tilt_y = a["tilt_x"][:-1, :-1], a["tilt_y"][:-1, :-1]
        found["w"] = layer * (tilt_y * u - tilt_x * v + c * (u**2 + v**2))
    return found


@pytest.mark.parametrize("name", ["u", "v", "w"])
def test_turning_is_that_of_plain_numpy(name):
    kernel = kernels[f"atmosphere_turn_{name}"]
    sample = samples[kernel.name](np.random.default_rng(3), np.float64)
    a = {key: array.copy() for key, array in sample.arrays.items()}
    (j0, j1, i0, i1, _), c = sample.box, sample.scalars["curvature"]
    kernel.function(box=sample.box, **a, **sample.scalars)
    force = reference_turning(sample.arrays, c)[name]
    tendency = f"{name}_tendency"
    if name == "w":
        share = a["upper_share"][1:-1, None, None]
        at = np.concatenate([share * force[1:] + (1 - share) * force[:-1], force[-1:]])
        more = np.concatenate([np.zeros_like(at[:1]), at])[:, j0:j1, i0:i1]
    else:
        row, column = (0, 1) if name == "u" else (1, 0)
        here = np.s_[..., j0:j1, i0:i1]
        before = np.s_[..., j0 - row : j1 - row, i0 - column : i1 - column]
        area = a["area"]
        more = force[here] * area[here] + force[before] * area[before]
        more = more / (area[here] + area[before])
        more = more * a["x_open" if name == "u" else "y_open"][here]
    found = (a[tendency] - sample.arrays[tendency])[:, j0:j1, i0:i1]
    assert_allclose(found, more, rtol=1e-12, atol=1e-9)


def real_ground(folder: Path, **settings: Any) -> AtmosphereCase:
    """The steepest 24 x 20 columns of 9 km between Greenland and Norway, sides given."""
    with xr.open_dataset(data_folder() / "a_gnr_terrain.nc") as file:
        ground = file.terrain1.values
        row, column = np.unravel_index(np.abs(np.diff(ground)).argmax(), (195, 354))
        j, i = min(max(row - 10, 0), 175), min(max(column - 12, 0), 331)
        cut = file.isel(y1=slice(j, j + 20), x1=slice(i, i + 24))
        cut[["terrain1", "lat1", "lon1"]].to_netcdf(folder / "ground.nc")
    return lambert(
        **{
            "grid.nx": 24, "grid.ny": 20, "grid.dx": 9e3, "grid.dy": 9e3,
            "grid.projection.longitude": -14.0,
            "grid.projection.parents": [(355, 195, 1, int(i) + 1, int(j) + 1)],
            "atmosphere.mountain.kind": "file", "atmosphere.layers.count": 12,
            "atmosphere.mountain.file": str(folder / "ground.nc"), "time.step": "40s",
            "time.length": "30min", **settings,
        }
    )  # fmt: skip


@pytest.mark.parametrize(
    ("precision", "base", "most"),
    [("float64", 270.0, 1e-9), ("float32", 270.0, 1e-3), ("float64", 250.0, 0.4)],
)
def test_air_at_rest_over_real_ground_stays_at_rest(tmp_path, precision, base, most):
    """In the base state to round-off; 20 K warmer than it to 0.4 m/s."""
    air = {
        "atmosphere.base.kind": "isothermal", "atmosphere.base.temperature": base,
        "precision": precision,
    }  # fmt: skip
    case = real_ground(tmp_path, **air)
    component = held(begun(case))
    assert np.abs(np.diff(values(component, "ground"))).max() > 600.0
    ended(case, component)
    for name in ("u", "v", "w"):
        assert np.abs(values(component, name)).max() < most


def test_pressure_at_sea_level_hardly_sees_the_ground(tmp_path):
    """In air that is colder upward by some 6 K/km."""
    standard = {"atmosphere.air.kind": "standard", "atmosphere.air.temperature": 288.0}
    component = begun(real_ground(tmp_path, **standard))
    found = component.diagnose(["sea_level_pressure", "surface_pressure"], component.period[0])
    at_ground, at_sea = (
        found[name].gather() for name in ("surface_pressure", "sea_level_pressure")
    )
    assert np.ptp(at_ground) > 1e4
    assert_allclose(at_sea, 1e5, atol=200.0)


def test_sides_of_a_file_are_lines_in_time(tmp_path):
    """An analysis of three times on the model's grid: start, sides, and what is refused."""
    case = make_analysis(tmp_path)
    component = begun(case)
    assert component.files is not None
    ended(case, component)
    with xr.open_dataset(tmp_path / "sides.nc") as sides:
        for name in ("u", "v"):
            for side in ("west", "east", "south", "north"):
                rows = sides[f"{name}_{side}"].values[:2, :, :3].mean(0)
                found = side_rows(values(component, name), side, 3)
                assert_allclose(found, rows, atol=1e-3)
                assert name == "v" or np.ptp(rows) > 3.0
    component.close()
    late = case.with_settings({"time.length": "13h"})
    with pytest.raises(UserError, match="the run needs 2020-01-01 06:00 to"):
        begun(late)
    other = case.with_settings({"atmosphere.sides.drawn_rows": 6})
    with pytest.raises(UserError, match="has 7 rows of 11 columns"):
        begun(other)


def make_analysis(
    folder: Path, wind: float = 1.0, damper: float = 0.0, **planes: np.ndarray
) -> AtmosphereCase:
    """Start and sides by `halocline analysis`; half of the way between two of its times is run.

    With so much of a wind, and `planes` of the surface; relative humidity grows by `damper` [%]
    from time to time.
    """
    (folder / "case.toml").write_text(analysed)
    values = column_values(levels, (y.size, x.size))
    values |= {"orog": np.full((y.size, x.size), 120.0)} | planes
    path = write_analysis(folder / "analysis.nc", x, y, levels, values, hours=(0.0, 6.0, 12.0))
    with netCDF4.Dataset(path, "a") as file:
        for n in range(3):
            more = 2.0 * n + 0.1 * x + 0.2 * (y[:, None] - 50.0)
            file["u"][n] = wind * (file["u"][n] + more)
            file["r"][n] += n * damper
    parser = argparse.ArgumentParser()
    analysis_command.add_arguments(parser)
    words = [str(path), str(folder / "case.toml"), "--output", str(folder), "--no-picture"]
    assert analysis_command.main(parser.parse_args(words)) == 0
    files = {
        "atmosphere.start.file": str(folder / "start.nc"), "atmosphere.sides.kind": "file",
        "atmosphere.sides.file": str(folder / "sides.nc"), "time.length": "3h",
    }  # fmt: skip
    case = read_case(folder / "case.toml").with_settings(files)
    assert isinstance(case, AtmosphereCase)
    return case


def called(name: str, seed: int = 5) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], Any]:
    """Arrays before and after a call of a kernel, and its sample."""
    kernel = kernels[f"atmosphere_{name}"]
    sample = samples[kernel.name](np.random.default_rng(seed), np.float64)
    after = {key: array.copy() for key, array in sample.arrays.items()}
    kernel.function(box=sample.box, **after, **sample.scalars)
    return sample.arrays, after, sample


def given(a: dict[str, np.ndarray], name: str, share: float) -> np.ndarray:
    return a[f"before_{name}"] + share * (a[f"after_{name}"] - a[f"before_{name}"])


def drawn(lacking: np.ndarray, weight: np.ndarray, scalars: dict[str, float]) -> np.ndarray:
    """What rows gain; the outermost values of the result are of no use."""
    around = sum(np.roll(lacking, n, axis) for n in (-1, 1) for axis in (-2, -1))
    more = scalars["pull"] * lacking - scalars["smoothing"] * (around - 4.0 * lacking)
    return weight * more


@pytest.mark.parametrize("name", ["u", "v"])
def test_drawing_of_wind_is_that_of_plain_numpy(name):
    a, after, sample = called(f"draw_{name}")
    s, axis = sample.scalars, -1 if name == "u" else -2
    full, wanted = (a["base_mass"] + m for m in (a["mass"], given(a, "mass", s["share"])))
    column = [0.5 * (mass + np.roll(mass, 1, axis)) for mass in (full, wanted)]
    c1, c2 = a["c1"][:, None, None], a["c2"][:, None, None]
    lacking = (c1 * column[1] + c2) * given(a, name, s["share"]) - (c1 * column[0] + c2) * a[name]
    weight = a["x_drawn" if name == "u" else "y_drawn"]
    j0, j1, i0, i1, _ = sample.box
    more = drawn(lacking, weight, s)[:, j0:j1, i0:i1]
    found = (after[f"{name}_tendency"] - a[f"{name}_tendency"])[:, j0:j1, i0:i1]
    assert_allclose(found, more, rtol=1e-9, atol=1e-6)


def test_drawing_of_cells_is_that_of_plain_numpy():
    a, after, sample = called("draw_cells")
    s, c1, c2 = sample.scalars, a["c1"][:, None, None], a["c2"][:, None, None]
    mass = given(a, "mass", s["share"])
    layer = [c1 * (a["base_mass"] + some) + c2 for some in (mass, a["mass"])]
    lacking = {
        "theta_rate": layer[0] * given(a, "theta", s["share"]) - layer[1] * a["theta"],
        "geopotential_tendency": given(a, "geopotential", s["share"]) - a["geopotential"],
        "mass_tendency": mass - a["mass"],
    }
    lacking["geopotential_tendency"][0] = 0.0  # the ground stays
    j0, j1, i0, i1, _ = sample.box
    for name, some in lacking.items():
        more = drawn(some, a["drawn"], s)[..., j0:j1, i0:i1]
        found = (after[name] - a[name])[..., j0:j1, i0:i1]
        assert_allclose(found, more, rtol=1e-9, atol=1e-6)


def test_given_cells_are_those_of_plain_numpy():
    a, after, sample = called("given_cells")
    s, marked = sample.scalars, a["given"] != 0.0
    c1, c2 = a["c1"][:, None, None], a["c2"][:, None, None]

    def on_the_way(name: str, elapsed: float) -> np.ndarray:
        return a[f"old_{name}"] + elapsed * (given(a, name, s["share"]) - a[f"old_{name}"])

    def changes(elapsed: float) -> tuple[np.ndarray, ...]:
        """Of mass, heat and geopotential since the stage's state."""
        mass = on_the_way("mass", elapsed)
        new, old = (c1 * (a["base_mass"] + some) + c2 for some in (mass, a["mass"]))
        heat = new * on_the_way("theta", elapsed) - old * a["theta"]
        return mass - a["mass"], heat, on_the_way("geopotential", elapsed) - a["geopotential"]

    mass, heat, lifted = changes(s["elapsed"])
    later, more, higher = changes(s["elapsed"] + s["ahead"])
    layer = c1 * (a["base_mass"] + a["mass"]) + c2
    depth = a["full_volume"] * layer * a["thickness"][:, None, None]
    pressure = a["stiffness"] * (
        (more + 300.0 * c1 * later) / (layer * (a["theta"] + 300.0))
        - np.diff(higher, axis=0) / depth
    )
    rate = (given(a, "mass", s["share"]) - a["old_mass"]) / s["dt"]
    j0, j1, i0, i1, _ = sample.box
    for name, expected in (
        ("mass_change", mass), ("theta_change", heat), ("geopotential_change", lifted),
        ("pressure_change", pressure), ("mass_rate", rate),
    ):  # fmt: skip
        wanted = np.where(marked, expected, a[name])[..., j0:j1, i0:i1]
        assert_allclose(after[name][..., j0:j1, i0:i1], wanted, rtol=1e-8, atol=1e-6)


@pytest.mark.parametrize("name", ["given_w", "inner_w"])
def test_upward_wind_at_sides_is_that_of_plain_numpy(name):
    a, after, sample = called(name)
    c1, c2 = a["c1_face"][:, None, None], a["c2_face"][:, None, None]
    was = a["base_mass"] + a["mass"]
    if name == "given_w":
        s = sample.scalars
        wind = a["old_w"] + s["elapsed"] * (given(a, "w", s["share"]) - a["old_w"])
    else:
        j, i = np.indices(was.shape)
        to_j, to_i = (np.rint(a[f"inward_{axis}"]).astype(int) for axis in "yx")
        rows, columns = was.shape
        wind = a["w"][:, (j + to_j) % rows, (i + to_i) % columns]
    wanted = (c1 * (was + a["mass_change"]) + c2) * wind - (c1 * was + c2) * a["w"]
    wanted = np.where(a["given"] != 0.0, wanted, a["w_change"])
    j0, j1, i0, i1, _ = sample.box
    found = after["w_change"][:, j0:j1, i0:i1]
    assert_allclose(found, wanted[:, j0:j1, i0:i1], rtol=1e-9, atol=1e-6)
