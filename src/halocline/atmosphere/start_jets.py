"""The jet that a case of the air begins with, if it has one; refused where it cannot blow."""

from __future__ import annotations

import numpy as np

from halocline.atmosphere.options import AtmosphereOptions
from halocline.atmosphere.start_globe import GlobalJet
from halocline.atmosphere.start_jet import BalancedJet
from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.place import Place


def global_jet(o: AtmosphereOptions, plane: Grid) -> GlobalJet | None:
    """The jets of the start around the globe."""
    if not o.start.jet.speed or o.start.jet.kind != "globe":
        return None
    if not plane.spherical or o.mountain.kind != "flat":
        raise UserError(
            "atmosphere.start.jet of kind 'globe' blows on a grid of longitude and latitude"
            " (grid.kind = 'spherical'), over a ground of its own: leave"
            " [atmosphere.mountain] out."
        )
    return GlobalJet(o.start.jet, plane.radius)


def jet(o: AtmosphereOptions, plane: Grid) -> BalancedJet | GlobalJet | None:
    """The jet of the start, around the globe or over the width of the channel."""
    if o.start.jet.kind == "globe":
        return global_jet(o, plane)
    if not o.start.jet.speed:
        return None
    if plane.topology.is_joined("south") or np.ptp(o.mountain.heights(plane)):
        raise UserError(
            "atmosphere.start.jet blows in a channel over flat ground: make the grid's sides"
            " mirrors in the south and north (grid.sides.south = 'mirror', grid.sides.north ="
            " 'mirror', grid.periodic_y = false), and atmosphere.mountain.kind 'flat'."
        )
    if not o.rotation:
        raise UserError(
            "atmosphere.start.jet needs a turning plane to be in balance: give"
            " atmosphere.rotation [s-1], as 1.03e-4 at 45 degrees north."
        )
    edges = plane.at(Place.y_face).y
    south, north = float(edges[0, 0]), float(edges[-1, 0])
    return BalancedJet(o.start.jet, south, north - south, o.rotation, o.rotation_gradient)
