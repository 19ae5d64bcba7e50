"""Sheets of maps: whole titles that fit, columns that suit the box, hatches on a calm sea."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from halocline.analysis import animation, looks
from halocline.analysis.plot import plot
from halocline.analysis.series import series_sheet
from halocline.analysis.sheet import map_sheet

LONG = " ".join(["A title as people write them, with $5 in it and a word more than fits"] * 3)


def outside(figure: Figure) -> list[str]:
    """Texts that stick out of a figure."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    canvas = figure.bbox
    texts = [*figure.texts, *(axes.title for axes in figure.axes)]
    texts += [axes._left_title for axes in figure.axes if hasattr(axes, "_left_title")]
    boxes = {text.get_text(): text.get_window_extent(renderer) for text in texts}
    return [
        text
        for text, box in boxes.items()
        if text and not (canvas.x0 <= box.x0 and box.x1 <= canvas.x1 and box.y1 <= canvas.y1)
    ]


def test_long_titles_are_whole_and_fit(global_waves: xr.Dataset, spectra: xr.Dataset) -> None:
    record = global_waves.isel(time=0)
    record.significant_height.attrs = {"long_name": f"significant height of {LONG}", "units": "m"}
    with looks.style():
        maps, _ = map_sheet(record, [record.significant_height] * 2, title=LONG)
        series = series_sheet(spectra, [spectra.wnd], LONG)
    for figure in (maps, series):
        assert LONG in [" ".join(text.get_text().split()) for text in figure.texts]
        assert not outside(figure)
    shown = maps.axes[0].get_title(loc="left").split()
    assert " ".join(shown) == f"Significant height of {LONG} [m]"


def test_headline_and_time_do_not_meet(global_waves: xr.Dataset) -> None:
    record = global_waves.isel(time=0)
    with looks.style():
        figure, _ = map_sheet(record, [record.significant_height], title=LONG)
    renderer = FigureCanvasAgg(figure).get_renderer()
    headline, time = figure.texts[-2:]
    assert time.get_text() == "valid 2011-01-15 12:00 UTC"
    assert headline.get_window_extent(renderer).x1 < time.get_window_extent(renderer).x0


def test_a_volume_that_hardly_changes_has_an_axis_that_says_how_much(spectra: xr.Dataset) -> None:
    volume = 1.33196200512e18 + np.linspace(0.0, -2e7, spectra.sizes["time"])
    facts = {"long_name": "volume of the sea", "units": "m3"}
    series = spectra.assign(volume=("time", volume, facts))
    with looks.style():
        figure = series_sheet(series, [series.volume])
        FigureCanvasAgg(figure).draw()
    axes = figure.axes[0]
    assert axes.get_title(loc="left") == "Volume of the sea less 1.3319620051e+18 m3"
    labels = [text.get_text() for text in axes.get_yticklabels()]
    assert len(set(labels)) == len(labels) > 2
    assert np.ptp(axes.lines[0].get_ydata()) == pytest.approx(2e7, rel=1e-4)


@pytest.mark.parametrize("panels", [1, 4])
def test_labels_of_a_plane_are_whole(panels: int) -> None:
    x = np.arange(0.0, 4e6, 2e5)
    facts = {"units": "m"}
    data = xr.DataArray(
        np.add.outer(x, x), {"y": ("y", x, facts), "x": ("x", x, facts)}, ("y", "x"), "tracer"
    )
    data.y.attrs["standard_name"] = "projection_y_coordinate"
    data.x.attrs["standard_name"] = "projection_x_coordinate"
    with looks.style():
        figure, maps = map_sheet(data.to_dataset(), [data] * panels)
        renderer = FigureCanvasAgg(figure).get_renderer()
        boxes = [each.axes.get_tightbbox(renderer) for each in maps]
    for each, box in zip(maps, boxes, strict=True):
        assert each.axes.get_ylabel() == "y [km]" and each.axes.get_xlabel() == "x [km]"
        assert box.x0 >= 0.0 and box.y0 >= 0.0 and box.x1 <= figure.bbox.x1
    overlaps = [a.overlaps(b) for n, a in enumerate(boxes) for b in boxes[:n]]
    assert not any(overlaps)


def test_labels_of_the_colour_bar_of_a_wide_map_are_whole(global_waves: xr.Dataset) -> None:
    height = next(iter(global_waves.data_vars.values())).isel(time=0)
    level = xr.DataArray(
        np.linspace(-0.12, 0.11, height.size).reshape(height.shape), height.coords, height.dims,
        "sea_level", {"units": "m", "standard_name": "sea_surface_height_above_geoid"},
    )  # fmt: skip
    with looks.style():
        figure, (drawn,) = map_sheet(level.to_dataset(), [level])
        renderer = FigureCanvasAgg(figure).get_renderer()
        box = drawn.axes.get_tightbbox(renderer)
    (bar,) = drawn.axes.child_axes
    assert max(len(label.get_text()) for label in bar.get_yticklabels()) >= 5
    assert box.x1 <= figure.bbox.x1


def test_small_numbers_have_a_power_of_ten_over_the_colour_bar(global_waves: xr.Dataset) -> None:
    """Labels such as 0.000225 were cut at the edge of the sheet."""
    height = next(iter(global_waves.data_vars.values())).isel(time=0)
    rates = np.linspace(7.5e-5, 3.2e-4, height.size).reshape(height.shape)
    rate = xr.DataArray(rates, height.coords, height.dims, "rate", {"units": "mg m-3 s-1"})
    with looks.style():
        figure, maps = map_sheet(rate.to_dataset(), [rate] * 2, region="-10,40,30,46")
        renderer = FigureCanvasAgg(figure).get_renderer()
        figure.draw(renderer)
    for drawn in maps:
        (bar,) = drawn.axes.child_axes
        assert bar.yaxis.get_offset_text().get_text().endswith("4")
        assert max(len(label.get_text()) for label in bar.get_yticklabels()) <= 5
        assert bar.get_tightbbox(renderer).x1 <= figure.bbox.x1


