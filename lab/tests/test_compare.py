"""Comparing outputs: bits, sizes, places, growth; what keeps them apart; verdicts of ensembles."""

import json
from pathlib import Path

import netCDF4
import numpy as np
import pytest
import scipy.stats
import xarray as xr

import halocline
from halocline.core.errors import UserError
from halocline.experiment import command_line
from halocline_lab.comparing import compare, difference_maps
from halocline_lab.comparing.differences import growth, keys, less, ulps
from halocline_lab.comparing.ensemble import score, student, upper_bound
from halocline_lab.comparing.ensemble_runs import make_members
from halocline_lab.comparing.outputs import Output

fill = np.float32(9.0e33)


def write(path: Path, values, *, dtype="f4", curvilinear=False, plain=False, name="tos", **more):
    """A file of some other model: times, latitudes and longitudes, one variable."""
    records, rows, columns = values.shape
    with netCDF4.Dataset(path, "w") as file:
        for dimension, size in zip(("time", "y", "x"), values.shape, strict=True):
            file.createDimension(dimension, size)
        time = file.createVariable("time", "f8", ("time",))
        time.units = more.pop("time_units", "hours since 2001-02-03 00:00:00")
        time.standard_name = "time"
        time[:] = np.arange(records) * 6.0 + more.pop("late", 0.0)
        if not plain:
            x, y = np.meshgrid(np.arange(columns) * 2.0, np.arange(rows) * 1.0 - 10.0)
            y = y + more.pop("north", 0.0)
            places = (("lat", "north", y), ("lon", "east", x))
            for short, word, plane in places:
                flat = plane[:, 0] if short == "lat" else plane[0]
                dims = ("y", "x") if curvilinear else ("y" if short == "lat" else "x",)
                axis = file.createVariable(short, "f8", dims)
                axis.standard_name = "latitude" if short == "lat" else "longitude"
                axis.units = f"degrees_{word}"
                axis[:] = plane if curvilinear else flat
        variable = file.createVariable(
            name, dtype, ("time", "y", "x"), fill_value=more.pop("fill", fill)
        )
        variable.units = more.pop("units", "degC")
        variable.coordinates = "lat lon"
        for key, value in more.items():
            setattr(variable, key, value)
        variable.set_auto_maskandscale(False)
        variable[:] = values
    return path


@pytest.fixture
def values():
    return np.random.default_rng(7).normal(10.0, 3.0, (6, 8, 12)).astype(np.float32)


def lab_compare(*words, capsys=None):
    code = command_line.main(["lab", "compare", *map(str, words)])
    return (code, capsys.readouterr()) if capsys else code


def the_row(a, b, **how):
    ((row,),) = [table["rows"] for table in compare.compare(a, b, **how)]
    return row


def test_the_same_bits_are_identical(tmp_path, values, capsys):
    a, b = (write(tmp_path / name, values) for name in ("a.nc", "b.nc"))
    code, said = lab_compare(a, b, capsys=capsys)
    assert code == 0 and "identical: the same bits" in said.out


@pytest.mark.parametrize("curvilinear", [False, True])
def test_a_planted_difference_is_found_with_its_place(tmp_path, values, capsys, curvilinear):
    other = values.copy()
    other[3, 5, 7] += np.float32(0.5)
    a = write(tmp_path / "a.nc", values, curvilinear=curvilinear)
    b = write(tmp_path / "b.nc", other, curvilinear=curvilinear)
    code, said = lab_compare(a, b, "--maps", tmp_path, "--json", tmp_path / "r.json", capsys=capsys)
    assert code == 1 and "different: tos" in said.out
    assert "2001-02-03 18:00 UTC" in said.out
    (row,) = json.loads((tmp_path / "r.json").read_text())["files"][0]["rows"]
    away = float(values[3, 5, 7]) - float(other[3, 5, 7])
    assert row["largest"] == abs(away)
    assert row["mean"] == pytest.approx(away / values.size)
    assert row["rms"] == pytest.approx(abs(away) / np.sqrt(values.size))
    scale = np.sqrt((values.astype(float) ** 2).mean())
    assert row["relative"] == pytest.approx(row["rms"] / scale)
    assert row["ulps"] == row["ulps_at_largest"] == round(abs(away) / np.spacing(values[3, 5, 7]))
    assert row["differing"] == 1 / values.size
    assert (row["record"], row["index"]) == (3, [5, 7])
    assert set(row) == set(keys)
    assert row["units"] == "degC" and row["doubling_seconds"] is None
    picture = tmp_path / "a_tos.png"
    assert picture.stat().st_size > 10_000 and (tmp_path / "a_growth.png").exists()
    assert ("latitude -5" in row["where"] and "longitude 14" in row["where"]) == curvilinear
    assert "x" in row["where"] and "y" in row["where"]


