"""The forcing of Held and Suarez: a climate without clouds, radiation and ground."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from halocline.atmosphere import _native
from halocline.atmosphere.climate_options import HeldSuarezOptions
from halocline.atmosphere.coordinate import HybridCoordinate
from halocline.atmosphere.dynamics.state import AirFields
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner

kernels = kernels_of(_native)


class HeldSuarez:
    """That forcing of one atmosphere, from the state at the beginning of a step.

    `first(name)` makes the array of a forcing, and says whether it is the first that does.
    """

    def __init__(
        self,
        run: Runner,
        state: AirFields,
        options: HeldSuarezOptions,
        grid: Grid,
        coordinate: HybridCoordinate,
        first: Callable[[str], int],
    ) -> None:
        latitude = np.radians(grid.at(Place.center).y)
        state.add_plane("sine_squared", "1", Place.center, np.sin(latitude) ** 2)
        share, rest = coordinate.middle_pressure()
        state.add_table("pressure_share", "1", state.layers, share)
        state.add_table("pressure_rest", "Pa", state.layers, rest)
        o = options
        numbers = {"top": coordinate.top, "lower": o.lower}
        old = {"mass": state.old_mass}
        of_heat = {
            "warmest": o.warmest, "contrast": o.contrast, "stability": o.stability,
            "coldest": o.coldest, "slow": 1.0 / o.slow, "fast": 1.0 / o.fast,
        }  # fmt: skip
        self.calls: list[Callable[[], None]] = []
        for name, rates in {
            "friction_u": {"rate": 1.0 / o.friction},
            "friction_v": {"rate": 1.0 / o.friction},
            "relax_theta": of_heat,
        }.items():
            of = name.rpartition("_")[2]
            fresh = first(of)
            given = old | {of: getattr(state, f"old_{of}")}
            call = run.bind(kernels[f"atmosphere_{name}"], state, **given)
            self.calls.append(partial(call, fresh=fresh, **numbers, **rates))

    def __call__(self) -> None:
        """Add it to the forcings of the step."""
        for call in self.calls:
            call()