@pytest.mark.parametrize(
    ("region", "panels", "columns"),
    [
        (None, 3, 1),
        (None, 6, 2),
        ("-40,10,0,50", 3, 3),
        ("-40,10,0,50", 4, 2),
        ("-10,10,-60,60", 3, 3),
    ],
)
def test_columns_suit_the_box(
    global_waves: xr.Dataset, region: str | None, panels: int, columns: int
) -> None:
    record = global_waves.isel(time=0)
    figure, maps = map_sheet(record, [record.significant_height] * panels, region=region)
    assert len({round(each.axes.get_position().x0, 6) for each in maps}) == columns
    across, up = figure.get_size_inches()
    assert 0.6 < across / up < 3.2


def test_file_of_wind_speed_alone_is_drawn(global_waves: xr.Dataset, tmp_path: Path) -> None:
    attributes = {"standard_name": "wind_speed", "units": "m s-1"}
    speed = (global_waves.wind_u * 1.5).assign_attrs(attributes).to_dataset(name="wind_speed")
    speed.to_netcdf(tmp_path / "speed.nc")
    assert plot(tmp_path / "speed.nc") == [tmp_path / "speed-maps.png"]
    assert plot(tmp_path / "speed.nc", animate=True)[0] == tmp_path / "speed-wind_speed.gif"


def pixels(figure: Figure) -> np.ndarray:
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].astype(int)


def test_sea_without_waves_is_hatched_and_the_outside_is_not(global_waves: xr.Dataset) -> None:
    record = global_waves.isel(time=0)
    calm = record.latitude < -20.0
    waves = record.assign(significant_height=record.significant_height.where(~calm, 0.0))
    waves = waves.where(record.longitude < 180.0)
    with looks.style():
        figure, maps = map_sheet(waves, [waves.peak_period], arrows="none")
        image = pixels(figure)
        box = maps[0].axes.get_window_extent()

    def texture(longitude: float, latitude: float) -> float:
        x, y = maps[0].axes.transData.transform((longitude, latitude))
        row = image.shape[0] - round(y)
        patch = image[row - 12 : row + 12, round(x) - 12 : round(x) + 12]
        return float(patch.std(axis=(0, 1)).max())

    assert box.width > 300
    assert texture(90.0, -50.0) > 5.0
    assert texture(-90.0, -50.0) < 0.5
    assert "hatched" in figure.texts[0].get_text() and figure.texts[0].get_visible()


def test_a_grid_around_the_pole_leaves_no_gap_there() -> None:
    """Cells of a grid whose own pole lies at 60 N: the true pole is inside of one."""
    x, y = np.meshgrid(np.deg2rad(np.arange(2.5, 360.0, 5.0)), np.deg2rad(np.arange(-85, 86, 5.0)))
    a, b, c = np.cos(y) * np.cos(x), np.cos(y) * np.sin(x), np.sin(y)
    cosine, sine = np.cos(np.pi / 6), np.sin(np.pi / 6)
    a, c = cosine * a + sine * c, cosine * c - sine * a
    places = {
        name: (("j", "i"), np.rad2deg(values), {"standard_name": name})
        for name, values in (("longitude", np.arctan2(b, a)), ("latitude", np.arcsin(c)))
    }
    data = xr.DataArray(np.ones(x.shape), places, ("j", "i"), "tracer")
    with looks.style():
        figure, maps = map_sheet(data.to_dataset(), [data])
        image = pixels(figure)
    far, near = [(100.0, 20.0)], [(x, y) for x in range(-175, 180, 7) for y in (85.5, 88.0, 89.6)]
    colours = [
        {tuple(image[image.shape[0] - 1 - int(v), int(u)]) for u, v in transformed}
        for transformed in (maps[0].axes.transData.transform(some) for some in (far, near))
    ]
    assert colours[0] == colours[1]


def test_nothing_is_hatched_where_all_is_defined(global_waves: xr.Dataset) -> None:
    record = global_waves.isel(time=0)
    figure, maps = map_sheet(record, [record.peak_period, record.wind_u])
    assert [each.undefined for each in maps] == [None, None]
    assert not figure.texts[0].get_visible()


def test_cells_of_a_bent_grid_are_hatched(curvilinear: xr.DataArray) -> None:
    surface = curvilinear.isel(depth=0)
    salinity = surface.where(surface.latitude > 0.0).assign_attrs(
        standard_name="sea_water_salinity"
    )
    data = xr.Dataset({"temperature": surface, "salinity": salinity})
    _, maps = map_sheet(data, [data.salinity])
    hatched = maps[0].undefined
    assert hatched is not None
    missing = int((np.isfinite(surface) & ~np.isfinite(salinity)).sum())
    assert missing <= len(hatched.get_paths()) <= 1.2 * missing


def test_hatches_of_an_animation_follow_the_calm(global_waves: xr.Dataset) -> None:
    height = global_waves.significant_height
    later = height.where((global_waves.time == global_waves.time[0]) | (height.latitude > 0.0), 0.0)
    first, last = (
        np.asarray(picture).astype(int)
        for picture in animation.frames(
            global_waves.assign(significant_height=later),
            global_waves.peak_period,
            [0, 4],
        )
    )
    note = slice(20, 60)
    assert (first[note] != last[note]).any()
