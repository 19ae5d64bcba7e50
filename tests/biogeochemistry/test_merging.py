"""Merged cells: fluxes, volumes and means against sums over the fine cells."""

import argparse
import re
from pathlib import Path

import numpy as np
import pytest
import tomli_w
import xarray

from biogeochemistry import sea_files as sea
from halocline.biogeochemistry import merge_command
from halocline.biogeochemistry.merged_divergence import MergedDivergence
from halocline.biogeochemistry.merged_files import flux_variables
from halocline.biogeochemistry.merging import merged
from halocline.component.case.reading import read_case
from halocline.component.forcing.field_records import RecordSource
from halocline.core.errors import UserError
from halocline.experiment.run import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A fine sea of 10 x 12 cells, and what 'halocline merge' makes of it."""
    folder = tmp_path_factory.mktemp("merged")
    sea.write_grid(folder / "fine.nc")
    sea.write_corners(folder / "ocean.nc")
    (folder / "fine.toml").write_text(tomli_w.dumps(case(folder, "fine.nc")))
    merge(folder, 2, folder)
    return folder


def merge(folder: Path, ratio: int, output: Path) -> None:
    """As 'halocline merge fine.toml RATIO --output OUTPUT'."""
    parser = argparse.ArgumentParser()
    merge_command.add_arguments(parser)
    words = [str(folder / "fine.toml"), str(ratio), "--output", str(output)]
    assert merge_command.main(parser.parse_args(words)) == 0


def case(folder: Path, name: str, /, **files) -> dict:
    return {
        "component": "transport",
        "precision": "float64",
        "data_folder": str(folder),
        "grid": {
            "file": str(folder / name),
            "closed_edges": False,
            "levels": {"thickness": sea.thickness.tolist()},
        },
        "time": {"start": "2000-01-01", "length": "12h", "step": "1h"},
        "transport": {
            "tracers": ["constant", "layers"],
            "circulation": "files",
            "files": {"file": str(folder / "ocean.nc"), "largest_surface_water": 1e3} | files,
        },
    }


def blocks(values: np.ndarray) -> np.ndarray:
    """Sums over 2 x 2 cells."""
    *outer, nj, ni = values.shape
    return values.reshape(*outer, nj // 2, 2, ni // 2, 2).sum(axis=(-1, -3))


def test_coarse_fluxes_are_sums_and_so_is_their_divergence(folder: Path):
    x_fine, y_fine = sea.fluxes_of_corners(*sea.corner_velocity())
    with xarray.open_dataset(folder / "circulation.nc", decode_times=False) as data:
        x_flux, y_flux = (data[f"{axis}_volume_flux"].fillna(0.0).values for axis in "xy")
        thickness = data.cell_thickness.fillna(0.0).values
    *outer, nj, ni = x_fine.shape
    expected = x_fine.reshape(*outer, nj // 2, 2, ni).sum(axis=-2)[..., ::2]
    np.testing.assert_allclose(x_flux, expected, rtol=1e-12, atol=1e-6)
    *outer, nj, ni = y_fine.shape
    expected = y_fine.reshape(*outer, nj, ni // 2, 2).sum(axis=-1)[..., ::2, :]
    np.testing.assert_allclose(y_flux, expected, rtol=1e-12, atol=1e-6)

    def divergence(x, y):
        return x[..., 1:] - x[..., :-1] + y[..., 1:, :] - y[..., :-1, :]

    scale = np.abs(x_flux).sum() + np.abs(y_flux).sum()
    residual = divergence(x_flux, y_flux) - blocks(divergence(x_fine, y_fine))
    assert np.abs(residual).max() < 1e-12 * scale
    coarse = read_case(folder / "fine.toml", [f"grid.file={folder / 'grid.nc'}"]).build_levels()
    fine = read_case(folder / "fine.toml").build_levels()
    still = blocks(fine.volume)
    raised = blocks(fine.horizontal.area * sea.sea_level())
    volume = thickness * coarse.horizontal.area
    np.testing.assert_allclose(volume[:, :-1], np.broadcast_to(still[:-1], volume[:, :-1].shape))
    np.testing.assert_allclose(volume[:, -1], still[-1] + raised, rtol=1e-12)


def test_means_are_weighted_by_volume_and_open_area(folder: Path):
    with xarray.open_dataset(folder / "circulation.nc", decode_times=False) as data:
        temperature, kz = data.temperature.values[1], data.vertical_diffusivity.values[1]
    fine = read_case(folder / "fine.toml").build_levels()
    volume, wet = fine.volume, fine.wet
    both = np.concatenate([np.zeros_like(wet[:1]), wet[1:] & wet[:-1]])
    area = fine.horizontal.area * both
    with np.errstate(invalid="ignore"):
        mean = blocks(volume * sea.temperature()[1]) / blocks(volume)
        mixed = blocks(area * sea.diffusivity()[1, :3]) / blocks(area)
    np.testing.assert_allclose(temperature, mean, rtol=1e-12)
    np.testing.assert_allclose(kz[1:][~np.isnan(mixed[1:])], mixed[1:][~np.isnan(mixed[1:])])


def test_merged_while_running_is_as_merged_before(folder: Path):
    """A constant stays, contents close; a tracer is the same to round-off either way."""
    coarse = case(folder, "grid.nc", grid=str(folder / "fine.nc"))
    running = run(coarse, check_halos=True).component
    before = run(case(folder, "grid.nc", file=str(folder / "circulation.nc"))).component
    one, other = (some.model.state.tracer.gather() for some in (running, before))
    np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(one[0], running.grid.wet, atol=1e-12)
    assert np.ptp(one[1][running.grid.wet]) > 0.1
    np.testing.assert_allclose(
        running.model.contents(),
        running.contents_at_start.read()[0] + running.boundaries.totals(),
        rtol=1e-12,
    )


def test_records_keep_what_they_are_means_over(folder: Path, tmp_path: Path):
    """Daily means are written with the ends of their days; one that is left out is missed."""
    with xarray.open_dataset(folder / "circulation.nc") as data:
        days = np.datetime64("2000-01-01") + np.arange(5).astype("timedelta64[D]")
        np.testing.assert_array_equal(data.time_bounds, np.stack([days[:-1], days[1:]], axis=1))
        np.testing.assert_array_equal(data.time, days[:-1] + np.timedelta64(12, "h"))
        assert data.temperature.cell_methods == data.x_volume_flux.cell_methods == "time: mean"
        data.isel(time=[0, 2]).to_netcdf(tmp_path / "gap.nc")
    two_days = case(folder, "grid.nc", file=str(tmp_path / "gap.nc"))
    two_days["time"]["length"] = "2d"
    with pytest.raises(UserError, match=r"gap: no record between 2000-01-01 12:00 and 2000-01-03"):
        run(two_days)


def test_records_of_moments_have_no_bounds(folder: Path, tmp_path: Path):
    with xarray.open_dataset(folder / "ocean.nc") as data:
        moments = data.drop_vars("time_bounds").load()
    del moments.time.attrs["bounds"]
    moments.to_netcdf(tmp_path / "ocean.nc")
    text = (folder / "fine.toml").read_text()
    (tmp_path / "fine.toml").write_text(
        text.replace(str(folder / "ocean"), str(tmp_path / "ocean"))
    )
    merge(tmp_path, 2, tmp_path)
    with xarray.open_dataset(tmp_path / "circulation.nc") as data:
        assert "time_bounds" not in data and "cell_methods" not in data.x_volume_flux.attrs
        np.testing.assert_array_equal(data.time, moments.time)


def test_the_command_tells_how_well_divergence_is_kept(folder: Path, capsys):
    merge(folder, 2, folder / "again")
    lines = capsys.readouterr().out.splitlines()
    assert [line.startswith("merged 2000-01-0") for line in lines] == [True] * 4 + [False]
    told = float(re.search(r"within (\S+) of the sum of their fluxes", lines[-1])[1])
    assert 0.0 < told < 1e-14


@pytest.mark.parametrize("axis", [0, 1])
def test_merged_fluxes_that_miss_the_divergence_are_not_written_off(folder: Path, axis: int):
    """A flux that is 1e-9 larger than it may be, along x or along y."""
    from_case = read_case(folder / "fine.toml")
    files, clock = from_case.circulation_files, from_case.time.clock()
    merging = merged(from_case.build_levels(), 2)
    period = clock.start, clock.end
    source = RecordSource(files, files.variables, merging.fine.horizontal, period, "circulation")
    fluxes = flux_variables(source, files.places, merging)
    check = MergedDivergence(source, files.places, merging)
    values = [one.at(1) for one in fluxes]
    assert check.residual(1, values, fluxes) < 1e-14
    at = np.unravel_index(np.abs(values[axis]).argmax(), values[axis].shape)
    values[axis][at] *= 1.0 + 1e-9
    with pytest.raises(AssertionError, match="miss the divergence of fine cells by"):
        check.residual(1, values, fluxes)


def test_what_cannot_be_merged_is_refused(folder: Path):
    with pytest.raises(UserError, match=r"10 rows and 12 columns cannot be merged 5 by 5"):
        merge(folder, 5, folder / "no")
    with pytest.raises(UserError, match=r"is not that of 1 x 1 merged cells|cannot be merged"):
        run(case(folder, "fine.nc", grid=str(folder / "fine.nc")))
    with xarray.open_dataset(folder / "grid.nc") as grid:
        shallow = grid.load()
    shallow.depth.values[2, 1] = 10.0
    shallow.to_netcdf(folder / "shallow.nc")
    with pytest.raises(
        UserError, match=r"^1 columns? .* at 7.5 E, 34.5 N, has 1 wet levels, not 3"
    ):
        run(case(folder, "shallow.nc", grid=str(folder / "fine.nc")))
    with pytest.raises(UserError, match=r"'velocity_u' of .* lies on a grid 2 times finer"):
        run(case(folder, "grid.nc"))
