"""Maps: values, window and seam, arrows, land over field, curvilinear grids, colour scales."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.quiver import Barbs, Quiver

from halocline.analysis import looks
from halocline.analysis.coastline import inland_at
from halocline.analysis.map_grid import (
    MapGrid,
    arrow_places,
    carried_to_coast,
    corners,
    extent_of,
    grid_of,
    unwrapped,
    values_on,
    windowed,
)
from halocline.analysis.maps import degrees_east, degrees_north, draw_map, shown_values
from halocline.analysis.sheet import map_sheet
from halocline.core.errors import UserError


def drawn(data: xr.Dataset, name: str = "significant_height", **options):  # type: ignore[no-untyped-def]
    figure = Figure()
    record = data.isel(time=-1) if "time" in data.dims else data
    if "region" in options:
        options["extent"] = extent_of(options.pop("region"), grid_of(record[name]))
    return draw_map(figure, figure.add_subplot(), record, record[name], **options)


def test_global_map_spans_the_globe_and_shows_the_values(global_waves: xr.Dataset) -> None:
    shown = drawn(global_waves)
    assert shown.extent == (-180.0, 180.0, -77.5, 62.5)
    assert isinstance(shown.field, AxesImage)
    values = np.ma.asarray(shown.field.get_array())
    left, right, _, _ = shown.field.get_extent()
    step = (right - left) / values.shape[1]
    x = left + step * (np.arange(values.shape[1]) + 0.5)
    row = 10
    assert not np.ma.getmaskarray(values)[row].any()
    assert np.asarray(values[row]) == pytest.approx(6.0 + np.cos(np.deg2rad(x)))
    assert left <= -180.0 and right >= 180.0


@pytest.mark.parametrize("start", [0.0, -180.0, 20.0])
@pytest.mark.parametrize("west", [-180.0, 0.0, -175.0])
def test_any_start_of_the_longitudes_gives_the_same_window(start: float, west: float) -> None:
    longitude = start + np.arange(0.0, 360.0, 5.0)
    grid = MapGrid(longitude, np.array([-5.0, 0.0, 5.0]), True, ("latitude", "longitude"))
    values = np.tile(np.cos(np.deg2rad(longitude)), (3, 1))
    x, turned = windowed(grid, values, (west, west + 360.0, -5.0, 5.0))
    assert turned[0] == pytest.approx(np.cos(np.deg2rad(x)))
    assert np.diff(x) == pytest.approx(5.0)
    assert x[0] <= west and x[-1] >= west + 360.0


def test_longitudes_that_jump_inside_the_file_are_sorted(global_waves: xr.Dataset) -> None:
    turned = global_waves.assign_coords(
        longitude=(
            "longitude",
            np.remainder(global_waves.longitude.values + 180.0, 360.0) - 180.0,
            global_waves.longitude.attrs,
        )
    )
    grid = grid_of(turned.significant_height)
    assert (np.diff(grid.longitude) > 0.0).all()
    values = values_on(grid, turned.significant_height.isel(time=0))
    assert values[10] == pytest.approx(2.0 + np.cos(np.deg2rad(grid.longitude)))


def test_latitudes_from_north_to_south_are_turned(global_waves: xr.Dataset) -> None:
    upside_down = global_waves.isel(latitude=slice(None, None, -1), time=0)
    grid = grid_of(upside_down.significant_height)
    expected = values_on(grid, global_waves.significant_height.isel(time=0))
    assert np.array_equal(values_on(grid, upside_down.significant_height), expected, equal_nan=True)
    assert grid.latitude[0] == -75.0


def test_wave_arrows_point_where_waves_go(global_waves: xr.Dataset) -> None:
    arrows = drawn(global_waves, across=18).arrows
    assert isinstance(arrows, Quiver)
    assert arrows.U == pytest.approx(1.0)
    assert arrows.V == pytest.approx(0.0, abs=1e-9)
    assert arrows.get_offsets()[:, 1].max() <= 60.0


@pytest.mark.parametrize(("across", "columns"), [(18, 18), (36, 36), (72, 72), (500, 72)])
def test_number_of_arrows(global_waves: xr.Dataset, across: int, columns: int) -> None:
    grid = grid_of(global_waves.significant_height)
    keep = np.ones((31, 72), dtype=bool)
    j, i, x, y = arrow_places(grid, keep, (-180.0, 180.0, -77.5, 77.5), across)
    assert len(np.unique(i)) == columns
    assert len(x) == len(np.unique(i)) * len(np.unique(j))
    assert x.min() >= -180.0 and x.max() <= 180.0


def test_masked_cells_get_no_arrow(global_waves: xr.Dataset) -> None:
    grid = grid_of(global_waves.significant_height)
    keep = np.zeros((31, 72), dtype=bool)
    keep[:, 36:] = True
    _, i, x, _ = arrow_places(grid, keep, (-180.0, 180.0, -77.5, 77.5), 72)
    assert i.min() == 36
    assert (x >= -180.0).all() and (x < 0.0).all()


def test_wind_arrows_and_barbs(global_waves: xr.Dataset) -> None:
    wind = drawn(global_waves, arrows="wind").arrows
    assert isinstance(wind, Quiver)
    assert wind.U == pytest.approx(1.0)
    barbs = drawn(global_waves, arrows="barbs").arrows
    assert isinstance(barbs, Barbs)
    assert np.asarray(barbs.u) == pytest.approx(10.0 * 3600.0 / 1852.0)
    assert drawn(global_waves, arrows="none").arrows is None


def test_arrows_that_the_file_cannot_give_are_refused(global_waves: xr.Dataset) -> None:
    bare = global_waves.drop_vars(["wind_u", "wind_v", "mean_direction"])
    assert drawn(bare).arrows is None
    with pytest.raises(UserError, match="no wind"):
        drawn(bare, arrows="wind")
    with pytest.raises(UserError, match="no direction"):
        drawn(bare, arrows="waves")


def test_land_lies_over_the_field_and_arrows_between(global_waves: xr.Dataset) -> None:
    shown = drawn(global_waves[["wind_u", "wind_v"]], "wind_u", arrows="wind")
    assert shown.arrows is not None
    land = shown.axes.patches[0]
    assert shown.field.get_zorder() < shown.arrows.get_zorder() < land.get_zorder()


def test_nothing_is_carried_into_masked_cells_of_a_cartesian_grid() -> None:
    x, y = np.arange(0.0, 400.0, 10.0), np.arange(0.0, 300.0, 10.0)
    height = np.ones((30, 40))
    height[10:20, 10:30] = np.nan
    axes = {
        name: (name, 1e3 * values, {"standard_name": f"projection_{name}_coordinate", "units": "m"})
        for name, values in (("x", x), ("y", y))
    }
    data = xr.Dataset({"significant_height": (("y", "x"), height, {"units": "m"})}, axes)
    field = np.ma.asarray(drawn(data).field.get_array())
    assert np.array_equal(np.ma.getmaskarray(field), np.isnan(height))


def test_colours_reach_the_coast_but_not_over_ice() -> None:
    longitude, latitude = np.arange(-30.0, 11.0, 1.0), np.arange(30.0, 51.0, 1.0)
    values = np.full((21, 41), 5.0)
    iberia = (latitude[:, None] > 37.0) & (latitude[:, None] < 43.0) & (longitude > -9.0)
    ice = (latitude[:, None] > 45.0) & (longitude < -15.0)
    values[iberia | ice] = np.nan
    filled = carried_to_coast(MapGrid(longitude, latitude, True, ("latitude", "longitude")), values)
    assert np.isnan(filled[ice]).all()
    assert filled[9, 22] == 5.0
    assert np.array_equal(filled[~np.isnan(values)], values[~np.isnan(values)])


def test_a_stream_function_reaches_seas_without_flow() -> None:
    """They lie beyond land: it is constant along coasts; elsewhere maps stay empty there."""
    longitude, latitude = np.arange(0.0, 60.0, 1.0), np.arange(30.0, 51.0, 1.0)
    values = np.broadcast_to(np.where(longitude < 20.0, 4.0, np.nan), (21, 60))
    facts = {"standard_name": "ocean_barotropic_streamfunction", "units": "m3 s-1"}
    axes = {
        name: (name, degrees, {"standard_name": name, "units": units})
        for name, degrees, units in (
            ("longitude", longitude, "degrees_east"),
            ("latitude", latitude, "degrees_north"),
        )
    }
    for given, whole in ((facts, True), ({"units": "m"}, False)):
        data = xr.Dataset({"some": (("latitude", "longitude"), values, given)}, axes)
        shown = drawn(data, "some", extent=(0.0, 59.0, 30.0, 50.0))
        painted = np.ma.masked_invalid(np.ma.asarray(shown.field.get_array()))
        assert (not np.ma.getmaskarray(painted).any()) is whole
        assert np.ptp(painted.compressed()) == 0.0


@pytest.mark.parametrize(
    ("region", "box"),
    [
        ("global", (-180.0, 180.0, -77.5, 77.5)),
        ("pacific-centred", (0.0, 360.0, -77.5, 77.5)),
        ("-40,10,35,65", (-40.0, 10.0, 35.0, 65.0)),
        ("150,-120,-10,50", (150.0, 240.0, -10.0, 50.0)),
        ((0.0, 30.0, 30.0, 45.0), (0.0, 30.0, 30.0, 45.0)),
    ],
)
def test_regions(global_waves: xr.Dataset, region: str, box: tuple[float, ...]) -> None:
    shown = drawn(global_waves, region=region)
    assert shown.axes.get_xlim() == box[:2]
    assert shown.axes.get_ylim() == box[2:]


@pytest.mark.parametrize(
    ("region", "message"),
    [
        ("north-atlantik", "Did you mean 'north-atlantic'"),
        ("1,2,3", "west,east,south,north"),
        ("0,10,50,20", "is not a box"),
        ("0,10,80,90", "outside the file"),
    ],
)
def test_bad_regions(global_waves: xr.Dataset, region: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        extent_of(region, grid_of(global_waves.significant_height))


def test_scale_of_a_region_is_its_own(global_waves: xr.Dataset) -> None:
    world, region = drawn(global_waves), drawn(global_waves, region="150,210,-20,20")
    assert world.norm.vmax == 7.0
    assert region.norm.vmax == 6.0


def test_titles_carry_name_and_units(global_waves: xr.Dataset) -> None:
    assert drawn(global_waves).title.get_text() == "Significant wave height [m]"
    unknown = global_waves.significant_height.isel(time=0).copy()
    unknown.attrs = {"long_name": "a new_thing", "units": "m s-1"}
    assert looks.title_of(unknown) == "A new thing"
    assert looks.units_of(unknown) == "m/s"


def test_curvilinear_cells_cover_the_window_once(curvilinear: xr.DataArray) -> None:
    surface = curvilinear.isel(depth=0)
    shown = drawn(surface.to_dataset(), "temperature")
    assert isinstance(shown.field, PolyCollection)
    boxes = [path.get_extents() for path in shown.field.get_paths()]
    values = np.asarray(shown.field.get_array())
    assert len(boxes) == len(values)
    assert all(box.x1 >= -180.0 and box.x0 <= 180.0 for box in boxes)
    assert all(box.width < 15.0 for box in boxes)
    middles = np.array([0.5 * (box.y0 + box.y1) for box in boxes])
    assert values == pytest.approx(10.0 + middles, abs=1.5)
    for place in np.arange(-179.3, 180.0, 7.0):
        inside = [path.contains_point((place, 12.3)) for path in shown.field.get_paths()]
        assert sum(inside) == 1


def test_corners_lie_around_their_centre(curvilinear: xr.DataArray) -> None:
    grid = grid_of(curvilinear.isel(depth=0))
    x, y = corners(grid)
    assert x.mean(axis=2)[1:-1] == pytest.approx(grid.longitude[1:-1], abs=0.3)
    assert y.mean(axis=2)[1:-1] == pytest.approx(grid.latitude[1:-1], abs=0.3)


def test_cartesian_grid_is_drawn_in_kilometres() -> None:
    axes = {
        name: (name, 15e3 * np.arange(n), {"standard_name": f"projection_{name}_coordinate",
                                           "units": "m"})
        for name, n in (("x", 6), ("y", 4))
    }  # fmt: skip
    height = (("y", "x"), np.ones((4, 6)), {"units": "m"})
    data = xr.Dataset({"significant_height": height}, axes)
    shown = drawn(data)
    assert shown.extent == (-7.5, 82.5, -7.5, 52.5)
    assert shown.axes.get_xlabel() == "x [km]"
    assert not shown.axes.patches


def test_degrees_as_printed() -> None:
    assert [degrees_east(x) for x in (-180, -30, 0, 45, 180, 270, 360)] == [
        "180°", "30°W", "0°", "45°E", "180°", "90°W", "0°",
    ]  # fmt: skip
    assert [degrees_north(y) for y in (-90, 0, 12.5)] == ["90°S", "0°", "12.5°N"]


def test_unwrapped_longitudes_rise_through_the_seam() -> None:
    assert unwrapped(np.array([350.0, 355.0, 0.0, 5.0])) == pytest.approx([350, 355, 360, 365])


@pytest.mark.parametrize(
    ("values", "scale", "ends"),
    [
        ([0.2, 3.9], "from zero", (0.0, 4.0)),
        ([-3.0, 1.0], "around zero", (-3.0, 3.0)),
        ([7.2, 15.7], "between", (7.0, 16.0)),
        ([np.nan, np.nan], "from zero", (0.0, 1.0)),
        ([2.0, 2.0], "between", (1.0, 3.0)),
        ([100.0, 300.0], "direction", (0.0, 360.0)),
        ([0.0, 0.0], "from zero", (0.0, 1e-30)),
    ],
)
def test_colour_scales_end_at_round_numbers(
    values: list[float], scale: looks.Scale, ends: tuple[float, float]
) -> None:
    low, high, marks = looks.limits(np.array(values), scale)
    assert low == pytest.approx(ends[0]) and high == pytest.approx(ends[1], rel=0.2)
    assert low < high
    assert marks[0] == low and marks[-1] == high
    assert 3 <= len(marks) <= 12


def test_depths_are_empty_on_land() -> None:
    data = xr.DataArray(
        [[0.0, 100.0], [200.0, 0.0]],
        dims=("lat", "lon"),
        coords={"lat": [10.0, 11.0], "lon": [-30.0, -29.0]},
        attrs={"standard_name": "sea_floor_depth_below_geoid"},
    )
    assert np.isnan(shown_values(grid_of(data), xr.Dataset(), data)).tolist() == [
        [True, False],
        [False, True],
    ]


def test_empty_rows_at_the_ends_are_left_out(global_waves: xr.Dataset) -> None:
    assert drawn(global_waves).axes.get_ylim() == (-77.5, 62.5)


def test_empty_columns_of_a_region_are_left_out(channel: xr.Dataset) -> None:
    assert drawn(channel).axes.get_xlim() == (5.0, 185.0)


def test_calm_sea_gets_no_arrow(global_waves: xr.Dataset) -> None:
    low = global_waves.significant_height.where(global_waves.latitude > 0.0, 0.05)
    arrows = drawn(global_waves.assign(significant_height=low)).arrows
    assert isinstance(arrows, Quiver)
    assert arrows.get_offsets()[:, 1].min() > 0.0


def test_idealised_sea_knows_no_land(global_waves: xr.Dataset) -> None:
    assert not drawn(global_waves).coast
    real = global_waves.where(
        ~inland_at(*np.meshgrid(global_waves.longitude, global_waves.latitude))
    )
    shown = drawn(real)
    assert shown.coast and shown.axes.patches
    wind = global_waves[["wind_u", "wind_v"]]
    speed = wind.assign(wind_speed=wind.wind_u.assign_attrs(standard_name="wind_speed"))
    assert drawn(speed, "wind_speed").coast


def test_no_waves_no_period(global_waves: xr.Dataset) -> None:
    calm = global_waves.significant_height.where(global_waves.latitude > 0.0, 0.0)
    field = drawn(global_waves.assign(significant_height=calm), "peak_period").field
    masked = np.ma.getmaskarray(np.ma.asarray(field.get_array()))
    south = global_waves.latitude.values <= 0.0
    assert masked[south].all() and not masked[~south][:5].any()


def test_colours_run_to_closed_sides(channel: xr.Dataset) -> None:
    wide = channel.isel(y=[0, 1, 2, 2, 2]).assign_coords(
        y=("y", 1e4 * np.arange(5), channel.y.attrs)
    )
    field = np.ma.asarray(drawn(wide).field.get_array())
    assert np.asarray(field[2, [0, -1]]) == pytest.approx(np.asarray(field[2, [1, -2]]))


def test_panels_of_a_sheet_share_their_box(global_waves: xr.Dataset) -> None:
    calm = global_waves.significant_height.where(global_waves.latitude > 0.0, 0.0)
    record = global_waves.assign(significant_height=calm).isel(time=0)
    _, maps = map_sheet(record, [record.significant_height, record.peak_period])
    assert maps[0].extent == maps[1].extent == (-180.0, 180.0, -77.5, 62.5)


@pytest.mark.parametrize(
    ("name", "values", "scale"),
    [
        ("sea_surface_height_above_geoid", [-1.0, 2.0], "around zero"),
        ("sea_surface_height_above_geoid", [0.5, 2.0], "around zero"),
        ("some_height", [-1.0, 2.0], "around zero"),
        ("some_height", [0.0, 2.0], "from zero"),
        ("temperature", [-1.0, 2.0], "between"),
    ],
)
def test_colours_of_both_signs_meet_at_zero(name: str, values: list[float], scale: str) -> None:
    data = xr.DataArray(values, name="x", attrs={"standard_name": name})
    assert looks.look_of(data).scale == scale


def test_what_a_radar_does_not_see_has_one_colour() -> None:
    data = xr.DataArray([-30.0, 55.0], name="x", attrs={"units": "dBZ"})
    assert looks.look_of(data).scale == "from zero"
