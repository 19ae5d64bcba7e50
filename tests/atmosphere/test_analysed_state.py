"""The state that the shipped GFS analysis gives, held against its own heights."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from atmosphere.analysis_files import column_values, layers, write_analysis
from halocline.atmosphere.constants import dry_gas_constant, vapor_gas_constant
from halocline.atmosphere.start.analysed_state import (
    AnalysedState,
    analysed_state,
    columns_at,
    on_faces,
)
from halocline.atmosphere.start.hybrid_column import HybridColumn
from halocline.atmosphere.start.options import AnalysisOptions
from halocline.atmosphere.start.pressure_level_files import PressureLevelFiles
from halocline.grids.files.gridded_files import Record
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.metrics import Curvilinear
from halocline.runtime.fields.place import Place

sample = Path(__file__).parents[2] / "cases" / "data" / "gfs_sample.nc"
europe = Grid(
    x=np.arange(-30.0, 31.0, 2.5),
    y=np.arange(30.0, 66.0, 2.5),
    depth=np.ones((15, 25)),
    mask=np.ones((15, 25), bool),
)


@pytest.fixture(scope="module")
def files():
    found = PressureLevelFiles([sample])
    yield found
    found.close()


def ground_of(files: PressureLevelFiles, record: Record, grid: Grid) -> dict[str, np.ndarray]:
    from halocline.atmosphere.start.analysed_state import surface_at

    return surface_at(files, record, grid.at(Place.center))


def height_of_levels(state: AnalysedState, column: HybridColumn, ground, levels) -> np.ndarray:
    """Geopotential heights [m] of pressure levels [Pa] in a state, linear in log p."""
    log = np.log(column.interface_pressure(state.mass, state.vapor))
    rise = (state.geopotential - state.geopotential[0]) / 9.80665
    found = np.empty((levels.size, *ground.shape))
    for j, i in np.ndindex(ground.shape):
        found[:, j, i] = np.interp(-np.log(levels), -log[:, j, i], rise[:, j, i]) + ground[j, i]
    return found


def test_heights_are_those_of_the_gfs(files):
    """Bias and rms of the heights of levels, Europe, 35 layers of one mass, top 50 hPa.

    What is left is the middle of layers in place of the mean over log p: it falls with the
    square of the number of layers (test_hybrid_column). 0.4 m at 700 hPa, 1.0 m at 500 hPa, 2.5 m
    at 300 hPa, 19 m at 100 hPa, where a layer is a quarter of the pressure.
    """
    record, column = files.files.records[0], layers(35)
    surface = ground_of(files, record, europe)
    ground = surface["ground_height"]
    state = analysed_state(files, record, europe, ground, column, AnalysisOptions())
    # The surface pressure is nearly that of the GFS over its own ground.
    off = state.surface_pressure - surface["surface_pressure"]
    assert abs(off.mean()) < 5.0 and np.sqrt((off**2).mean()) < 20.0
    theirs = columns_at(files, record, europe.at(Place.center), AnalysisOptions()).height
    ours = height_of_levels(state, column, ground, files.levels)
    limits = {850e2: 0.7, 700e2: 0.7, 500e2: 1.5, 300e2: 4.0, 200e2: 8.0, 100e2: 30.0}
    for level, limit in limits.items():
        k = int(np.flatnonzero(files.levels == level)[0])
        above = surface["surface_pressure"] > level
        error = (ours - theirs)[k][above]
        assert abs(error.mean()) < limit and np.sqrt((error**2).mean()) < limit, (level, error)
    assert 270.0 < state.temperature[0].mean() < 285.0
    assert 0.004 < state.vapor[0].mean() < 0.007


def test_state_is_in_the_discrete_balance_of_the_core(files):
    record, column = files.files.records[1], layers(20)
    ground = ground_of(files, record, europe)["ground_height"]
    state = analysed_state(files, record, europe, ground, column, AnalysisOptions())
    mass, d = column.layer_mass(state.mass), column.thickness[:, None, None]
    thickness = np.diff(state.geopotential, axis=0)
    assert_allclose(thickness, mass * d * state.volume, rtol=1e-11)
    # p alpha_d = Rd T (1 + Rv/Rd q)
    gas = dry_gas_constant + vapor_gas_constant * state.vapor
    assert_allclose(state.pressure * state.volume, gas * state.temperature, rtol=1e-13)
    weight = (mass * d * (1 + state.vapor)).sum(axis=0) + column.top_pressure
    assert_allclose(weight, state.surface_pressure, rtol=0, atol=2e-6)
    assert_array_equal(state.geopotential[0], 9.81 * ground)


def test_winds_are_turned_to_the_axes_of_the_grid(tmp_path):
    """A wind to the east on a grid turned by 30 degrees, at its faces."""
    x, y = np.arange(-20.0, 21.0, 2.5), np.arange(-20.0, 21.0, 2.5)
    levels = np.array([1000, 850, 700, 500, 300, 100, 50.0]) * 100
    values = column_values(levels, (y.size, x.size))
    values["u"][0] = 190.0  # below the ground, as the next line says
    values["sp"] = np.full((y.size, x.size), 900.0)
    files = PressureLevelFiles([write_analysis(tmp_path / "plain.nc", x, y, levels, values)])
    turn, along = np.deg2rad(30.0), np.linspace(-3.0, 3.0, 7)
    a, b = np.meshgrid(along, along[:6])
    curved = Curvilinear(
        corner_x=np.cos(turn) * a - np.sin(turn) * b, corner_y=np.sin(turn) * a + np.cos(turn) * b
    )
    grid, record = Grid.of(curved, np.ones((5, 6))), files.files.records[0]
    state = analysed_state(files, record, grid, np.zeros((5, 6)), layers(12), AnalysisOptions())
    assert state.u.shape == (12, 5, 7) and state.v.shape == (12, 6, 6)
    # A wind of 10 + z/km on lines of log p: height 8000 ln(1e5/p); below 850 hPa that of there.
    speed = 10.0 + 8.0 * np.log(1e5 / np.minimum(state.pressure[:, 0, 0], 85e3))
    assert_allclose(
        state.u / np.cos(turn), np.broadcast_to(speed[:, None, None], (12, 5, 7)), rtol=2e-3
    )
    assert_allclose(
        state.v / -np.sin(turn), np.broadcast_to(speed[:, None, None], (12, 6, 6)), rtol=4e-3
    )


def test_faces_lie_between_cells():
    values = np.arange(12.0).reshape(1, 3, 4)
    closed = Grid(
        x=np.arange(4.0), y=np.arange(3.0), depth=np.ones((3, 4)), mask=np.ones((3, 4), bool)
    )
    assert_array_equal(on_faces(values, 2, closed)[0, 1], [4.0, 4.5, 5.5, 6.5, 7.0])
    assert_array_equal(on_faces(values, 1, closed)[0, :, 0], [0.0, 2.0, 6.0, 8.0])
    joined = Grid(
        x=np.arange(4.0), y=np.arange(3.0), depth=np.ones((3, 4)), mask=np.ones((3, 4), bool),
        periodic_x=True,
    )  # fmt: skip
    assert_array_equal(on_faces(values, 2, joined)[0, 1], [5.5, 4.5, 5.5, 6.5])


@pytest.mark.parametrize("between", ["cubic", "line"])
def test_lines_of_the_analysis(files, between):
    """Second differences of the state across the lines of the analysis, each 2.5 degrees, beside
    those between: lines have all of theirs there, a spline bends there as elsewhere."""
    x, y = np.arange(-20.0, 0.1, 0.25) + 0.125, np.arange(45.0, 60.1, 0.25) + 0.125
    shape = y.size, x.size
    grid = Grid(x=x, y=y, depth=np.ones(shape), mask=np.ones(shape, bool))
    options = AnalysisOptions(between_columns=between, columns="free")
    state = analysed_state(
        files, files.files.records[0], grid, np.zeros(shape), layers(12), options
    )
    for values in (state.u[4, :, :-1], state.theta[4], state.mass):
        bend = np.abs(values[:, 2:] - 2.0 * values[:, 1:-1] + values[:, :-2]).mean(axis=0)
        at_line = np.isin(np.arange(1, x.size - 1) % 10, (0, 9))
        ratio = bend[at_line].mean() / bend[~at_line].mean()
        assert ratio < 2.0 if between == "cubic" else ratio > 5.0, ratio


def test_columns_keep_their_mass_over_other_ground(files):
    """What columns gain over a ridge of 1000 m that the analysis does not have [Pa/s]."""
    x, y = np.arange(-20.0, -9.9, 0.5), np.arange(45.0, 55.1, 0.5)
    grid = Grid(x=x, y=y, depth=np.ones((21, 21)), mask=np.ones((21, 21), bool))
    ground = np.broadcast_to(1000.0 * np.exp(-(((x + 15.0) / 1.0) ** 2)), (21, 21)).copy()
    column = layers(12)
    found = {}
    for columns in ("steady", "free"):
        options = AnalysisOptions(columns=columns)
        state = analysed_state(files, files.files.records[0], grid, ground, column, options)
        east, north = grid.at(Place.x_face), grid.at(Place.y_face)
        mass = np.pad(state.mass, 1, mode="edge")
        faces = 0.5 * (mass[1:-1, 1:] + mass[1:-1, :-1]), 0.5 * (mass[1:, 1:-1] + mass[:-1, 1:-1])
        along_x = (column.weight(faces[0], state.u).sum(axis=0)) * east.dy
        along_y = (column.weight(faces[1], state.v).sum(axis=0)) * north.dx
        out = np.diff(along_x, axis=1) + np.diff(along_y, axis=0)
        found[columns] = np.abs(out / grid.at(Place.center).area).max()
    assert found["free"] > 0.3 and found["steady"] < 1e-4 * found["free"]
