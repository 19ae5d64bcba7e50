"""Any case behind the Basic Model Interface: the same values as a run, and nothing it lacks."""

from inspect import signature

import numpy as np
import pytest

import halocline
from experiment.ponds import pond, ponds, together
from halocline.core.errors import UserError
from halocline.experiment.bmi import Bmi
from halocline.experiment.bmi_grids import BmiGrid
from halocline.experiment.exchange_table import ExchangeOptions
from halocline.grids.horizontal.regular import GridOptions, build_grid
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.place import Place

standard = {
    "initialize": "config_file", "update": "", "update_until": "time", "finalize": "",
    "get_component_name": "", "get_input_item_count": "", "get_output_item_count": "",
    "get_input_var_names": "", "get_output_var_names": "",
    "get_var_grid": "name", "get_var_type": "name", "get_var_units": "name",
    "get_var_itemsize": "name", "get_var_nbytes": "name", "get_var_location": "name",
    "get_current_time": "", "get_start_time": "", "get_end_time": "", "get_time_units": "",
    "get_time_step": "",
    "get_value": "name dest", "get_value_ptr": "name", "get_value_at_indices": "name dest inds",
    "set_value": "name src", "set_value_at_indices": "name inds src",
    "get_grid_rank": "grid", "get_grid_size": "grid", "get_grid_type": "grid",
    "get_grid_shape": "grid shape", "get_grid_spacing": "grid spacing",
    "get_grid_origin": "grid origin", "get_grid_x": "grid x", "get_grid_y": "grid y",
    "get_grid_z": "grid z", "get_grid_node_count": "grid", "get_grid_edge_count": "grid",
    "get_grid_face_count": "grid", "get_grid_edge_nodes": "grid edge_nodes",
    "get_grid_face_edges": "grid face_edges", "get_grid_face_nodes": "grid face_nodes",
    "get_grid_nodes_per_face": "grid nodes_per_face",
}  # fmt: skip
"""Functions of the interface 2.0 with their arguments (bmipy 2.0.1)."""


@pytest.fixture
def driven():
    model = Bmi()
    yield model
    model.finalize()


def test_every_function_of_the_standard_is_there():
    found = {name: " ".join(signature(getattr(Bmi, name)).parameters) for name in standard}
    assert found == {name: f"self {words}".strip() for name, words in standard.items()}


def test_the_same_values_as_a_run(driven):
    settings = ["time.length=6h"]
    done = halocline.run("swell", settings=settings).component
    expected = done.diagnose(["significant_height"], done.taken_at)["significant_height"].gather()
    driven.initialize("swell")
    driven.update_until(6 * 3600.0)
    grid = driven.get_var_grid("significant_height")
    values = driven.get_value("significant_height", np.empty(driven.get_grid_size(grid), "f4"))
    plane = done.plane
    assert values.reshape(plane.shape)[plane.mask].tobytes() == expected.tobytes()
    assert np.isnan(values.reshape(plane.shape)[~plane.mask]).all()
    assert driven.get_date() == "2000-01-01T06:00:00"
    some = driven.get_value_at_indices("significant_height", np.empty(2, "f4"), np.array([7, 900]))
    assert np.array_equal(some, values[[7, 900]], equal_nan=True)
    assert driven.get_var_nbytes("significant_height") == values.nbytes


def test_land_is_missing_and_cannot_be_given_values(driven):
    depth = np.full((9, 12), 10.0)
    depth[3:5, 7] = 0.0
    driven.initialize(pond("a", "1h").with_settings({"grid.depth": depth.tolist()}))
    driven.set_value("level", np.where(depth > 0.0, 1.0, np.nan))
    driven.update()
    assert np.array_equal(np.isnan(driven.get_value_ptr("level")), depth.reshape(-1) == 0.0)


def test_pointers_follow_the_model(driven):
    driven.initialize(pond("a", "1h"))
    level = driven.get_value_ptr("level")
    begin = level.copy()
    driven.update()
    assert np.array_equal(level, begin + 1.0)


def test_what_is_set_fills_ports_before_the_next_step(driven):
    driven.initialize(pond("a", "1h", rise=0.0))
    assert driven.get_input_var_names() == driven.get_output_var_names() == ("level",)
    begin = driven.get_value_ptr("level").copy()
    driven.set_value("level", np.arange(108.0))
    driven.set_value_at_indices("level", np.array([3, 4]), np.array([50.0, 60.0]))
    driven.update()
    given = np.arange(108.0)
    given[3:5] = 50.0, 60.0
    assert np.array_equal(driven.get_value_ptr("level"), begin + given)
    names, time = ponds["a"].heard[-1]
    assert names == ("level",) and time == ponds["a"].case.time.clock().start


