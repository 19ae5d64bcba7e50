"""What other members of a run give the waves, at sea points, in place of what the case says."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halocline.component.port import Port
from halocline.core.errors import UserError
from halocline.core.names import quantities
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field

Array = NDArray[np.float64]
wind = ("wind_u", "wind_v")
currents = ("current_u", "current_v")
level = ("sea_level",)
warmth = ("air_sea_temperature_difference",)
taken = (*wind, *warmth, *currents, *level)
"""Short names of what others may give."""


class FromOthers:
    """Ports that others fill, once they are expected; NaN where their grids do not reach."""

    def __init__(self, cut: Decomposition, dtype: DTypeLike) -> None:
        self.cut, self.dtype = cut, dtype
        self.ports: dict[str, Port] = {}

    def expect(self, names: Sequence[str]) -> None:
        """Others give these: of a vector both components."""
        for vector in (wind, currents):
            given = [name for name in vector if name in names]
            if len(given) == 1:
                raise UserError(
                    f"The waves are given {given[0]} without {', '.join({*vector} - {*given})}. Let"
                    " one exchange give both."
                )
        if self.cut.home is not self.cut.planes and (water := {*currents, *level} & {*names}):
            raise UserError(
                f"Another member gives the waves {', '.join(sorted(water))}, which are needed at"
                " cells, but cards hold sea points only. Use decomposition.kind = 'blocks' or"
                " 'curve'."
            )
        for name in names:
            field = Field(
                f"given_{name}", quantities[name].units, self.cut, dtype=self.dtype, restart=True
            )
            field.fill(np.nan)
            self.ports[name] = Port(field)

    def any_of(self, names: Collection[str]) -> bool:
        """Whether others give some of these."""
        return not self.ports.keys().isdisjoint(names)

    def cover(self, fields: Mapping[str, Field]) -> None:
        """Put what came into fields on the points, by short name."""
        for name, field in fields.items():
            if name not in self.ports:
                continue
            with field.change() as owned:
                for array, given in zip(owned, self.ports[name].field.read(), strict=True):
                    np.copyto(array, given, where=~np.isnan(given))

    def over(self, name: str, own: Array, numbers: NDArray[np.integer]) -> Array:
        """Values of the case at ascending sea numbers, and what came in place of them."""
        if name not in self.ports:
            return own
        values = np.array(own, np.float64)
        field = self.ports[name].field
        for block, given in zip(field.layout.blocks, field.read(), strict=True):
            at = np.searchsorted(numbers, block.sea_numbers[: block.owned_points])
            values[at] = np.where(np.isnan(given), values[at], given)
        return values
