"""What has come into the columns of the ocean since its start: water, heat and salt."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from halocline.ocean import _native
from halocline.ocean.options import OceanOptions
from halocline.ocean.relaxation import Relaxation
from halocline.ocean.surface_forcing import SurfaceForcing
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner

if TYPE_CHECKING:
    from halocline.ocean.model import OceanState

Array = NDArray[np.float64]
kernels = kernels_of(_native)
of_surface = {"water": "m", "heat": "K m", "salt": "1e-3 m"}
of_boxes = {"heat of boxes": "K m", "salt of boxes": "1e-3 m"}


def add_entered(state: OceanState, options: OceanOptions) -> None:
    """Give a state what has entered, per area, at its three levels in time, in float64."""
    units = {**of_surface, **(of_boxes if options.relax else {})}
    axis = Axis("entered", entries=tuple(units), entry_units=tuple(units.values()))
    for prefix in ("old_", "", "new_"):
        name = f"{prefix}entered"
        made = Field(
            name,
            "1",
            state.space,
            axes=(axis,),
            place=Place.center,
            dtype=np.float64,
            restart=prefix != "new_",
        )
        setattr(state, name, made)


class Entered:
    """Adds up what comes in, and treats the levels in time as those of contents are.

    A step adds what it brings to what the old level had; means and filters of levels act on both
    alike. So what the sea holds less what has entered (and what freezing lent) stays, to round-off.
    """

    def __init__(
        self, state: OceanState, forcing: SurfaceForcing, relaxation: Relaxation, run: Runner
    ) -> None:
        self.state, self.boxes = state, relaxation.boxes
        self.through_surface = run.bind(kernels["ocean_entered"], state)
        self.per_light = forcing.per_capacity if forcing.lit else 0.0
        self.acts = forcing.with_fluxes or bool(self.boxes)

    def add(self, tau: float) -> None:
        """Add what the `tau` seconds since the old level brought."""
        if not self.acts:
            return
        self.through_surface(tau=tau, per_light=self.per_light)
        if not self.boxes:
            return
        with self.state.new_entered.change() as owned:
            for box in self.boxes:
                for number, gain in enumerate(box.gains):
                    for new, gained in zip(owned, gain.read(), strict=True):
                        new[3 + number] += gained

    def average(self) -> None:
        """Means of neighbouring levels are the old and the present one."""

        def means(old: Array, now: Array, new: Array) -> None:
            old[...] = 0.5 * (old + now)
            now[...] = 0.5 * (now + new)

        self._change(means)

    def filter(self, strength: float, share: float) -> None:
        """The filter of Robert and Asselin, with Williams' share, of the present and new level."""

        def filtered(old: Array, now: Array, new: Array) -> None:
            d = 0.5 * strength * ((old + new) - 2.0 * now)
            now += share * d
            new -= (1.0 - share) * d

        self._change(filtered)

    def _change(self, rule: Callable[[Array, Array, Array], None]) -> None:
        """Apply a rule to the three levels of every block."""
        if not self.acts:
            return
        levels = (getattr(self.state, f"{prefix}entered") for prefix in ("old_", "", "new_"))
        with ExitStack() as stack:
            changing = [stack.enter_context(level.change()) for level in levels]
            for old, now, new in zip(*changing, strict=True):
                rule(old, now, new)