def test_members_are_driven_together(driven):
    cases = {"a": pond("a", "20min"), "b": pond("b", "30min", rise=0.0)}
    to_b = {"levels": ExchangeOptions(source="a", target="b", fields=["level"])}
    driven.initialize(together(cases, exchanges=to_b))
    assert driven.get_time_step() == 3600.0
    assert driven.get_output_var_names() == ("a.level", "b.level")
    begin = driven.get_value_ptr("a.level").copy()
    driven.update()
    assert np.allclose(driven.get_value_ptr("b.level"), begin + begin + 1.0, atol=1e-12)


@pytest.mark.parametrize("case", ["swell", "gyre", "bubble", "bloom-box", "tracer-rotation"])
def test_all_outputs_of_every_component_can_be_had(driven, case):
    driven.initialize(case)
    driven.update()
    names = driven.get_output_var_names()
    assert len(names) == driven.get_output_item_count() > 2
    for name in names:
        values = np.empty(
            driven.get_grid_size(driven.get_var_grid(name)), driven.get_var_type(name)
        )
        assert driven.get_value(name, values) is values


def regular(**options):
    return build_grid(GridOptions(**{"nx": 5, "ny": 4, "dx": 2.0, "dy": 3.0} | options))


def test_uniform_grids():
    grid = BmiGrid(regular(kind="cartesian", closed_edges=False), Place.center, ())
    assert grid.kind == "uniform_rectilinear" and grid.shape == (4, 5)
    assert grid.spacing == (3.0, 2.0)
    assert np.allclose(grid.origin[1] + 2.0 * np.arange(5), grid.x)
    assert np.allclose(grid.origin[0] + 3.0 * np.arange(4), grid.y)
    assert grid.edges == 4 * 4 + 3 * 5 and grid.faces == 12


def test_grids_of_levels_and_of_faces():
    plane = regular(kind="cartesian", closed_edges=False)
    levels = Axis("depth", coordinates=(30.0, 10.0))
    grid = BmiGrid(plane, Place.x_face, (levels,))
    assert grid.kind == "rectilinear" and grid.shape == (2, 4, 6)
    assert grid.x.size == 6 and grid.size == 48 and grid.z.tolist() == [30.0, 10.0]
    assert np.allclose(grid.x[1:] - 1.0, plane.x)


def test_grids_on_maps_tell_longitudes_and_latitudes_of_all_points():
    grid = BmiGrid(regular(kind="lambert", dx=3e4, dy=3e4, closed_edges=False), Place.center, ())
    assert grid.kind == "structured_quadrilateral"
    assert grid.x.size == grid.y.size == 20
    assert np.array_equal(grid.y, grid.plane.at(Place.center).y.reshape(-1))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda some: some.update_until(1800.0), "a step takes 1h"),
        (lambda some: some.update_until(4 * 3600.0), "the run ends at 10800 s"),
        (lambda some: some.get_value("levle", np.empty(108)), "level"),
        (lambda some: some.set_value("level", np.empty(3)), "There are 108 values"),
        (lambda some: some.set_value("level", np.full(108, np.nan)), "missing where"),
        (lambda some: some.get_grid_size(7), "There is no grid 7"),
        (lambda some: some.get_grid_edge_nodes(0, np.empty(3, int)), "only unstructured"),
        (lambda some: some.initialize("swell"), "initialized already"),
        (lambda some: [some.update() for _ in range(4)], "has reached its end"),
    ],
)
def test_what_is_refused(driven, wrong, words):
    driven.initialize(pond("a", "1h"))
    with pytest.raises(UserError, match=words):
        wrong(driven)


def test_nothing_can_be_asked_before_initialize(driven):
    with pytest.raises(UserError, match="Call initialize"):
        driven.get_output_var_names()


def test_files_go_to_a_folder_where_one_is_given(tmp_path):
    model = Bmi(output=tmp_path)
    model.initialize("swell")
    model.update()
    model.finalize()
    assert (tmp_path / "halocline.log").exists()
    assert list(tmp_path.glob("restart_20000101T010000*"))


def test_what_the_case_knows_by_itself_may_be_set():
    """Waves in calm air grow under the wind that is set; together, as a vector needs it."""
    model = Bmi(takes=["wind_u", "wind_v"])
    model.initialize("fetch-limited")
    assert {"wind_u", "wind_v"} <= set(model.get_input_var_names())
    size = model.get_grid_size(model.get_var_grid("wind_u"))
    heights = []
    for wind in (12.0, 3.0):
        model.set_value("wind_u", np.full(size, wind))
        model.set_value("wind_v", np.zeros(size))
        model.update()
        heights.append(np.nanmax(model.get_value_ptr("wind_speed")))
    assert heights == pytest.approx([12.0, 3.0])
    model.finalize()


def test_what_nobody_takes_is_refused():
    with pytest.raises(UserError, match="Nobody takes 'wind_w'. Did you mean"):
        Bmi(takes=["wind_w"]).initialize("swell")
