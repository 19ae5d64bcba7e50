"""Passive tracers of the ocean: what they are called, how they begin, and the age of water."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.component.forcing.field_places import FieldPlaces
from halocline.core.errors import UserError
from halocline.core.names import Quantity, quantities
from halocline.core.options import Options, option
from halocline.grids.files.curvilinear_maps import open_maps
from halocline.grids.vertical.file_field import FileField
from halocline.ocean.bottom_cells import lift_to_thin_cells
from halocline.runtime.fields.place import Place

if TYPE_CHECKING:
    from halocline.ocean.model import Ocean

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class PassiveTracerOptions(Options):
    """A tracer that is moved and mixed as salinity, and changes nothing else."""

    units: str = option("1", "", "its unit, as it stands in files")
    start: float = option(0.0, "as `units`", "its value at the start, everywhere")
    file: str = option("", "", "file with its values at the start instead")
    variable: str = option("", "", "their name in the file; that of the tracer if empty")
    ages: bool = option(
        False, "", "whether it is the time since water was in the uppermost cells, with unit d"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ages and self.units not in ("1", "d"):
            raise UserError(f"units = '{self.units}', but an age is counted in days. Leave it out.")

    @property
    def unit(self) -> str:
        """The unit of its values."""
        return "d" if self.ages else self.units


def refuse_taken_names(passive: Mapping[str, PassiveTracerOptions]) -> None:
    """Refuse names that files could not tell from others."""
    for name in passive:
        if name in quantities or not name.isidentifier():
            raise UserError(
                f"A passive tracer cannot be called '{name}':"
                f" {'another field has that name' if name in quantities else 'it is no word'}."
                " Rename [ocean.tracers.passive." + name + "]."
            )


def described(passive: Mapping[str, PassiveTracerOptions]) -> dict[str, Quantity]:
    """How passive tracers are described in files."""
    ages = "sea_water_age_since_surface_contact"
    return {
        name: Quantity(
            name,
            ages if some.ages else "",
            some.unit,
            "time since water was at the surface" if some.ages else f"passive tracer {name}",
        )
        for name, some in passive.items()
    }


def start_passive(model: Ocean) -> None:
    """Set the passive tracers to their start, a call for all ranks."""
    state, levels = model.state, model.levels
    for number, (name, some) in enumerate(model.options.tracers.passive.items(), start=2):
        column = np.full((levels.thickness.size, 1, 1), 0.0 if some.ages else some.start)
        state.tracer.set_cells(partial(_everywhere, column), at=number)
        if some.file:
            places = FieldPlaces(state.space, Place.center, levels.horizontal, state.levels)
            files = open_maps([Path(some.file)])
            try:
                found = FileField(files, some.variable or name, places.wanted).read(None)
            finally:
                files.close()
            places.put(found, state.tracer.part(number))
            lift_to_thin_cells(state, number, number + 1)


def _everywhere(column: Array, j: Any, i: Any) -> Array:
    """Values of a column, shape (k, 1, 1), in all cells."""
    return np.broadcast_to(column, (column.size, *j.shape))
