"""Files of the ocean judged by xgcm: its transports, divergence and vorticity are the model's.

Ranks: 1. What it knows of the grid is what the file says by SGRID.
"""

import numpy as np
import pytest
import xarray as xr
import xgcm
from numpy.testing import assert_allclose

import halocline
from halocline.ocean.transports import face_transports

thickness = xr.DataArray([500.0, 300.0, 100.0], dims="depth")


def flow(kind):
    """A windy ocean after some hours: what is in its file, and the model."""
    grid = {"depth": 900.0, "nx": 24, "levels": {"thickness": thickness.values[::-1].tolist()}}
    if kind == "regular":
        grid |= {
            "ny": 12, "dx": 15.0, "dy": 10.0, "x0": 7.5, "y0": -55.0, "closed_edges": False,
            "land": [[0.0, 40.0, -20.0, 60.0]],
        }  # fmt: skip
    else:
        grid |= {"kind": kind, "ny": 18, "land": [[0.0, 40.0, -90.0, 90.0]]}
    return {
        "component": "ocean",
        "grid": grid,
        "ocean": {"wind": {"amplitude": 0.2}},
        "time": {"start": "2000-01-01", "length": "6h", "step": "1h"},
        "output": {"fields": {"all": {"interval": "6h", "precision": "float64"}}},
    }


@pytest.mark.parametrize("kind", ["regular", "displaced-pole", "tripole"])
def test_transports_divergence_and_vorticity(tmp_path, kind):
    result = halocline.run(flow(kind), output=tmp_path)
    with xr.open_dataset(tmp_path / "all.nc") as data:
        file = data.load().isel(time=-1).fillna(0.0)
    judge = xgcm.Grid(file, padding={"X": "periodic", "Y": "extend"})
    assert set(judge.axes) == {"X", "Y"}
    # lengths through corners are means of those of the faces beside
    dx, dy = judge.interp(file.y_face_length, "X"), judge.interp(file.x_face_length, "Y")
    u, v = file.velocity_u, file.velocity_v
    x, y = judge.interp(dy * u, "Y") * thickness, judge.interp(dx * v, "X") * thickness
    state = result.component.model.state
    ours = face_transports(state)
    size = np.abs(ours.x).max()
    assert size > 1e5
    assert_allclose(x.sum("depth"), ours.x, rtol=0.0, atol=1e-13 * size + 1e-5)
    assert_allclose(y.sum("depth"), ours.y, rtol=0.0, atol=1e-13 * size + 1e-5)
    divergence = (judge.diff(x, "X") + judge.diff(y, "Y")) / file.cell_area
    result.component.model.tracers(1e5, 160)
    rising = (state.new_layer.gather() - state.old_layer.gather()) / 1e5
    mask = result.component.grid.mask
    found = -divergence.sum("depth").values[mask]
    assert_allclose(found, rising[mask], rtol=0.0, atol=1e-10 * np.abs(found).max())
    around = judge.diff(judge.interp(dy * v, "Y"), "X") - judge.diff(judge.interp(dx * u, "X"), "Y")
    spin = file.relative_vorticity
    turning = (around / file.cell_area).transpose(*spin.dims).values[:, mask]
    size = float(np.abs(spin).max())
    assert size > 1e-9
    assert_allclose(turning, spin.values[:, mask], rtol=0.0, atol=1e-13 * size)
    volume = float((file.cell_thickness * file.cell_area).sum())
    assert volume == pytest.approx(result.component.diagnostics.first.volume, rel=1e-13)
