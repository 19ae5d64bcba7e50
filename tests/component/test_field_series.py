"""Fields that follow files in time, at any place, against exact values and NumPy."""

import netCDF4
import numpy as np
import pytest

from halocline.component.forcing.field_series import FieldSeries, SeriesOptions
from halocline.core.clock import date
from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.metrics import Curvilinear
from halocline.grids.horizontal.regular import GridOptions, regular_grid
from halocline.grids.sphere import longitude_latitude, vectors
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.freshness import nowhere
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.space import Space
from halocline.runtime.ranks.communicator import Alone

file_depths = np.array([5.0, 20.0, 60.0, 200.0])
ours = (300.0, 130.0, 33.0, 1.0)  # from the floor up
file_x, file_y = np.arange(-40.0, 41.0, 1.0), np.arange(-30.0, 31.0, 1.0)
period = date("2000-01-01"), date("2000-01-03")
places = [Place.center, Place.x_face, Place.y_face, Place.corner]


def linear(x, y, depth, day):
    """What bilinear interpolation, and linear over depth and in time, gives exactly."""
    depth = np.clip(depth, file_depths[0], file_depths[-1])
    return 1.0 + 0.02 * x - 0.05 * y + 0.003 * depth + 0.1 * day


def write(path, days, fields, *, levels=False, planes=False, since="2000-01-01", units=None):
    """`fields` by name, each a function of longitude, latitude, depth and day."""
    x, y = np.meshgrid(file_x, file_y)
    with netCDF4.Dataset(path, "w") as file:
        dims = ("row", "column") if planes else ("lat", "lon")
        for name, size in (("time", len(days)), ("z", 4), *zip(dims, x.shape, strict=True)):
            file.createDimension(name, size)
        for name, line, plane in (("lon", file_x, x), ("lat", file_y, y)):
            variable = file.createVariable(name, "f8", dims if planes else (name,))
            variable.standard_name = {"lon": "longitude", "lat": "latitude"}[name]
            variable[:] = plane if planes else line
        depth = file.createVariable("z", "f8", ("z",))
        depth.units, depth.positive, depth[:] = "m", "down", file_depths
        time = file.createVariable("time", "f8", ("time",))
        time.units, time[:] = f"days since {since}", days
        for name, function in fields.items():
            outer = ("time", "z") if levels else ("time",)
            variable = file.createVariable(name, "f8", (*outer, *dims), fill_value=-1e30)
            if units:
                variable.units = units
            below = file_depths[:, None, None] if levels else 0.0
            for record, day in enumerate(days):
                variable[record] = function(x, y, below, day)
    return path


def sea():
    """A region with an island, whose columns end at several floors."""
    options = GridOptions(nx=9, ny=7, x0=-11.0, y0=3.3, dx=1.7, dy=2.1)
    grid = regular_grid(options)
    grid.mask[3, 4] = False
    random = np.random.default_rng(2)
    return grid, np.where(grid.mask, random.integers(1, 5, grid.shape), 0)


def space_of(grid, levels=None, ranks=1, rank=0):
    communicator = Alone()
    communicator.rank, communicator.size = rank, ranks
    cut = Decomposition(grid.mask, grid.topology, halo=2, communicator=communicator)
    if levels is None:
        return Space(cut)
    return Space(cut, levels=Axis("depth", coordinates=ours, units="m"), wet_levels=levels)


def follow(path, space, grid, place, what="test", **more):
    """A field that follows `value` of a file, and the series."""
    options = {n: more.pop(n) for n in ("interpolation", "every_year", "at") if n in more}
    axes = () if space.levels is None else (space.levels,)
    field = Field("value", "1", space, axes=axes, place=place, dtype=np.float64)
    more = {"variables": ("value",)} | more
    span = more.pop("period", period)
    return field, FieldSeries(
        SeriesOptions(file=str(path), **options), [field], grid, span, what, **more
    )


