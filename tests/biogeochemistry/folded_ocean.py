"""An ocean around the north pole on a tripolar grid, folded there."""

import numpy as np

from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.metrics import Curvilinear
from halocline.grids.vertical.levels import layered

nj, ni = 18, 40
thickness = np.array([40.0, 60.0, 100.0])


def folded_ocean(fold, *, land=True):
    """Three levels below a seam of 34 degrees through the north pole, whose ends are land.

    Ellipses and hyperbolas about these ends in the stereographic plane. Without `land` the rest is
    deep sea, with it there are a stepped floor and islands, some of them on the seam.
    """
    late = 0.5 if fold == "centres" else 0.0
    u = 1.6 * (1.0 - np.arange(nj + 1.0) / (nj - late))
    v = 2.0 * np.pi * (np.arange(ni + 1.0) - late) / ni
    z = 0.15 * np.cosh(u[:, None] + 1j * v)
    corners = Curvilinear(
        corner_x=np.rad2deg(np.angle(z)),
        corner_y=90.0 - 2.0 * np.rad2deg(np.arctan(np.abs(z))),
        periodic_x=True,
    )
    depth = np.full((nj, ni), 200.0)
    if land:
        random = np.random.default_rng(4)
        depth = random.choice([0.0, 40.0, 100.0, 200.0, 200.0, 200.0, 200.0], (nj, ni))
    i = np.arange(ni)
    depth[-2:, np.minimum(i, np.abs(i - ni // 2)) < 2] = depth[-2:, -1] = depth[0] = 0.0
    if fold == "centres":
        depth[-1] = depth[-1, np.minimum(i, -i % ni)]
    return layered(Grid.of(corners, depth, fold=fold), thickness)