@pytest.mark.parametrize(("standard_name", "hidden"), [("air_temperature", False), ("sst", True)])
def test_land_hides_no_values_of_the_air(tmp_path, values, monkeypatch, standard_name, hidden):
    """Fields of the air lie over Africa too; there those of a sea are missing."""
    drawn = []
    draw_land = difference_maps.draw_land
    monkeypatch.setattr(
        difference_maps, "draw_land",
        lambda axes, extent, *, filled: drawn.append(filled) or draw_land(axes, extent),
    )  # fmt: skip
    name = {"sst": "sea_surface_temperature"}.get(standard_name, standard_name)
    if hidden:
        values[:, :, 6:] = fill
    a, b = (
        write(tmp_path / f"{n}.nc", values + np.float32(n), north=10.0, standard_name=name)
        for n in (0, 1)
    )
    compare.compare(a, b, maps=tmp_path / "maps")
    assert drawn == [hidden] * 3


def test_files_without_places_have_statistics_but_no_map(tmp_path, values, capsys):
    a = write(tmp_path / "a.nc", values, plain=True)
    b = write(tmp_path / "b.nc", values + np.float32(0.25), plain=True)
    code, said = lab_compare(a, b, "--maps", tmp_path / "maps", capsys=capsys)
    assert code == 1 and "tos" in said.out
    assert not (tmp_path / "maps" / "a_tos.png").exists()


def test_another_type_with_the_same_values_is_the_same(tmp_path, values, capsys):
    a, b = write(tmp_path / "a.nc", values), write(tmp_path / "b.nc", values, dtype="f8")
    code, said = lab_compare(a, b, capsys=capsys)
    assert code == 0 and "same values" in said.out
    assert "stored as float32 and float64" in said.out


def test_places_of_the_last_digit_are_counted_in_the_coarser_type():
    one = np.array([1.0, -1.0, 0.0, 1e-45, np.float32(3.4e38)], np.float32)
    next_one = np.nextafter(one, np.float32(np.inf))
    next_one[4] = one[4]
    assert ulps(one, next_one).tolist() == [1.0, 1.0, 1.0, 1.0, 0.0]
    assert ulps(np.float32([-1.0]), np.float32([1.0]))[0] == 2.0 * 0x3F800000
    assert ulps(np.float64([1.0 + 2.0**-40]), np.float32([1.0]))[0] == 0.0
    assert ulps(np.array([5], np.int16), np.array([2], np.int16))[0] == 3.0


def test_fill_values_are_missing_not_compared(tmp_path, values):
    first, second = values.copy(), values.copy()
    first[0, 0, :3] = fill
    second[0, 0, :3] = np.nan
    second[1, 1, 1] = np.nan
    row = the_row(write(tmp_path / "a.nc", first), write(tmp_path / "b.nc", second))
    assert (row["missing_in_a"], row["missing_in_b"], row["largest"]) == (0, 1, 0.0)
    assert row["verdict"] == "different"
    second[1, 1, 1] = values[1, 1, 1]
    row = the_row(tmp_path / "a.nc", write(tmp_path / "b.nc", second))
    assert row["verdict"] == "same values" and row["values"] == values.size - 3