@pytest.mark.parametrize("levels", [False, True])
@pytest.mark.parametrize("place", places)
def test_any_place_and_time_of_a_regular_file(tmp_path, place, levels):
    path = write(tmp_path / "a.nc", [0.0, 1.0, 2.0], {"value": linear}, levels=levels)
    grid, wet_levels = sea()
    space = space_of(grid, wet_levels if levels else None)
    field, series = follow(path, space, grid, place)
    at, wet = grid.at(place), space.wet(place)
    depth = np.array(ours)[:, None, None] if levels else file_depths[0]
    field.fill(0.0)
    for moment, day in (("2000-01-01", 0.0), ("2000-01-01T18", 0.75), ("2000-01-03", 2.0)):
        series.update(date(moment))
        assert field.storage(field.layout).fresh.of() == nowhere
        wanted = np.where(wet, linear(at.x, at.y, depth, day), 0.0)
        np.testing.assert_allclose(field.gather(), wanted, rtol=1e-13, atol=1e-13)
        assert wet.any() and not wet.all()
    series.close()


@pytest.mark.parametrize("place", places)
def test_a_curvilinear_file_on_levels(tmp_path, place):
    """Cells of 1 degree: bilinear in them differs from bilinear in degrees by 1e-4 of the range."""
    path = write(tmp_path / "a.nc", [0.0, 2.0], {"value": linear}, levels=True, planes=True)
    grid, wet_levels = sea()
    space = space_of(grid, wet_levels)
    field, series = follow(path, space, grid, place)
    series.update(date("2000-01-02"))
    at = grid.at(place)
    wanted = linear(at.x, at.y, np.array(ours)[:, None, None], 1.0) * space.wet(place)
    np.testing.assert_allclose(field.gather(), wanted, atol=2e-4)
    series.close()


def test_upper_levels_alone(tmp_path):
    """A field on the two upper of four levels, over floors of all depths."""
    path = write(tmp_path / "a.nc", [0.0, 2.0], {"value": linear}, levels=True)
    grid, wet_levels = sea()
    space = space_of(grid, wet_levels)
    upper = Axis("upper", coordinates=ours[-2:], units="m")
    field = Field("value", "1", space, axes=(upper,), place=Place.y_face, dtype=np.float64)
    series = FieldSeries(
        SeriesOptions(file=str(path)), [field], grid, period, "test", variables=("value",)
    )
    series.update(period[0])
    at, wet = grid.at(Place.y_face), space.wet(Place.y_face)[-2:]
    wanted = linear(at.x, at.y, np.array(ours[-2:])[:, None, None], 0.0) * wet
    np.testing.assert_allclose(field.gather(), wanted, rtol=1e-13)
    assert wet[0].sum() < wet[1].sum()
    series.close()


def tilted():
    """A band around the globe whose pole lies at 40 N, and unit vectors along that pole."""
    angle = np.deg2rad(50.0)
    x, y = np.meshgrid(np.arange(0.0, 361.0, 6.0), np.arange(-36.0, 37.0, 6.0))
    points = vectors(x, y)
    c, s = np.cos(angle), np.sin(angle)
    points = np.stack([c * points[0] + s * points[2], points[1], c * points[2] - s * points[0]])
    corner_x, corner_y = longitude_latitude(points)
    curvilinear = Curvilinear(corner_x=corner_x, corner_y=corner_y, periodic_x=True)
    return Grid.of(curvilinear, np.full(curvilinear.shape, 100.0)), np.array([s, 0.0, c])


def globe_file(path, fields, strengths):
    """Records of two days and all longitudes, alike but for their strengths."""
    x, y = np.arange(0.0, 360.0, 1.0), np.arange(-89.5, 90.0, 1.0)
    with netCDF4.Dataset(path, "w") as file:
        days = np.linspace(0.0, 2.0, len(strengths))
        for name, line in (("time", days), ("lat", y), ("lon", x)):
            file.createDimension(name, len(line))
            file.createVariable(name, "f8", (name,))[:] = line
        file["time"].units = "days since 2000-01-01"
        for name, values in fields(*np.meshgrid(x, y)).items():
            file.createVariable(name, "f8", ("time", "lat", "lon"))[:] = np.stack(
                [strength * values for strength in strengths]
            )
    return path


