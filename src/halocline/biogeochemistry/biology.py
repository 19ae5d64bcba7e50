"""The door for models of life in the sea: what one says of itself, and what a run asks of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from halocline.biogeochemistry.reacting_state import ReactingState
from halocline.core.names import Quantity
from halocline.core.options import Options
from halocline.grids.vertical.levels import VerticalGrid
from halocline.runtime.fields.field import Field
from halocline.runtime.running.runner import Runner
from halocline.runtime.sums.reductions import GlobalSums

seconds_of_transport = 6e-9
"""Time for a tracer, cell and step of the transport on a core that shares its memory [s]."""


class Biology(ABC):
    """A model of tracers that react with each other, in every cell by itself or by columns.

    It is made of its options alone; `settle` gives it the state, with the grid, before the first
    step. Its kernels find tracers and surroundings as attributes of the state, by name.
    """

    options_kind: ClassVar[type[Options]] = Options
    """What it is made of."""
    tracers: Sequence[Quantity]
    """What the tracers are, in their order; units are those of the model."""
    diagnostics: Mapping[str, Quantity] = {}
    """Fields on all levels that it can show besides its tracers, by name."""
    planes: Mapping[str, Quantity] = {}
    """Fields of the surface that it can show, by name."""
    elements: Mapping[str, Sequence[str]] = {}
    """Tracers whose contents make up what the model neither makes nor destroys, by its name."""
    environment: ClassVar[Sequence[str]] = ()
    """Fields of `ReactingState` that it reads."""
    seconds: ClassVar[float] = 1e-7
    """Expected time of its step for a wet cell on one core [s]: for plans and the cut of a grid."""

    @abstractmethod
    def __init__(self, options: Any) -> None:
        """Take the options of its kind."""

    @property
    def names(self) -> list[str]:
        """Short names of the tracers."""
        return [one.short_name for one in self.tracers]

    @property
    def sinking(self) -> Mapping[str, float]:
        """Speed [m s-1], positive down, of the tracers that the transport lets sink.

        Those of a model with a floor, or with speeds that change, are none of them: it lets them
        sink in its own step.
        """
        return {}

    @property
    def attenuation(self) -> Mapping[str, float]:
        """What a unit of each tracer takes from the light [m-1], of those that take any."""
        return {}

    @property
    def sums(self) -> Mapping[str, GlobalSums]:
        """Sums over all ranks that it makes, by what they add up."""
        return {}

    def outside(self) -> Mapping[str, float]:
        """What it holds of its `elements` outside the water; a call for all ranks."""
        return dict.fromkeys(self.elements, 0.0)

    def column_weights(self, levels: VerticalGrid) -> NDArray[np.float64]:
        """What columns cost: 1 for the transport, of land too, and more for each wet cell."""
        wet = levels.wet_levels / levels.thickness.size
        return 1.0 + self.seconds / (len(self.tracers) * seconds_of_transport) * wet

    @abstractmethod
    def start_values(self) -> Mapping[str, float]:
        """What every tracer begins with where nothing else is said."""

    def settle(self, state: ReactingState) -> Sequence[Field]:
        """Make the fields of its own, on the grid of `state`; those that a restart holds."""
        return []

    def show_only(self, names: Collection[str]) -> Sequence[str]:
        """Before the first step: `show` will be asked for no others; what is not made now."""
        return []

    @abstractmethod
    def step(self, run: Runner, state: ReactingState, dt: float) -> None:
        """Advance the tracers of `state` by `dt` [s], without transport."""

    def show(self, name: str, run: Runner, state: ReactingState) -> Field:
        """A field of `diagnostics`, as it is now."""
        raise NotImplementedError(f"{type(self).__name__} shows no '{name}'.")

    def summary(self) -> str:
        """What to say at the end of a run; a call for all ranks."""
        return ""