def test_packed_values_are_unpacked(tmp_path):
    raw = np.arange(6 * 8 * 12, dtype=np.int16).reshape(6, 8, 12)
    other = raw.copy()
    other[2, 2, 2] += 3
    how = {"dtype": "i2", "fill": np.int16(-999), "scale_factor": 0.5, "add_offset": 100.0}
    row = the_row(write(tmp_path / "a.nc", raw, **how), write(tmp_path / "b.nc", other, **how))
    assert row["largest"] == 1.5 and row["ulps"] is None


def test_directions_differ_by_the_shorter_arc(tmp_path, values):
    assert less(np.array([350.0, 10.0]), np.array([10.0, 350.0]), cyclic=True).tolist() == [-20, 20]
    how = {"units": "degree", "long_name": "mean wave direction", "name": "dir"}
    north = np.full_like(values, 359.0)
    row = the_row(
        write(tmp_path / "a.nc", north, **how), write(tmp_path / "b.nc", north * 0 + 1, **how)
    )
    assert row["largest"] == 2.0


def test_what_grows_exponentially_has_a_doubling_time(tmp_path):
    random = np.random.default_rng(1)
    records = 20
    base = np.ones((records, 8, 12))
    pattern = random.normal(size=(8, 12))
    # Doubles every 12 h = 2 records, until it is saturated.
    size = np.minimum(1e-8 * 2.0 ** (np.arange(records) / 2.0), 3e-6)
    other = base + size[:, None, None] * pattern
    how = {"dtype": "f8", "fill": 1e33}
    row = the_row(write(tmp_path / "a.nc", base, **how), write(tmp_path / "b.nc", other, **how))
    assert row["doubling_seconds"] == pytest.approx(12 * 3600.0, rel=0.05)
    hours = np.arange(records) * 3600.0
    assert growth(hours, 1e-6 * np.arange(records)) is None  # as time
    assert growth(hours, 1e-6 * np.arange(records) ** 2.0) is None  # as its square
    assert growth(hours, np.full(records, 1e-6)) is None
    assert growth(hours, random.lognormal(0.0, 1.0, records)) is None
    assert growth(hours, np.zeros(records)) is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": "sst"}, "Variable 'sst' is missing"),
        ({"units": "K"}, "in 'degC'.*but in 'K'"),
        ({"late": 3.0}, "times differ.*2001-02-03 00:00.*2001-02-03 03:00"),
        ({"north": 0.5}, "grids differ: 'lat'"),
    ],
)
def test_what_keeps_files_apart_is_one_message(tmp_path, values, capsys, change, words):
    a, b = write(tmp_path / "a.nc", values), write(tmp_path / "b.nc", values, **change)
    code, said = lab_compare(a, b, capsys=capsys)
    assert code == 2 and not said.out
    with pytest.raises(UserError, match=words):
        compare.compare(a, b)


def test_other_shapes_and_files_that_are_none_are_named(tmp_path, values):
    a = write(tmp_path / "a.nc", values)
    with pytest.raises(UserError, match="time 6, y 8, x 12.*time 6, y 8, x 11"):
        compare.compare(a, write(tmp_path / "b.nc", values[:, :, :11]))
    with pytest.raises(UserError, match="time 6.*time 5"):
        compare.compare(a, write(tmp_path / "c.nc", values[:5]))
    with pytest.raises(UserError, match="no such file"):
        compare.compare(a, tmp_path / "none.nc")
    (tmp_path / "text.nc").write_text("no netCDF")
    with pytest.raises(UserError, match="no netCDF file"):
        compare.compare(a, tmp_path / "text.nc")
    with pytest.raises(UserError, match="'sea' is missing.*It has: tos"):
        compare.compare(a, a, only=["sea"])
    assert lab_compare(a) == 2
    assert lab_compare("--make-ensemble", "3", "swell") == 2
    assert lab_compare(a, a, "--make-ensemble", "few", "swell") == 2


def test_times_may_be_counted_in_other_units(tmp_path, values):
    a = write(tmp_path / "a.nc", values)
    b = write(tmp_path / "b.nc", values)
    with netCDF4.Dataset(b, "a") as file:
        file["time"].units = "days since 2001-02-02 12:00:00"
        file["time"][:] = 0.5 + np.arange(6) * 0.25 + 1e-6  # rounded to a tenth of a second
    assert the_row(a, b)["identical"]
    for path in (a, b):
        with netCDF4.Dataset(path, "a") as file:
            file["time"].calendar = "360_day"
    assert the_row(a, b)["identical"]
    with netCDF4.Dataset(b, "a") as file:
        file["time"].calendar = "noleap"
    with pytest.raises(UserError, match="times differ"):
        compare.compare(a, b)