def test_a_vector_is_turned_to_the_faces_of_the_grid(tmp_path):
    """A rotation about the pole of the grid goes along its rows, with the cosine of the latitude
    there, and crosses no southern face."""
    grid, pole = tilted()

    def spin(x, y):
        speed = np.cross(pole, vectors(x, y), axisb=0, axisc=0)
        lam, phi = np.deg2rad(x), np.deg2rad(y)
        east = -np.sin(lam) * speed[0] + np.cos(lam) * speed[1]
        north = np.cos(phi) * speed[2] - np.sin(phi) * (
            np.cos(lam) * speed[0] + np.sin(lam) * speed[1]
        )
        return {"ue": 10.0 * east, "vn": 10.0 * north}

    path, space = globe_file(tmp_path / "a.nc", spin, (1.0, 2.0, 6.0)), space_of(grid)
    u = Field("u", "m s-1", space, place=Place.x_face, dtype=np.float64)
    v = Field("v", "m s-1", space, place=Place.y_face, dtype=np.float64)
    series = FieldSeries(
        SeriesOptions(file=str(path)), [u, v], grid, period, "wind",
        variables=("ue", "vn"), names=("wind_u", "wind_v"), vector=True,
    )  # fmt: skip
    at = grid.at(Place.x_face)
    wanted = 10.0 * np.sqrt(1.0 - np.tensordot(pole, vectors(at.x, at.y), 1) ** 2)
    assert wanted.min() < 8.5
    for moment, strength in (("01T06", 1.25), ("01T18", 1.75), ("02T12", 4.0), ("01T00", 1.0)):
        series.update(date(f"2000-01-{moment}"))
        along = strength * wanted * space.wet(Place.x_face)
        np.testing.assert_allclose(u.gather(), along, atol=5e-3 * strength)
        np.testing.assert_allclose(v.gather(), 0.0, atol=5e-3 * strength)
    series.close()


def only_day(x, y, depth, day):
    return day + 0.0 * x


def test_steps_hold_until_the_next_record(tmp_path):
    path = write(tmp_path / "a.nc", [0.0, 0.5, 1.0, 2.0], {"value": only_day})
    grid, _ = sea()
    field, series = follow(path, space_of(grid), grid, Place.center, interpolation="steps")
    for hours, day in ((0, 0.0), (11, 0.0), (12, 0.5), (23, 0.5), (24, 1.0), (47, 1.0), (48, 2.0)):
        series.update(period[0] + (period[1] - period[0]) * hours / 48)
        assert set(field.gather()[grid.mask]) == {day}
    series.close()


def test_records_of_one_year_repeat_every_year(tmp_path):
    """Middles of months of 2001; 29 February counts in 2012 and not in 2011."""
    days = np.array([15, 45, 74, 105, 135, 166, 196, 227, 258, 288, 319, 349], float)
    path = write(tmp_path / "a.nc", days, {"value": only_day}, since="2001-01-01")
    grid, _ = sea()
    span = date("2010-12-20"), date("2012-03-20")
    field, series = follow(
        path, space_of(grid), grid, Place.center, every_year=True, period=span
    )  # fmt: skip
    # From 16 December (349) to 16 January (15) are 31 days; to 15 February (45) 30; then 28 or 29.
    for moment, share, before, after in (
        ("2010-12-21", 5 / 31, 349.0, 15.0), ("2011-01-01", 16 / 31, 349.0, 15.0),
        ("2011-01-16", 0.0, 15.0, 45.0), ("2011-03-01", 14 / 29, 45.0, 74.0),
        ("2012-01-01", 16 / 31, 349.0, 15.0), ("2012-03-01", 15 / 30, 45.0, 74.0),
    ):  # fmt: skip
        series.update(date(moment))
        wanted = (1.0 - share) * before + share * after
        np.testing.assert_allclose(field.gather()[grid.mask], wanted, rtol=1e-13)
    series.close()
    # Days of a leap year: 28 and 29 February and 1 March.
    path = write(tmp_path / "b.nc", [58.0, 59.0, 60.0], {"value": only_day}, since="2004-01-01")
    for year, moment, value in ((2007, "02-28T12", 59.0), (2008, "02-28T12", 58.5)):
        span = date(f"{year}-02-28"), date(f"{year}-03-01")
        field, series = follow(
            path, space_of(grid), grid, Place.center, every_year=True, period=span
        )
        series.update(date(f"{year}-{moment}"))
        np.testing.assert_allclose(field.gather()[grid.mask], value, rtol=1e-13)
        series.close()
    path = write(tmp_path / "a.nc", [0.0, 365.0], {"value": only_day}, since="2001-01-01")
    with pytest.raises(UserError, match="cannot be repeated every year"):
        follow(path, space_of(grid), grid, Place.center, every_year=True)


