"""The page of weeks: a made file with known means. Ranks: 1."""

from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
import xarray

from halocline.analysis.week_page import area_of, middles_of
from halocline.experiment.command_line import main as halocline

DEPTH = np.array([450.0, 20.0, 5.0])  # of 840, 20 and 10 m


class Page(HTMLParser):
    """Words of a page, its pictures, and what it asks the net for."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words, self.pictures, self.wanted = [""], [], []
        self.feed(text)
        self.words = [word.strip() for word in self.words]

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.words += [""] * (tag != "span")
        if tag == "img":
            self.pictures.append(given["alt"])
        self.wanted += [v for k, v in attrs if k in ("src", "href") and v[0] not in "#d"]

    def handle_data(self, data):
        self.words[-1] += data


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    """Nine means of days: nitrate n on day n, twice that in the smaller cells; growth 1e-4."""
    days = np.datetime64("2000-01-28", "ns") + np.arange(10) * np.timedelta64(1, "D")
    shape = (9, 3, 5, 6)
    nitrate = np.broadcast_to(np.arange(1.0, 10.0)[:, None, None, None], shape).copy()
    nitrate[..., 3:] *= 2.0
    nitrate[:, :2, 0] = nitrate[:, 0, :, 0] = np.nan  # the floor
    nitrate[..., 4, :] = np.nan  # land
    growth = np.where(np.isnan(nitrate), np.nan, 1e-4)
    area = np.where(np.arange(6) < 3, 3.0, 1.0) * np.ones((5, 1))
    dims = ("time", "depth", "latitude", "longitude")
    made = xarray.Dataset(
        {
            "N3n": (dims, nitrate, {"long_name": "nitrate", "units": "mmol m-3"}),
            "growth": (dims, growth, {"long_name": "growth", "units": "mg m-3 s-1"}),
            "cell_area": (dims[2:], area, {"standard_name": "cell_area", "units": "m2"}),
            "time_bounds": (("time", "nv"), np.stack([days[:-1], days[1:]], axis=1)),
        },
        {
            "time": ("time", days[1:], {"standard_name": "time", "bounds": "time_bounds"}),
            "depth": ("depth", DEPTH, {"standard_name": "depth", "units": "m"}),
            "latitude": ("latitude", 35.0 + np.arange(5.0), {"units": "degrees_north"}),
            "longitude": ("longitude", 18.0 + np.arange(6.0), {"units": "degrees_east"}),
        },
        {"title": "A <sea>"},
    )
    path = tmp_path_factory.mktemp("page") / "daily.nc"
    made.to_netcdf(path, encoding={"time": {"units": "seconds since 2000-01-01"}})
    return path


def test_a_page_has_means_of_weeks(file: Path, capsys):
    assert halocline(["plot", str(file), "--page"]) == 0
    path = Path(capsys.readouterr().out.strip())
    assert path == file.with_suffix(".html")
    page = Page(path.read_text(encoding="utf-8"))
    assert not page.wanted, "the page is whole in itself"
    assert page.words.count("A <sea>") == 2
    at = page.words.index("Nitrate [mmol m-3]")
    heads = page.words[page.words.index("mean of the sea") + 1 :]
    assert [word for word in heads if word][:2] == [
        "28 January to 3 February 2000",
        "4 to 5 February 2000",
    ]
    mixed = (3.0 * 1.0 + 1.0 * 2.0) / 4.0  # of cells whose areas are 3 and 1
    told = [float(word) for word in page.words[at + 1 : at + 3]]
    assert told == pytest.approx([4.0 * mixed, 8.5 * mixed], rel=5e-3)
    at = page.words.index("Growth of the column [mg m-2 day-1]")
    thickness = np.full((4, 6), 870.0)
    thickness[:, 0] = 30.0
    thickness[0] = 10.0
    weights = np.where(np.arange(6) < 3, 3.0, 1.0) * np.ones((4, 1))
    expected = 86400.0 * 1e-4 * (thickness * weights).sum() / weights.sum()
    assert float(page.words[at + 1]) == pytest.approx(expected, rel=5e-3)
    assert len(page.pictures) == 2 * (2 + 2)


def test_cells_of_degrees_are_smaller_in_the_north(file: Path):
    with xarray.open_dataset(file) as opened:
        assert middles_of(opened).values[0] == np.datetime64("2000-01-28T12:00")
        data = opened.drop_vars("cell_area").load()
    area = area_of(data, data["N3n"])
    np.testing.assert_allclose(area.values[:, 0], np.cos(np.deg2rad(data.latitude)))
    np.testing.assert_array_equal(area_of(data.assign(cell_area=area), data["N3n"]), area)


def test_a_file_without_times_is_refused(file: Path, tmp_path: Path, capsys):
    with xarray.open_dataset(file) as opened:
        opened.isel(time=0).drop_vars(["time", "time_bounds"]).to_netcdf(tmp_path / "one.nc")
    assert halocline(["plot", str(tmp_path / "one.nc"), "--page"]) == 2
    assert "the file has no times" in capsys.readouterr().err
    assert halocline(["plot", str(file), "--page", "--output", "page.png"]) == 2
    assert "'page.png' is neither a folder" in capsys.readouterr().err


def test_a_single_day_has_maps_and_sections(file: Path, tmp_path: Path, capsys):
    with xarray.open_dataset(file) as opened:
        opened.isel(time=[0]).to_netcdf(tmp_path / "day.nc")
    assert halocline(["plot", str(tmp_path / "day.nc"), "--page"]) == 0
    page = Page(Path(capsys.readouterr().out.strip()).read_text(encoding="utf-8"))
    assert len(page.pictures) == 2 * (1 + 1)
    assert not any("by depth and day" in words for words in page.pictures)
