"""Shares of cells that leave them in a sweep, against loops over all cells."""

from types import SimpleNamespace

import numpy as np
import pytest

from halocline.grids.horizontal.regular import GridOptions, regular_grid
from halocline.grids.vertical.levels import VerticalGrid
from halocline.numerics.tracer_courant import outflow

nk, nj, ni = 3, 4, 5
dx, dy, dt = 2000.0, 1000.0, 50.0


@pytest.mark.parametrize("periodic", [True, False])
@pytest.mark.parametrize("diffusivity", [0.0, 3000.0])
def test_shares_that_leave_cells(periodic, diffusivity):
    """Along x, y and z in turn, on what is left; nothing passes the surface and the walls."""
    random = np.random.default_rng(4)
    thickness = np.array([300.0, 200.0, 100.0])
    options = {"kind": "cartesian", "nx": ni, "ny": nj, "dx": dx, "dy": dy}
    plane = regular_grid(GridOptions(**options, periodic_x=periodic, closed_edges=False))
    wet_levels = random.integers(0, nk + 1, (nj, ni))
    grid = VerticalGrid(horizontal=plane, thickness=thickness, wet_levels=wet_levels)
    wet = np.arange(nk)[:, None, None] >= nk - wet_levels
    x, y, z = random.uniform(-1.0, 1.0, (3, nk, nj, ni)) * 2e5
    levels = [SimpleNamespace(x=x[k], y=y[k], z=z[k]) for k in range(nk)]
    fluxes = SimpleNamespace(levels=nk, level=lambda k: levels[k])
    found = outflow(fluxes, grid, diffusivity, dt)

    def is_wet(k, j, i):
        i = i % ni if periodic else i
        return 0 <= j < nj and 0 <= i < ni and wet[k, j, i]

    wanted = {"x": 0.0, "y": 0.0, "z": 0.0}
    for k, j, i in np.argwhere(wet):
        volume = dx * dy * thickness[k]
        east = x[k, j, (i + 1) % ni] if periodic or i + 1 < ni else 0.0
        north = y[k, j + 1, i] if j + 1 < nj else 0.0
        above = z[k + 1, j, i] if k + 1 < nk else 0.0
        pairs = {"x": (x[k, j, i], east), "y": (y[k, j, i], north), "z": (z[k, j, i], above)}
        beside = {"x": [(j, i - 1), (j, i + 1)], "y": [(j - 1, i), (j + 1, i)], "z": []}
        ratio = {"x": dy / dx, "y": dx / dy, "z": 0.0}
        for name, (low, high) in pairs.items():
            leaving = max(high, 0.0) * dt - min(low, 0.0) * dt
            exchanged = diffusivity * dt * ratio[name] * thickness[k]
            leaving += exchanged * sum(is_wet(k, *other) for other in beside[name])
            wanted[name] = max(wanted[name], leaving / volume)
            volume -= (high - low) * dt
    assert found == pytest.approx(wanted, rel=1e-12)
    assert 0.01 < min(wanted.values())