def test_a_climatology_that_is_not_repeated_is_told_how(tmp_path):
    """Records of one year beside another one; not those of two years."""
    grid, _ = sea()
    span = date("2010-01-01"), date("2010-02-01")
    for days, told in (([0.0, 100.0, 364.0], True), ([0.0, 365.0, 700.0], False)):
        path = write(tmp_path / f"{len(days)}{told}.nc", days, {"value": only_day})
        with pytest.raises(UserError, match="but the run needs 2010-01-01") as refused:
            follow(path, space_of(grid), grid, Place.center, period=span)
        assert ("set every_year = true" in str(refused.value)) == told


def test_records_of_half_a_year_do_not_repeat_over_the_other_half(tmp_path):
    """Middles of months to June: a run in March has what it needs, one to December not."""
    days = np.array([15, 45, 74, 105, 135, 166], float)
    path = write(tmp_path / "half.nc", days, {"value": only_day}, since="2001-01-01")
    grid, _ = sea()
    space = space_of(grid)

    def run(*span):
        followed = follow(
            path, space, grid, Place.center, every_year=True, period=tuple(map(date, span))
        )
        followed[1].close()

    run("2010-03-01", "2010-06-10")
    for span in (("2010-03-01", "2010-06-20"), ("2010-01-01", "2010-03-01")):
        with pytest.raises(
            UserError, match=r"no record between .*-06-16 .* and .*-01-16 .*at most 31d apart"
        ):
            run(*span)


def test_units_of_files_become_those_that_are_wanted(tmp_path):
    grid, _ = sea()
    space = space_of(grid)
    for theirs, ours, factor, offset in (
        ("K", "degree C", 1.0, -273.15), ("cm s-1", "m s-1", 0.01, 0.0),
        ("dyn/cm2", "Pa", 0.1, 0.0), ("kg kg-1", "g kg-1", 1000.0, 0.0),
    ):  # fmt: skip
        path = write(tmp_path / "a.nc", [0.0, 2.0], {"value": linear}, units=theirs)
        bare, series = follow(path, space, grid, Place.center)
        series.update(period[0])
        field, brought = follow(path, space, grid, Place.center, units=[ours])
        brought.update(period[0])
        wanted = factor * bare.gather() + offset
        np.testing.assert_allclose(field.gather()[grid.mask], wanted[grid.mask], rtol=1e-12)
        series.close()
        brought.close()
    with pytest.raises(UserError, match=r"units 'kg kg-1', which cannot be brought to 'Pa'"):
        follow(path, space, grid, Place.center, units=["Pa"])


def test_one_date_is_held(tmp_path):
    path = write(tmp_path / "a.nc", [0.0, 0.5, 1.0], {"value": only_day})
    grid, _ = sea()
    field, series = follow(path, space_of(grid), grid, Place.center, at="2000-01-01T12")
    for moment in period:
        series.update(moment)
        assert set(field.gather()[grid.mask]) == {0.5}
    series.close()


def hole(x, y, depth, day):
    """Missing at one place that has sea all around."""
    return np.where((x == -3.0) & (y == 12.0), np.nan, linear(x, y, depth, day))