def test_results_are_json_also_where_nothing_can_be_compared(tmp_path, values):
    a = write(tmp_path / "a.nc", values * 0)
    b = write(tmp_path / "b.nc", values)
    assert lab_compare(a, b, "--json", tmp_path / "r.json") == 1
    read = json.loads((tmp_path / "r.json").read_text(), parse_constant=pytest.fail)
    assert read["files"][0]["rows"][0]["relative"] is None
    empty = write(tmp_path / "c.nc", np.full_like(values, fill))
    assert lab_compare(a, empty, "--json", tmp_path / "r.json") == 1
    read = json.loads((tmp_path / "r.json").read_text(), parse_constant=pytest.fail)
    assert read["files"][0]["rows"][0]["missing_in_b"] == values.size


def test_folders_are_compared_file_by_file(tmp_path, values):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        write(tmp_path / folder / "maps.nc", values)
    assert len(compare.compare(tmp_path / "a", tmp_path / "b")) == 1
    assert len(compare.compare(tmp_path / "a" / "maps.nc", tmp_path / "b")) == 1
    write(tmp_path / "a" / "more.nc", values)
    with pytest.raises(UserError, match="Only '.*a' has more.nc"):
        compare.compare(tmp_path / "a", tmp_path / "b")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="has no output"):
        compare.compare(tmp_path / "a", tmp_path / "empty")


def test_zarr_folders_and_words_are_compared(tmp_path, values):
    data = xr.Dataset(
        {"t": (("time", "x"), values[:, 0]), "name": ("x", [f"s{n}" for n in range(12)])},
        {"time": np.arange(6)},
    )
    data.drop_vars("name").to_zarr(tmp_path / "a.zarr", consolidated=False)
    (data.drop_vars("name") + 1.0).to_zarr(tmp_path / "b.zarr", consolidated=False)
    row = the_row(tmp_path / "a.zarr", tmp_path / "b.zarr")
    assert row["largest"] == pytest.approx(1.0, rel=1e-5)
    data.to_netcdf(tmp_path / "a.nc")
    data.assign(name=("x", [f"r{n}" for n in range(12)])).to_netcdf(tmp_path / "b.nc")
    (table,) = compare.compare(tmp_path / "a.nc", tmp_path / "b.nc")
    assert table["texts"] == ["name"] and not compare.is_same([table])


def ensemble(folder, count, base, spread, random):
    folder.mkdir(exist_ok=True)
    some = [base + spread * random.normal(size=base.shape) for _ in range(count)]
    return [write(folder / f"m{n}.nc", one.astype("f4")) for n, one in enumerate(some)]


def test_an_output_like_the_members_is_within_and_another_beyond(tmp_path, values, capsys):
    random = np.random.default_rng(5)
    # The spread is small in one half; a difference there is told though it is small.
    spread = np.where(np.arange(12) < 6, 1e-3, 1e-1) * np.ones_like(values)
    members = ensemble(tmp_path / "e", 8, values, spread, random)
    a = write(tmp_path / "a.nc", values)
    like = write(
        tmp_path / "like.nc", (values + spread * random.normal(size=values.shape)).astype("f4")
    )
    code, said = lab_compare(a, like, "--ensemble", *members, capsys=capsys)
    assert code == 0 and "within the spread of the ensemble of 8" in said.out
    other = values + spread * random.normal(size=values.shape) + np.where(spread < 0.01, 0.01, 0.0)
    beyond = write(tmp_path / "beyond.nc", other.astype("f4"))
    code, said = lab_compare(a, beyond, "--ensemble", *members, capsys=capsys)
    assert code == 1 and "different beyond the spread of the ensemble: tos" in said.out
    row = the_row(a, beyond, members=members)
    assert row["score"]["rmsz"] > row["score"]["bound"] > max(row["score"]["members"])
    with pytest.raises(UserError, match="5 members; 6 or more"):
        compare.compare(a, like, members=members[:5])


