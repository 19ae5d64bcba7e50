"""Files of staggered fields keep the rules of SGRID 0.3, and say what the model did. Ranks: 1."""

import re

import numpy as np
import pytest
import xarray as xr
from numpy.testing import assert_allclose, assert_array_equal

import halocline

entry = re.compile(r"(\w+): (\w+) \(padding: (none|low|high|both)\)")
more_nodes = {"none": 1, "low": 0, "high": 0, "both": -1}
"""How many nodes a direction has more than faces, by its padding (SGRID 0.3)."""


def small(**grid):
    """A small ocean with a coast, two of whose steps are written."""
    return {
        "component": "ocean",
        "grid": {
            "nx": 24, "ny": 12, "dx": 15.0, "dy": 10.0, "x0": 7.5, "y0": -55.0, "depth": 900.0,
            "land": [[0.0, 40.0, -20.0, 60.0]], "closed_edges": False,
            "levels": {"thickness": [100.0, 300.0, 500.0]},
        } | grid,
        "time": {"start": "2000-01-01", "length": "2h", "step": "1h"},
        "output": {"fields": {"all": {"interval": "1h", "precision": "float64"}}},
    }  # fmt: skip


def written(tmp_path, case):
    result = halocline.run(case, output=tmp_path)
    with xr.open_dataset(tmp_path / "all.nc") as file:
        return file.load(), result


def rules(file):
    """Dimensions of faces and nodes along both directions, having checked all attributes."""
    assert "SGRID-0.3" in file.attrs["Conventions"].split()
    (grid,) = [v for v in file.variables.values() if v.attrs.get("cf_role") == "grid_topology"]
    facts = grid.attrs
    assert facts["topology_dimension"] == 2
    nodes = facts["node_dimensions"].split()
    along = entry.findall(facts["face_dimensions"])
    assert [node for _, node, _ in along] == nodes
    for face, node, padding in along:
        assert file.sizes[node] == file.sizes[face] + more_nodes[padding]
        assert (file[node][0] < file[face][0]) == (padding in ("none", "high"))
    (x, x_node, _), (y, y_node, _) = along
    assert facts["edge1_dimensions"].startswith(f"{x_node} {y}: {y_node} ")
    assert facts["edge2_dimensions"].startswith(f"{x}: {x_node} ")
    assert facts["edge2_dimensions"].endswith(f" {y_node}")
    for kind in ("node", "face"):
        assert set(facts[f"{kind}_coordinates"].split()) <= set(file.variables)
    wanted = {"face": (y, x), "edge1": (y, x_node), "edge2": (y_node, x), "node": (y_node, x_node)}
    placed = {name: v for name, v in file.variables.items() if "location" in v.attrs}
    for name, variable in placed.items():
        assert variable.attrs["grid"] == "grid_topology"
        assert variable.dims[-2:] == wanted[variable.attrs["location"]], name
        for measure in variable.attrs.get("cell_measures", "").split()[1::2]:
            assert file[measure].dims == variable.dims[-2:]
    assert {"temperature", "velocity_u", "cell_area"} <= set(placed)
    return (x, x_node), (y, y_node)


@pytest.mark.parametrize("closed", [False, True])
def test_rules_of_sgrid(tmp_path, closed):
    """Periodic along x, or cut to a region, where both ends have their corners."""
    case = small()
    if closed:
        case["output"]["fields"]["all"]["region"] = [0.0, 150.0, -60.0, 60.0]
    file, _ = written(tmp_path, case)
    (x, x_node), (y, y_node) = rules(file)
    assert file.sizes[x_node] == file.sizes[x] + closed
    assert file.sizes[y_node] == file.sizes[y] + 1
    assert_allclose(file.longitude_face[0], file.longitude[0] - 7.5)


def test_divergence_and_transports_from_the_file(tmp_path):
    """By means over the ends of faces and the lengths in the file: those of the model."""
    file, result = written(tmp_path, small())
    last = file.isel(time=-1).fillna(0.0)
    thickness = xr.DataArray([500.0, 300.0, 100.0], dims="depth")
    u, v = last.velocity_u.values, last.velocity_v.values
    x = 0.5 * (u[:, 1:] + u[:, :-1]) * last.x_face_length.values
    y = 0.5 * (v + np.roll(v, -1, axis=2)) * last.y_face_length.values
    state = result.component.model.state
    state_levels = result.component.grid
    columns = [(f * thickness.values[:, None, None]).sum(axis=0) for f in (x, y)]
    psi = file.barotropic_stream_function.values[-1]
    known = np.isfinite(psi[1:]) & np.isfinite(psi[:-1])
    assert known.sum() > 150
    size = np.abs(columns[0]).max()
    assert_allclose(-(psi[1:] - psi[:-1])[known], columns[0][known], atol=1e-13 * size + 1e-5)
    into = x - np.roll(x, -1, axis=2) + y[:, :-1] - y[:, 1:]
    result.component.model.tracers(1e5, 160)
    grown = (state.new_layer.gather() - state.old_layer.gather()) * last.cell_area.values / 1e5
    found = (into * thickness.values[:, None, None]).sum(axis=0)
    assert np.abs(found).max() > 0.0
    mask = state_levels.mask
    assert_allclose(found[mask], grown[mask], rtol=0.0, atol=1e-10 * np.abs(found).max())
    assert_array_equal(file.cell_area, state_levels.horizontal.area)


def test_rules_on_curvilinear_grids(tmp_path):
    """Longitude and latitude are planes there, once for each place."""
    case = small(kind="displaced-pole", nx=24, ny=24)
    for name in ("dx", "dy", "x0", "y0", "land", "closed_edges"):
        del case["grid"][name]
    file, _ = written(tmp_path, case)
    (x, x_node), (y, y_node) = rules(file)
    assert file.longitude.dims == (y, x) and file.longitude_corner.dims == (y_node, x_node)
