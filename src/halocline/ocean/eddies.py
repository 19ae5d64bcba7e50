"""Eddies of the ocean: mixing along surfaces of density, and the flattening of these surfaces."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.grids.vertical.levels import VerticalGrid
from halocline.ocean.metrics import area_ratio, least_length, open_faces
from halocline.ocean.options import OceanOptions
from halocline.runtime.fields.place import Place

if TYPE_CHECKING:
    from halocline.ocean.model import OceanState


class Eddies:
    """What eddies do to the old level of one state.

    A call sets `mixing_convergence` and adds to `vertical_diffusivity`, after vertical mixing;
    what that was before is `diapycnal_diffusivity`.
    """

    def __init__(
        self,
        s: OceanState,
        levels: VerticalGrid,
        options: OceanOptions,
        bound: Callable[..., Any],
    ) -> None:
        self.options, some = options, options.mixing.eddies
        self.numbers = {
            "along": some.along,
            "flattening": some.flattening,
            "largest": some.largest_slope,
            "width": some.slope_width,
            "smooth": some.taper == "smooth",
        }
        open_x, open_y = open_faces(levels)
        x_face, y_face = map(levels.horizontal.at, (Place.x_face, Place.y_face))
        x_length, y_length = (np.maximum(w, least_length) for w in (x_face.dx, y_face.dy))
        s.add_static("per_x_length", "m-1", Place.x_face, 1.0 / x_length)
        s.add_static("per_y_length", "m-1", Place.y_face, 1.0 / y_length)
        x_share, y_share = (area_ratio(side.dx, side.dy, some.length) for side in (x_face, y_face))
        s.add_static("x_ratio", "1", Place.x_face, open_x * x_share * x_face.dy / x_length)
        s.add_static("y_ratio", "1", Place.y_face, open_y * y_share * y_face.dx / y_length)
        s.mixing_convergence = s.add("mixing_convergence", "1", Place.center, s.tracers, s.levels)
        if some.along:
            s.add("diapycnal_diffusivity", "m2 s-1", Place.center, s.levels)
        self.state = s
        self.eddies = bound("eddies", tracer=s.old_tracer, depth=s.depths)

    def __call__(self, tile: int) -> None:
        """Set what eddies do, by the old level."""
        if self.options.mixing.eddies.along:
            self.state.diapycnal_diffusivity.copy(self.state.vertical_diffusivity)
        self.eddies(**self.numbers, tile=2 * tile, numbers=self.options.density.numbers)
