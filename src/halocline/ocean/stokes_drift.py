"""Stokes drift of waves that others give: it is turned by Coriolis' force, and carries water.

Levels in time are those of the velocity, so that the surface follows the drift of the level that
later carries tracers, and a constant stays constant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.fields.place import Place

if TYPE_CHECKING:
    from halocline.ocean.model import Ocean

Array = NDArray[np.float64]
drift_names = ("stokes_u", "stokes_v", "mean_stokes_u", "mean_stokes_v")
"""What has levels in time, as the velocity."""


class StokesDrift:
    """The drift in one ocean; none at the start, when the surface knows none."""

    def __init__(self, model: Ocean) -> None:
        self.model, s = model, model.state
        corner = Place.corner
        for prefix in ("old_", "", "new_", "given_"):
            kept = prefix in ("old_", "")
            for name in ("u", "v"):
                s.add(f"{prefix}stokes_{name}", "m s-1", corner, s.levels, restart=kept)
                s.add(f"{prefix}mean_stokes_{name}", "m s-1", corner, restart=kept)
            s.pair(f"{prefix}stokes_u", f"{prefix}stokes_v")
            s.pair(f"{prefix}mean_stokes_u", f"{prefix}mean_stokes_v")
        for name in ("u", "v"):
            s.add(f"drift_{name}", "m s-1", corner)
            s.add(f"carrying_{name}", "m s-1", corner, s.levels)
        s.pair("drift_u", "drift_v")
        s.pair("carrying_u", "carrying_v")
        s.add("drift_wavenumber", "rad m-1", corner)
        self.alone = s.friction_x is None
        if self.alone:
            s.friction_x = s.add("friction_x", "m s-2", corner, s.levels)
            s.friction_y = s.add("friction_y", "m s-2", corner, s.levels)
        self._profile = model.bound("stokes_profile")
        self._force = model.bound("stokes_force")
        self._carry = model.bound("carrying_velocity")
        self.diverge = model.bound("stokes_divergence")
        levels = {
            f"{prefix}{of}{name}": getattr(s, f"{prefix}{of}stokes_{name}")
            for prefix in ("old_", "", "new_")
            for of in ("", "mean_")
            for name in ("u", "v")
        }
        self.average = model.bound("average_velocity", **levels)
        self.filter = model.bound("filter_velocity", **levels)

    def give(self, drift: Sequence[Sequence[Array]], transport: Sequence[Sequence[Array]]) -> None:
        """Set drift at the surface [m s-1] and its transport [m2 s-1] along x and y, by block."""
        s = self.model.state
        fields = s.drift_u, s.drift_v, s.drift_wavenumber
        with fields[0].change() as us, fields[1].change() as vs, fields[2].change() as numbers:
            parts = zip(us, vs, numbers, *drift, *transport, strict=True)
            for to_u, to_v, number, *given in parts:
                u, v, along, across = (np.nan_to_num(some.astype(np.float64)) for some in given)
                carried = np.sqrt(along * along + across * across)
                whole = np.where(carried > 0.0, 6.0 * carried, np.inf)
                to_u[...], to_v[...] = u, v
                number[...] = np.sqrt(u * u + v * v) / whole
        self._profile()

    def follow(self) -> None:
        """The new level has the drift that is given."""
        s = self.model.state
        for name in drift_names:
            getattr(s, f"new_{name}").copy(getattr(s, f"given_{name}"))

    def force(self) -> None:
        """Add the force of Coriolis on the drift to those that are computed apart."""
        s: Any = self.model.state
        if self.alone:
            s.friction_x.fill(0.0)
            s.friction_y.fill(0.0)
        self._force()

    @contextmanager
    def carrying(self) -> Iterator[None]:
        """In this context the velocity of the present level is that which carries water."""
        s = self.model.state
        self._carry()
        for name in ("u", "v"):
            getattr(s, name).swap(getattr(s, f"carrying_{name}"))
        try:
            yield
        finally:
            for name in ("u", "v"):
                getattr(s, name).swap(getattr(s, f"carrying_{name}"))
