"""The shipped case: its grid, what it needs, and its first steps with few levels. Ranks: 1."""

import netCDF4
import numpy as np
import pytest

from halocline.component.case.reading import read_case
from halocline.component.case.shipped import data_folder
from halocline.experiment.run import run
from halocline.grids.vertical.levels import file_thickness
from halocline.ocean.joined_seas import reached_cells, seas
from halocline.runtime.fields.place import Place


def test_its_levels_lie_around_the_depths_of_its_data():
    path = data_folder() / "m_med_1o8.nc"
    with netCDF4.Dataset(path) as file:
        depth, bottom = file["depth_t"][:], file["depth_w"][:]
    thickness = file_thickness(path)
    assert thickness.size == 72 and thickness.sum() == pytest.approx(float(bottom[-1]))
    middle = np.cumsum(thickness) - 0.5 * thickness
    np.testing.assert_allclose(middle, depth, rtol=0.1)
    assert (np.abs(middle - depth) <= 0.06 * thickness).all()


def test_gibraltar_is_open():
    """The flow joins the Atlantic with the seas at the other end."""
    grid = read_case("mediterranean").build_grid()
    numbers, center = seas(grid), grid.at(Place.center)
    x, y = np.broadcast_arrays(center.x, center.y)
    at = [
        np.argmin((x - a) ** 2 + (y - b) ** 2) for a, b in ((-8.0, 36.0), (5.0, 40.0), (33.0, 34.0))
    ]
    assert len({int(numbers.ravel()[place]) for place in at}) == 1
    names, sizes = np.unique(numbers[grid.mask], return_counts=True)
    assert sizes.max() > 0.99 * sizes.sum() and names.size < 60


short = {
    "grid.levels.count": 10,
    "time.length": "80min",
    "decomposition.blocks_per_rank": 1,
    "restart.interval": "40min",
    "output.fields.biogeochemistry.interval": "80min",
    "output.fields.surface.interval": "80min",
    "output.series.numbers.interval": "80min",
}
"""Four steps with the upper 10 levels."""


@pytest.fixture(scope="module")
def first_steps(tmp_path_factory):
    """The ocean after them, and the folder of results."""
    folder = tmp_path_factory.mktemp("mediterranean")
    case = read_case("mediterranean").with_settings(short)
    return run(case, output=folder).component, folder


def means(folder):
    """The record of the means, missing values as such."""
    with netCDF4.Dataset(folder / "biogeochemistry.nc") as file:
        return {name: file[name][-1] for name in file.variables if "time" in file[name].dimensions}


def test_a_restart_in_the_middle_of_a_mean_changes_no_bit(first_steps, tmp_path):
    _, folder = first_steps
    half = min(path for path in folder.glob("*restart*"))
    more = {"restart.source": str(half), "decomposition.kind": "curve"}
    again = run(read_case("mediterranean").with_settings({**short, **more}), output=tmp_path)
    assert again.outcome.steps == 2
    wanted, found = means(folder), means(tmp_path)
    assert wanted.keys() == found.keys() and len(wanted) > 12
    for name, values in wanted.items():
        np.testing.assert_array_equal(np.ma.getmaskarray(found[name]), np.ma.getmaskarray(values))
        np.testing.assert_array_equal(np.ma.filled(found[name], 0), np.ma.filled(values, 0))


def test_the_first_steps_with_few_levels(first_steps):
    """The means for biogeochemistry fit together."""
    component, folder = first_steps
    s, levels = component.model.state, component.grid
    budget = component.diagnostics.budget.contents()
    assert budget.volume == pytest.approx(component.diagnostics.first.volume, rel=1e-13)
    with netCDF4.Dataset(folder / "biogeochemistry.nc") as file:
        mean = {name: np.ma.filled(file[name][-1], 0.0) for name in file.variables if "_" in name}
        units = {name: file[name].units for name in ("vertical_diffusivity", "short_wave")}
        mean |= {name: np.ma.filled(file[name][-1], np.nan) for name in ("temperature", "salinity")}
        assert file["velocity_w"].dimensions[1] == "depth_interface"
        np.testing.assert_allclose(file["depth_interface"][:], levels.interfaces)
    assert units == {"vertical_diffusivity": "m2 s-1", "short_wave": "W m-2"}
    for name, least, most in (("temperature", 8.0, 23.0), ("salinity", 35.0, 39.5)):
        np.testing.assert_array_equal(np.isfinite(mean[name]), levels.wet)
        wet = mean[name][levels.wet]
        assert least < wet.min() and wet.max() < most
    assert (mean["short_wave"][levels.mask] > 40.0).all() and mean["short_wave"].max() < 160.0
    assert mean["vertical_diffusivity"][1:-1][levels.wet[:-1]].min() > 5e-6
    still = levels.mask & ~reached_cells(levels.horizontal)
    assert still.sum() > 40 and not mean["water_flux"][still].any()
    assert (mean["water_flux"] > 0.0).sum() > 300 and (mean["water_flux"] < 0.0).sum() > 15_000
    assert 3.0 < mean["wind_speed"][levels.mask].mean() < 10.0
    u, v = (np.zeros((10, 129, 363)) for _ in range(2))
    for to, name, width in ((u, "velocity_u", "corner_dy"), (v, "velocity_v", "corner_dx")):
        of = mean[name] * getattr(s, width).gather() * levels.thickness[:, None, None]
        to[:, : of.shape[1], : of.shape[2]] = of
    west, south = 0.5 * (u[:, :-1] + u[:, 1:]), 0.5 * (v[:, :, :-1] + v[:, :, 1:])
    inward = west[..., :-1] - west[..., 1:] + south[:, :-1] - south[:, 1:]
    rise = np.cumsum(inward, axis=0) / levels.horizontal.area
    found = mean["velocity_w"][1:]
    assert np.abs(found).max() > 1e-6
    np.testing.assert_allclose(found[levels.wet], rise[levels.wet], rtol=1e-4, atol=1e-9)