@pytest.mark.parametrize("planes", [False, True])
def test_values_missing_over_open_sea_are_refused_near_land_filled(tmp_path, planes):
    write(tmp_path / "a.nc", [0.0, 2.0], {"value": hole, "fine": linear}, planes=planes)
    grid = regular_grid(GridOptions(nx=15, ny=15, x0=-10.0, y0=5.0, dx=1.0, dy=1.0))
    field, series = follow(tmp_path / "a.nc", space_of(grid), grid, Place.center)
    where = "column 37, row 42" if planes else "357 E, 12 N"
    with pytest.raises(
        UserError, match=f"NaN. over sea at 2000-01-01.*: 1 place, first at {where}"
    ):
        series.update(period[0])
    series.close()
    grid.mask[6, 7] = False  # 11 N, 3 W
    field, series = follow(tmp_path / "a.nc", space_of(grid), grid, Place.center)
    series.update(period[0])
    wanted = linear(-4.0, 12.0, 5.0, 0.0), linear(-2.0, 12.0, 5.0, 0.0)
    assert np.abs(field.gather()[7, 7] - np.array(wanted)).min() < 1e-9
    series.close()


def test_what_is_wrong_is_refused(tmp_path):
    grid, _ = sea()
    space = space_of(grid)
    short = write(tmp_path / "short.nc", [0.0, 1.0], {"value": linear})
    with pytest.raises(UserError, match="covers 2000-01-01 .* but the run needs"):
        follow(short, space, grid, Place.center)
    huge = write(tmp_path / "huge.nc", [0.0, 2.0], {"value": lambda *at: 1e20 + 0 * at[0]})
    _, series = follow(huge, space, grid, Place.center)
    with pytest.raises(UserError, match=r"'value' of .*huge.nc is 1e\+20 at .*fill value"):
        series.update(period[0])
    series.close()
    feet = write(tmp_path / "feet.nc", [0.0, 2.0], {"value": linear}, units="ft s-1")
    _, series = follow(feet, space, grid, Place.center, names=("current_u",))
    with pytest.raises(UserError, match=r"units 'ft s-1', which cannot be brought to 'm s-1'"):
        series.update(period[0])
    series.close()
    deep = write(tmp_path / "deep.nc", [0.0, 2.0], {"value": linear}, levels=True)
    with pytest.raises(UserError, match="is no map, or one for each time"):
        follow(deep, space, grid, Place.center)
    plane = regular_grid(GridOptions(kind="cartesian", nx=5, ny=5))
    with pytest.raises(UserError, match="Cartesian"):
        follow(deep, space_of(plane), plane, Place.center)
    far = regular_grid(GridOptions(nx=5, ny=5, x0=60.0))
    with pytest.raises(UserError, match="covers the longitudes"):
        follow(short, space_of(far), far, Place.center, period=(period[0], date("2000-01-02")))


def test_a_rank_reads_the_part_of_its_blocks(tmp_path):
    """The bits of one rank, each value of the file by hardly more than one of nine."""
    path = write(tmp_path / "a.nc", [0.0, 1.0, 2.0], {"value": linear}, levels=True)
    grid = regular_grid(
        GridOptions(nx=72, ny=54, x0=-36.0, y0=-27.0, dx=1.0, dy=1.0, closed_edges=False)
    )
    wet_levels = np.full(grid.shape, 4)

    def values(ranks, rank):
        space = space_of(grid, wet_levels, ranks, rank)
        field, series = follow(path, space, grid, Place.center)
        series.update(date("2000-01-01T07"))
        series.close()
        blocks = [block.rectangle for block in space.decomposition.planes.blocks]
        return field, blocks, series.groups[0][1].files.values_read

    one, _, everything = values(1, 0)
    whole, counts = one.gather(), []
    for rank in range(9):
        field, blocks, count = values(9, rank)
        counts.append(count)
        for array, r in zip(field.owned, blocks, strict=True):
            np.testing.assert_array_equal(array, whole[:, r.j0 : r.j1, r.i0 : r.i1])
    assert max(counts) < everything / 6 and sum(counts) < 1.3 * everything
