"""The water and the air around the tracers: who fills these fields, and how."""

from __future__ import annotations

from abc import ABC, abstractmethod

from halocline.biogeochemistry.reacting_state import ReactingState
from halocline.core.clock import Date


class Environment(ABC):
    """Fills temperature, salinity, short wave and wind of a state, and what mixes it."""

    @abstractmethod
    def fill(self, state: ReactingState, time: Date, dt: float) -> None:
        """Set the fields for the step of `dt` [s] from `time`."""
