"""`halocline plot` of grids: which cells are sea, where the lines lie, what is said of them."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PolyCollection, QuadMesh
from PIL import Image

from halocline.analysis.domain_picture import Domain, domains_sheet
from halocline.analysis.grid_picture import grid_sheet
from halocline.component.case.shipped import data_folder
from halocline.core.errors import UserError
from halocline.experiment.command_line import main
from halocline.experiment.grid_plot import facts, plot_grid, read_grid, shown, size_words
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.metrics import Curvilinear
from halocline.grids.horizontal.regular import GridOptions, build_grid, regular_grid
from halocline.runtime.fields.place import Place


def drawn(grid, **more):
    """Collections of land, sea and lines of the picture of a grid."""
    figure = grid_sheet(shown(grid), "a grid", **more)
    land, sea, *lines = figure.axes[0].collections
    return land, sea, lines[0] if lines else None


def regional(**more):
    grid = regular_grid(GridOptions(nx=8, ny=5, x0=10.0, y0=40.0, dx=2.0, dy=1.0, **more))
    grid.depth[:] = 100.0 + np.arange(40.0).reshape(5, 8)
    return grid


def test_a_regular_grid_has_a_box_for_each_cell_and_lines_between_them():
    grid = regional()
    land, sea, lines = drawn(grid, lines=3)
    assert isinstance(sea, QuadMesh) and isinstance(lines, LineCollection)
    np.testing.assert_array_equal(
        np.ma.filled(np.ma.masked_invalid(sea.get_array()), 0.0), np.where(grid.mask, grid.depth, 0)
    )
    assert np.ma.masked_invalid(land.get_array()).count() == (~grid.mask).sum() == 22
    np.testing.assert_allclose(sea.get_coordinates()[0, :, 0], 9.0 + 2.0 * np.arange(9))
    along = [line for line in lines.get_segments() if np.ptp(line[:, 1]) == 0.0]
    upright = [line for line in lines.get_segments() if np.ptp(line[:, 0]) == 0.0]
    assert [line[0, 1] for line in along] == [39.5, 42.5, 44.5]
    assert [line[0, 0] for line in upright] == [9.0, 15.0, 21.0, 25.0]
    assert drawn(grid, lines=0)[2] is None


def test_a_curvilinear_grid_is_drawn_between_its_own_corners():
    """Also across the edge of the window, where cells are there twice."""
    corner_x, corner_y = np.meshgrid(np.linspace(170.0, 190.0, 6), np.linspace(-4.0, 4.0, 5))
    corner_x = corner_x + 0.1 * corner_y
    grid = Grid.of(Curvilinear(corner_x=corner_x, corner_y=corner_y), np.full((4, 5), 50.0))
    _, sea, lines = drawn(grid, lines=1)
    assert isinstance(sea, PolyCollection) and len(sea.get_paths()) == 20
    first = sea.get_paths()[0].vertices[:4]
    np.testing.assert_allclose(
        first % 360.0,
        np.stack([corner_x, corner_y], axis=-1)[[0, 0, 1, 1], [0, 1, 1, 0]] % 360.0,
    )
    assert len(lines.get_segments()) == 5 + 6


def test_a_grid_around_the_pole_is_shown_from_above_too():
    """Cells there lie between their own corners, on the stereographic plane."""
    made = build_grid(GridOptions(kind="tripole", nx=96, ny=24))
    figure = grid_sheet(shown(made), "a tripole", lines=4)
    land, sea, lines = figure.axes[1].collections[:3]
    corner = made.on_both_sides(Place.corner)
    north = corner.y[1:, 1:] > 30.0
    assert len(sea.get_paths()) == (made.mask & north).sum()
    assert len(land.get_paths()) == (~made.mask & north).sum()
    j, i = np.argwhere(made.mask & north)[-1]
    at = [j, j, j + 1, j + 1], [i, i + 1, i + 1, i]
    x, y = corner.x[at], corner.y[at]
    exact = np.tan(np.deg2rad(45.0 - y / 2)) * np.exp(1j * np.deg2rad(x - 90.0))
    found = sea.get_paths()[-1].vertices[:4]
    np.testing.assert_allclose(found[:, 0] + 1j * found[:, 1], exact, atol=1e-12)
    assert len(lines.get_paths()) == 7 + 25
    assert len(grid_sheet(shown(made), "", region="europe").axes) == 1
    assert len(grid_sheet(shown(regional()), "").axes) == 1


def test_a_cartesian_grid_is_in_kilometres():
    grid = regular_grid(GridOptions(kind="cartesian", nx=4, ny=3, dx=2500.0, dy=2500.0, depth=20.0))
    _, sea, _ = drawn(grid)
    np.testing.assert_allclose(sea.get_coordinates()[0, :, 0], -1.25 + 2.5 * np.arange(5))
    assert "4 x 3 cells, 2 of sea (17 %) · 2.5 km wide · 20 m deep" in facts(grid)


def test_the_words_of_a_curvilinear_grid():
    grid, _ = read_grid("tracer-51")
    assert "320 x 384 cells, 86,354 of sea (70 %)" in facts(grid)
    assert facts(grid).endswith("periodic in x")


def test_the_command_draws_cases_and_files(tmp_path: Path, capsys):
    assert main(["plot", "swell", "--lines", "5", "-o", str(tmp_path / "a.png")]) == 0
    with Image.open(tmp_path / "a.png") as picture:
        assert picture.size[0] > 800
    file = data_folder() / "w_depth_natl_0p25.nc"
    assert main(["plot", str(file), "--grid", "-o", str(tmp_path)]) == 0
    assert (tmp_path / "w_depth_natl_0p25-grid.png").exists()
    assert main(["new", "swell", str(tmp_path / "mine")]) == 0
    assert main(["plot", str(tmp_path / "mine")]) == 0
    assert (tmp_path / "mine" / "mine-grid.png").exists()
    assert "mine-grid.png" in capsys.readouterr().out


def test_mistakes_are_told():
    with pytest.raises(UserError, match="There is no file"):
        read_grid("nowhere.nc")
    from halocline.experiment.grid_plot import plot_grid

    with pytest.raises(UserError, match="--lines -1"):
        plot_grid("swell", lines=-1)


def test_domains_are_frames_of_their_corners_over_coasts():
    outer, inner = (
        regional(),
        regular_grid(GridOptions(nx=4, ny=3, x0=372.0, y0=41.0, dx=1.0, dy=1.0)),
    )
    domains = [Domain(n, shown(g), size_words(g)) for n, g in (("outer", outer), ("inner", inner))]
    figure = domains_sheet(domains, "two domains", 2)
    (axes,) = figure.axes
    first, second = axes.lines
    assert (first.get_xdata().min(), first.get_xdata().max()) == (9.0, 25.0)
    assert (first.get_ydata().min(), first.get_ydata().max()) == (39.5, 44.5)
    np.testing.assert_allclose([second.get_xdata().min(), second.get_xdata().max()], [11.5, 15.5])
    assert (
        first.get_xdata()[0] == first.get_xdata()[-1] and len(first.get_xdata()) == 2 * (8 + 5) + 1
    )
    assert [text.xy for text in axes.texts] == [(9.0, 44.5), (11.5, 43.5)]
    words = [text.get_text() for text in figure.texts]
    assert any(some.startswith("inner: 4 x 3 = 12 cells") for some in words)
    south = domains_sheet(domains, "two domains", 0, region=(10.0, 20.0, 40.0, 42.0)).axes[0]
    assert south.get_xlim() == (10.0, 20.0)


def test_cases_of_members_and_of_the_air_are_drawn_as_domains(tmp_path, monkeypatch):
    """The three domains of Porter et al. (2010), and a plane of the air without any depth."""
    drawn = []
    sheet = domains_sheet
    monkeypatch.setattr(
        "halocline.experiment.grid_plot.domains_sheet",
        lambda domains, *given, **more: drawn.append(domains) or sheet(domains, *given, **more),
    )
    for name in ("great-north-run", "supercell"):
        (path,) = plot_grid(name, str(tmp_path))
        assert path.stat().st_size > 10_000
    assert [domain.name for domain in drawn[0]] == ["outer", "middle", "inner"]
    assert [domain.words.split(" cells")[0] for domain in drawn[0]] == [
        "355 x 195 = 69,225", "318 x 321 = 102,078", "390 x 327 = 127,530",
    ]  # fmt: skip
    assert drawn[1][0].words == "84 x 84 = 7,056 cells, 2 km wide"
