"""`halocline plot`: what is drawn of which file, animations, sections, messages."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from PIL import Image

from halocline.analysis import animation, plot_command, reading, wave_fields
from halocline.analysis.coastline import inland_at
from halocline.analysis.looks import palette
from halocline.analysis.map_grid import grid_of, nearest_cells
from halocline.analysis.plot import plot
from halocline.analysis.sections import parse_section, section_figure, section_points
from halocline.analysis.series import series_sheet
from halocline.core.errors import UserError


def size(file: Path) -> tuple[int, int]:
    with Image.open(file) as picture:
        return picture.size


def test_fields_become_a_sheet_beside_the_file(global_file: Path) -> None:
    assert plot(global_file) == [global_file.with_name("fields-maps.png")]
    width, height = size(global_file.with_name("fields-maps.png"))
    assert width > 1000 and 1.2 * width < height < 2.0 * width


def test_sheet_draws_height_period_and_wind(global_waves: xr.Dataset) -> None:
    fields = wave_fields.sheet_fields(wave_fields.with_wind_speed(global_waves))
    assert [field.name for field in fields] == ["significant_height", "peak_period", "wind_speed"]
    assert fields[2].isel(time=0, longitude=0, latitude=0) == pytest.approx(10.0)


def test_one_variable_one_map(global_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    assert plot(global_file, "peak_period", output=folder) == [folder / "fields-peak_period.png"]
    named = tmp_path / "a.png"
    assert plot(global_file, wave_fields.HEIGHT, time=0, output=named) == [named]
    assert size(named)[0] > 1000


def test_regional_map_keeps_proportions(global_file: Path, tmp_path: Path) -> None:
    tall = plot(global_file, "peak_period", region="-20,20,-60,60", output=tmp_path / "tall.png")
    width, height = size(tall[0])
    assert height > 1.5 * width


@pytest.mark.parametrize(
    ("time", "index"),
    [
        (None, 4),
        (0, 0),
        (-1, 4),
        ("2", 2),
        ("2011-01-15T18:00", 1),
        ("2011-01-15 18:00 UTC", 1),
        ("2011-01-16", 2),
        ("2011-01-16T02:00", 2),
        ("2011-01-16T04:00Z", 3),
    ],
)
def test_times(global_waves: xr.Dataset, time: str | int | None, index: int) -> None:
    assert reading.time_index(global_waves, time, "file") == index


def test_other_calendars(global_waves: xr.Dataset) -> None:
    noleap = global_waves.convert_calendar("noleap", use_cftime=True)
    assert reading.time_index(noleap, "2011-01-15T18", "file") == 1
    record = noleap.significant_height.isel(time=1)
    assert reading.valid_time(record) == "2011-01-15 18:00 UTC"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variable": "significant_hight"}, "Did you mean 'significant_height'"),
        ({"time": "2011-03-01"}, "runs from 2011-01-15 12:00 UTC to 2011-01-16 12:00 UTC"),
        ({"time": 7}, "Give 0 to 4"),
        ({"time": "noon"}, "'noon' is not a time"),
        ({"region": "atlantis"}, "Unknown region 'atlantis'"),
        ({"level": 10.0}, "has no depths"),
        ({"section": "latitude=0"}, "no field in it has depths"),
        ({"output": "nowhere/folder"}, "neither a folder that exists"),
        ({"output": "/nowhere/at/all.png"}, "Cannot write the picture"),
    ],
)
def test_mistakes_get_one_clear_message(global_file: Path, options: dict, message: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(UserError, match=message) as caught:
        plot(global_file, **options)
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_drawn(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no such file"):
        plot(tmp_path / "missing.nc")
    text = tmp_path / "text.nc"
    text.write_text("not a netCDF file")
    with pytest.raises(UserError, match="not a netCDF file that can be read"):
        plot(text)
    xr.Dataset({"a": ("n", [1.0, 2.0])}).to_netcdf(tmp_path / "plain.nc")
    with pytest.raises(
        UserError, match=r"neither fields on a map nor series in time.*variables: a"
    ):
        plot(tmp_path / "plain.nc")


def test_files_without_records_say_so(global_waves: xr.Dataset, tmp_path: Path) -> None:
    global_waves.isel(time=slice(0, 0)).to_netcdf(tmp_path / "none.nc")
    with pytest.raises(UserError, match="no record. The run ended before the interval"):
        plot(tmp_path / "none.nc")


def test_zarr_folders_are_drawn_and_others_are_listed(
    global_waves: xr.Dataset, tmp_path: Path
) -> None:
    global_waves.to_zarr(tmp_path / "fields.zarr", zarr_format=3, consolidated=False)
    assert plot(tmp_path / "fields.zarr", "significant_height")[0].exists()
    with pytest.raises(UserError, match="it is a folder. Name one of: fields.zarr."):
        plot(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="it is a folder. There is no output in it."):
        plot(tmp_path / "empty")


def test_names_of_other_models_get_ours(global_file: Path) -> None:
    with pytest.raises(UserError, match="'swh' in .* It is called 'significant_height' here."):
        plot(global_file, "swh")


def test_one_time_cannot_be_animated(global_waves: xr.Dataset, tmp_path: Path) -> None:
    global_waves.isel(time=[0]).to_netcdf(tmp_path / "one.nc")
    with pytest.raises(UserError, match="only one time"):
        plot(tmp_path / "one.nc", animate=True)


def test_animation_has_a_frame_for_each_time(global_file: Path) -> None:
    written = plot(global_file, animate=True)
    gif = global_file.with_name("fields-significant_height.gif")
    assert written == [gif]
    assert gif.stat().st_size < 5_000_000
    with Image.open(gif) as picture:
        assert getattr(picture, "n_frames", 1) == 5
        assert picture.size[0] == animation.PIXELS_ACROSS
        assert picture.info["loop"] == 0


@pytest.mark.parametrize("works", [True, False])
def test_ffmpeg_makes_another_animation(
    works: bool, global_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program in place of ffmpeg takes all frames and leaves its arguments in the file."""
    ending = "" if works else "echo 'no such codec' >&2; exit 1"
    program = tmp_path / "ffmpeg"
    program.write_text(f'#!/bin/sh\nfor last; do :; done\nwc -c >"$last"\n{ending}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    film = global_file.with_name("fields-significant_height.mp4")
    if works:
        assert plot(global_file, animate=True) == [film.with_suffix(".gif"), film]
    else:
        with pytest.raises(UserError, match="ffmpeg could not write .*no such codec"):
            plot(global_file, animate=True)
    with Image.open(film.with_suffix(".gif")) as picture:
        width, height = picture.size
    assert int(film.read_text()) == 5 * 3 * (width - width % 2) * (height - height % 2)


def test_frames_differ_and_share_the_coast(global_waves: xr.Dataset) -> None:
    height = global_waves.significant_height
    sea = ~inland_at(*np.meshgrid(global_waves.longitude, global_waves.latitude))
    real = global_waves.assign(significant_height=height.where(sea))
    pictures = list(animation.frames(real, real.significant_height, [0, 4]))
    first, last = (np.asarray(picture).astype(int) for picture in pictures)
    land = np.abs(first - np.array([216, 211, 200])).sum(axis=2) < 12
    changed = np.abs(first - last).sum(axis=2) > 0
    assert land.mean() > 0.15
    assert changed[land].mean() < 0.01
    assert changed[~land].mean() > 0.3


@pytest.mark.parametrize(("count", "most"), [(5, 61), (61, 61), (62, 61), (121, 61), (1000, 61)])
def test_long_animations_are_thinned(count: int, most: int) -> None:
    records = animation.chosen_records(count, most)
    assert len(records) <= most and len(set(np.diff(records))) == 1
    assert records[-1] == count - 1
    assert len(records) >= min(count, most) // 2


def test_large_gif_is_made_smaller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(animation, "LARGEST_FILE", 150_000)
    random = np.random.default_rng(1)
    noise = [
        Image.fromarray(random.integers(0, 255, (300, 600, 3), dtype=np.uint8)) for _ in range(2)
    ]
    file = animation.write_gif(noise, tmp_path / "noise.gif", palette("haline"))
    assert file.stat().st_size <= 150_000 or size(file)[0] < 400


def test_points_become_one_sheet_per_station(spectra: xr.Dataset, tmp_path: Path) -> None:
    spectra.to_netcdf(tmp_path / "points.nc")
    assert [path.name for path in plot(tmp_path / "points.nc")] == [
        "points-Biscay.png",
        "points-Hawaii.png",
    ]
    assert len(plot(tmp_path / "points.nc", station="Hawaii", time=0)) == 1
    with pytest.raises(UserError, match="Did you mean 'Biscay'"):
        plot(tmp_path / "points.nc", station="Biskay")
    assert plot(tmp_path / "points.nc", "wnd") == [tmp_path / "points-series.png"]
    with pytest.raises(UserError, match="Series are: wnd, wnddir"):
        plot(tmp_path / "points.nc", "efth")


def test_series_draws_each_station(spectra: xr.Dataset) -> None:
    figure = series_sheet(spectra, [spectra.wnd], "title")
    lines = figure.axes[0].get_lines()
    assert [line.get_label() for line in lines] == ["Biscay", "Hawaii"]
    assert np.asarray(lines[0].get_ydata()).tolist() == [9.0, 9.0, 9.0]


def test_series_without_stations(tmp_path: Path) -> None:
    times = np.datetime64("2011-01-01", "ns") + np.arange(4) * np.timedelta64(1, "h")
    xr.Dataset({"energy": ("time", [1.0, 2.0, 3.0, 2.0])}, {"time": times}).to_netcdf(
        tmp_path / "budget.nc"
    )
    assert plot(tmp_path / "budget.nc") == [tmp_path / "budget-series.png"]


def test_one_record_is_a_dot_within_two_days() -> None:
    time = np.array(["2000-01-01"], "datetime64[ns]")
    data = xr.Dataset({"energy": ("time", [1.0])}, {"time": time})
    axes = series_sheet(data, [data.energy]).axes[0]
    assert axes.get_lines()[0].get_marker() == "o"
    assert np.ptp(axes.get_xlim()) == pytest.approx(2.0)


def test_series_without_a_number_are_left_out(tmp_path: Path) -> None:
    """As Nino 3.4 of the Mediterranean; nothing else is drawn for them."""
    times = np.datetime64("2011-01-01", "ns") + np.arange(2) * np.timedelta64(1, "h")
    none = ("time", [np.nan, np.nan])
    xr.Dataset({"nino34": none, "energy": ("time", [1.0, 2.0])}, {"time": times}).to_netcdf(
        tmp_path / "numbers.nc"
    )
    xr.Dataset({"energy": ("time", [1.0, 2.0])}, {"time": times}).to_netcdf(tmp_path / "one.nc")
    both, one = (plot(tmp_path / name)[0] for name in ("numbers.nc", "one.nc"))
    assert size(both) == size(one)


def test_levels_and_sections_of_a_curvilinear_grid(
    curvilinear: xr.DataArray, tmp_path: Path
) -> None:
    file = tmp_path / "ocean.nc"
    curvilinear.to_dataset().to_netcdf(file)
    assert [path.name for path in plot(file, level=900.0)] == ["ocean-maps.png"]
    written = plot(file, "temperature", section="latitude=20")
    assert [path.name for path in written] == ["ocean-temperature-latitude20.png"]
    with pytest.raises(UserError, match="lies outside the file"):
        plot(file, section="latitude=85")


def test_section_takes_the_nearest_cells(curvilinear: xr.DataArray) -> None:
    _, mesh = section_figure(curvilinear, "latitude", 20.0)
    values = np.ma.asarray(mesh.get_array())
    assert values.shape[0] == 2
    assert np.asarray(values[0]) == pytest.approx(30.0, abs=6.5)
    assert np.asarray(values[0] - values[1]) == pytest.approx(10.0)


def test_section_is_empty_where_the_file_has_no_cells(global_waves: xr.Dataset) -> None:
    part = grid_of(global_waves.significant_height.isel(longitude=slice(0, 10), time=0))
    _, distance = nearest_cells(part, np.array([20.0, 180.0]), np.array([0.0, 0.0]))
    assert distance[0] == pytest.approx(0.0, abs=1e-5) and distance[1] > 90.0
    x, y = section_points(part, "longitude", 12.0)
    assert set(x) == {12.0} and y[0] == -75.0


@pytest.mark.parametrize("text", ["", "lat", "depth=3", "lat=north", "=5"])
def test_bad_sections(text: str) -> None:
    with pytest.raises(UserError, match="is not a section"):
        parse_section(text)


def test_command_declares_and_draws(global_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    plot_command.main_arguments(parser)
    given = parser.parse_args([str(global_file), "peak_period", "--time", "1", "--arrows", "barbs"])
    assert plot_command.run(given) == 0
    assert capsys.readouterr().out == f"{global_file.with_name('fields-peak_period.png')}\n"
