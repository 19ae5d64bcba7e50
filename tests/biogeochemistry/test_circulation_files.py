"""Circulation from files: fluxes, volumes and budgets against NumPy, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
import xarray

from biogeochemistry import sea_files as sea
from halocline.core.errors import UserError
from halocline.experiment.run import run

DAY = 86400.0


def case(folder: Path, **files) -> dict:
    sea.write_grid(folder / "grid.nc")
    return {
        "component": "transport",
        "precision": "float64",
        "data_folder": str(folder),
        "grid": {
            "file": "grid.nc",
            "closed_edges": False,
            "levels": {"thickness": sea.thickness.tolist()},
        },
        "time": {"start": "2000-01-01", "length": "18h", "step": "1h"},
        "transport": {
            "tracers": ["constant", "layers"],
            "circulation": "files",
            "files": {"file": "ocean.nc", "largest_surface_water": 1e3} | files,
        },
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("sea")
    sea.write_corners(folder / "ocean.nc")
    sea.write_nemo(folder)
    return folder


def between(values: np.ndarray, hours: float) -> np.ndarray:
    """Daily means, linear between the middles of days, held before the first."""
    day = max(hours / 24 - 0.5, 0.0)
    at, share = int(day), day - int(day)
    return (1 - share) * values[at] + share * values[at + 1]


def test_fluxes_and_volumes_are_those_of_numpy(folder: Path):
    done = run(case(folder))
    s, wet = done.component.model.state, sea.wet()
    x_flux, y_flux = (between(flux, 17.5) for flux in sea.fluxes_of_corners(*sea.corner_velocity()))
    np.testing.assert_allclose(s.x_volume_flux.gather(), x_flux, rtol=1e-12, atol=1e-6)
    np.testing.assert_allclose(s.y_volume_flux.gather(), y_flux, rtol=1e-12, atol=1e-6)
    area = done.component.plane.area

    def volume(hours: float) -> np.ndarray:
        result = wet * area * sea.thickness[::-1, None, None]
        result[-1] += area * between(sea.sea_level(), hours)
        return result

    np.testing.assert_allclose(s.volume.gather(), volume(18.0), rtol=1e-13)
    inflow = x_flux[..., :-1] - x_flux[..., 1:] + y_flux[:, :-1] - y_flux[:, 1:]
    change = (volume(18.0) - volume(17.0)) / 3600
    rise = np.cumsum(np.where(wet, inflow - change, 0.0), axis=0)
    z_flux = np.concatenate([np.zeros_like(rise[:1]), rise[:-1]]) * wet
    np.testing.assert_allclose(s.z_volume_flux.gather(), z_flux, atol=1e-9 * np.abs(rise).max())
    np.testing.assert_allclose(
        s.surface_water.gather(), -3600 * rise[-1], atol=3.6e-6 * np.abs(rise).max()
    )
    mixing = s.vertical_diffusivity.gather()[1:]
    np.testing.assert_allclose(mixing[:, 6, 2], sea.diffusivity()[0, 1:3, 6, 2], rtol=1e-12)


def test_a_constant_stays_and_contents_change_by_boundary_fluxes_alone(folder: Path):
    done = run(case(folder), check_halos=True)
    component, wet = done.component, sea.wet()
    tracer = component.model.state.tracer.gather()
    np.testing.assert_allclose(tracer[0], wet, atol=1e-12)
    assert tracer[1].min() >= 0.0 and np.ptp(tracer[1][wet]) > 0.1
    start, brought = component.contents_at_start.read()[0], component.boundaries.totals()
    now = component.model.contents()
    assert abs(brought[0] / start[0]) > 1e-5  # volumes do change
    np.testing.assert_allclose(now, start + brought, rtol=1e-12)


def test_nemo_files_give_the_same_flow(folder: Path):
    own = run(case(folder)).component.model.state
    nemo = run(case(folder, file=["day_grid_*.nc"], places="nemo")).component.model.state
    for name in ("x_volume_flux", "y_volume_flux", "volume"):
        one, other = getattr(own, name).gather(), getattr(nemo, name).gather()
        np.testing.assert_allclose(other, one, rtol=1e-12, atol=1e-6)


def test_units_of_another_system_are_brought_to_ours(folder: Path, tmp_path: Path):
    sea.write_nemo(tmp_path, units="cm/s", factor=100.0)
    own = run(case(folder)).component.model.state.x_volume_flux.gather()
    table = case(tmp_path, file="day_grid_*.nc", places="nemo")
    found = run(table).component.model.state.x_volume_flux.gather()
    np.testing.assert_allclose(found, own, rtol=1e-12, atol=1e-6)


def changed(folder: Path, tmp_path: Path, change) -> dict:
    with xarray.open_dataset(folder / "ocean.nc", decode_times=False) as data:
        change(data.load()).to_netcdf(tmp_path / "ocean.nc")
    return case(tmp_path)


def test_flow_is_taken_level_by_level_where_depths_are_not_their_middles(
    folder: Path, tmp_path: Path
):
    """As other oceans state them; what lies between two levels is interpolated."""
    own = run(case(folder)).component.model.state
    for share, same in ((0.05, True), (0.3, False)):
        off = share * np.array([30.0, -15.0, 15.0])  # of the distances of levels, from the deepest
        shifted = changed(folder, tmp_path, lambda data, d=off: data.assign_coords(
            depth=("depth", data.depth.values + d, data.depth.attrs)))  # fmt: skip
        shifted["transport"]["files"]["largest_surface_water"] = 1e5
        found = run(shifted).component.model.state
        for name in ("x_volume_flux", "y_volume_flux"):
            one, other = getattr(own, name).gather(), getattr(found, name).gather()
            assert np.allclose(other, one, rtol=1e-12, atol=1e-6) is same


mistakes = {
    r"has a gap: no record between 2000-01-02 12:00 and 2000-01-04 12:00": lambda data: data.isel(
        time=[0, 1, 3]
    ),
    r"does not lie on the model grid: .* 0.3 cells off": lambda data: data.assign_coords(
        longitude_face=data.longitude_face + 0.3, latitude_face=data.latitude_face
    ),
    r"'velocity_u' .* is 400 m s-1 .* another unit\?": lambda data: data.assign(
        velocity_u=data.velocity_u.where(data.velocity_u.isnull(), 400.0)
    ),
    r"units 'furlong', which cannot be brought to 'm s-1'": lambda data: data.assign(
        velocity_u=data.velocity_u.assign_attrs(units="furlong")
    ),
    r"has a gap: no record between 2000-01-01 12:00 and 2000-01-03 12:00": lambda data: data.isel(
        time=[0, 2]
    ),
    r"'velocity_u' of .* covers the longitudes .* of the model grid lie outside": lambda data: (
        data.isel(longitude_face=slice(4, None), longitude=slice(4, None))
    ),
    r"covers 2000-01-02 00:00 .* but the run needs 2000-01-01": lambda data: data.isel(
        time=[1, 2, 3]
    ),
    r"is missing \(NaN\) over sea": lambda data: data.assign(
        sea_level=data.sea_level.where(data.longitude > 9)
    ),
    r"No file of the circulation has velocity along the grid's y: in ": lambda data: data.drop_vars(
        "velocity_v"
    ),
}


@pytest.mark.parametrize("message", mistakes)
def test_bad_files_are_refused(folder: Path, tmp_path: Path, message: str):
    table = changed(folder, tmp_path, mistakes[message])
    table["time"]["length"] = "2d"
    with pytest.raises(UserError, match=message):
        run(table)


def test_the_mean_of_a_day_holds_for_it_alone(folder: Path, tmp_path: Path):
    table = changed(folder, tmp_path, lambda data: data.isel(time=[1]))
    table["time"] |= {"start": "2000-01-02", "length": "1d"}
    state = run(table).component.model.state
    assert np.ptp(state.x_volume_flux.gather()) > 0
    table["time"]["length"] = "25h"
    with pytest.raises(UserError, match="covers 2000-01-02 00:00 to 2000-01-03 00:00, but"):
        run(table)


def test_results_that_are_too_short_say_what_to_run(folder: Path, tmp_path: Path):
    made = tmp_path / "results" / "ocean-case"
    made.mkdir(parents=True)
    table = changed(folder, made, lambda data: data.isel(time=[0, 1]))
    table["time"]["length"] = "4d"
    with pytest.raises(UserError, match=r"'halocline run ocean-case --set time.length=4d' makes"):
        run(table)


def test_a_flow_that_does_not_fit_is_refused_with_its_place(folder: Path, tmp_path: Path):
    table = case(folder, largest_surface_water=0.01)
    with pytest.raises(UserError, match=r"flow of '[^']*' does not fit .* .* E, .* N, 2000-01-01"):
        run(table)
    table = changed(
        folder,
        tmp_path,
        lambda data: data.assign(
            velocity_u=(100 * data.velocity_u).clip(-14, 14).assign_attrs(units="m s-1")
        ),
    )
    table["transport"]["files"]["largest_surface_water"] = 1e9
    table["time"] = {"start": "2000-01-01", "length": "36h", "step": "12h"}
    with pytest.raises(UserError, match=r"leaves it in one direction at .* Use time.step"):
        run(table)


def test_a_split_run_has_the_same_bits(folder: Path, tmp_path: Path):
    whole = run(case(folder)).component.model.state
    first = case(folder)
    first["time"]["length"] = "7h"
    run(first, output=tmp_path / "first")
    rest = {**case(folder), "restart": {"source": str(tmp_path / "first")}}
    again = run(rest, check_halos=True).component
    assert np.array_equal(again.model.state.tracer.gather(), whole.tracer.gather())
    assert np.array_equal(again.model.state.volume.gather(), whole.volume.gather())
