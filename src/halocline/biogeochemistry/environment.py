"""The water and the air around the tracers: who fills these fields, and how."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from halocline.biogeochemistry.reacting_state import ReactingState
from halocline.component.forcing.field_records import FieldRecords
from halocline.core.clock import Date


class Environment(ABC):
    """Fills temperature, salinity, short wave and wind of a state, and what mixes it."""

    @abstractmethod
    def settle(self, state: ReactingState) -> Sequence[FieldRecords]:
        """Get ready for the fields of `state`; the files that it reads from now on."""

    @abstractmethod
    def fill(self, state: ReactingState, time: Date, dt: float) -> None:
        """Set the fields for the step of `dt` [s] from `time`."""