def test_outputs_like_the_members_seldom_fail():
    """1 % of false alarms are promised; of 100 outputs one may fail, seven never."""
    random = np.random.default_rng(8)
    base = np.ones((2, 6, 8), np.float32)

    def output(values):
        data = xr.Dataset({"t": (("time", "y", "x"), values.astype("f4"))})
        return Output(Path("some.nc"), data, data)

    failed = 0
    for _ in range(100):
        # Members that differ in size as chaotic ones do.
        some = [
            output(base + 1e-3 * random.lognormal(0.0, 0.4) * random.normal(size=base.shape))
            for _ in range(9)
        ]
        failed += not score(output(base), some[0], some[1:], "t").within
    assert failed <= 6


def test_missing_values_unlike_in_members_are_beyond(tmp_path, values):
    members = ensemble(tmp_path / "e", 7, values, 1e-2, np.random.default_rng(2))
    other = values.copy()
    other[0, 0, 0] = fill
    row = the_row(
        write(tmp_path / "a.nc", values), write(tmp_path / "b.nc", other), members=members
    )
    assert row["score"]["missing"] == 1 and row["verdict"] == "beyond the spread"


def test_bounds_of_a_further_score():
    for freedom in (5, 8, 20):
        for probability in (0.9, 0.99, 0.999):
            exact = scipy.stats.t.ppf(probability, freedom)
            assert student(probability, freedom) == pytest.approx(exact, rel=0.06)
    random = np.random.default_rng(3)
    over = [s[-1] > upper_bound(s[:-1], 0.05) for s in np.exp(random.normal(size=(2000, 9)))]
    assert 0.03 < np.mean(over) < 0.07


settings = ["time.length=2h", "output.fields.maps.interval=1h"]


def run_growing(folder, *more):
    halocline.run("duration-limited", settings=[*settings, *more], output=folder)
    return folder


def test_float32_against_float64_of_a_shipped_case(tmp_path, capsys):
    single = run_growing(tmp_path / "single")
    double = run_growing(tmp_path / "double", "precision=float64")
    wrong = run_growing(tmp_path / "wrong", "forcing.wind.speed=10.01")
    assert lab_compare(single, run_growing(tmp_path / "again")) == 0
    code, said = lab_compare(single, double, capsys=capsys)
    assert code == 1 and "significant_height" in said.out
    for number in range(1, 7):
        more = ["perturbation.amplitude=1e-6", f"perturbation.member={number}"]
        run_growing(tmp_path / "members" / f"{number}", *more)
    members = sorted((tmp_path / "members").iterdir())
    maps = ["--only", "significant_height,friction_velocity"]
    files = [folder / "maps.nc" for folder in (single, double, wrong)]
    code, said = lab_compare(files[0], files[1], *maps, "--ensemble", *members, capsys=capsys)
    assert code == 0 and "within the spread" in said.out
    code, said = lab_compare(files[0], files[2], *maps, "--ensemble", *members, capsys=capsys)
    assert code == 1 and "different beyond the spread" in said.out


def test_members_are_made_by_the_command(tmp_path):
    words = ["--make-ensemble", "1", "duration-limited", "--members", tmp_path / "m", "-n", "1"]
    assert lab_compare(*words, *(w for setting in settings for w in ("--set", setting))) == 0
    member = tmp_path / "m" / "member01"
    assert (
        f"amplitude = {10.0 * np.finfo(np.float32).eps}" in (member / "halocline.toml").read_text()
    )
    rows = compare.compare(run_growing(tmp_path / "plain"), member)[0]["rows"]
    assert all(0.0 < row["relative"] < 1e-3 for row in rows)
    with pytest.raises(UserError, match="below the rounding of float32"):
        make_members(1, "swell", [], tmp_path, amplitude=1e-12)
    with pytest.raises(UserError, match="Member 1 failed"):
        make_members(1, "swell", ["output.fields.maps.variables=['no']"], tmp_path, ranks=1)
