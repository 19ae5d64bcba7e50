"""Sides from the files of `halocline analysis`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.coordinate import HybridCoordinate
from halocline.atmosphere.microphysics.scheme import MicrophysicsScheme
from halocline.atmosphere.sides.given_sides import GivenSides
from halocline.atmosphere.start.hybrid_column import HybridColumn
from halocline.atmosphere.start.start_files import side_names
from halocline.atmosphere.start.start_reading import AnalysedSides, as_dry_air, clouds_in, less_base
from halocline.atmosphere.start.water_of_files import variable_of, water_of_file
from halocline.atmosphere.starting_air import ReferenceColumns
from halocline.core.clock import Date
from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.field import Field

Array = NDArray[np.float64]


class FileSides:
    """Gives sides the two records of a file around the time of a run."""

    def __init__(
        self,
        path: Path,
        sides: GivenSides,
        coordinate: HybridCoordinate,
        reference: ReferenceColumns,
        ground: Array,
        period: tuple[Date, Date],
        scheme: MicrophysicsScheme | None = None,
    ) -> None:
        self.scheme = scheme
        self.sides, self.reference, self.ground = sides, reference, ground
        self.column = HybridColumn.of_coordinate(coordinate)
        grid, width = sides.grid, sides.options.width
        self.file = AnalysedSides(path, grid, self.column, period, width)
        self.record = -1
        species = sides.state.species
        self.clouds = tuple(name for name in clouds_in(path) if name in species or not species)
        self.remarks = self._remarks()

    def _remarks(self) -> list[str]:
        """What the log tells of clouds at the sides."""
        species = self.sides.state.species
        if not species:
            return []
        kinds = [name for name in species[1:] if not name.endswith("_number")]
        lacking = [name for name in kinds if name not in self.clouds]
        if not self.clouds:
            return ["the file of sides tells no clouds: no condensed water comes in"]
        return [f"the file of sides tells no {', '.join(lacking)}: 0 there"] if lacking else []

    def bring(self, time: Date) -> None:
        """Give the records around `time`, at which a step begins."""
        times = self.file.file.times
        record = min(max(bisect_right(times, time) - 1, 0), max(len(times) - 2, 0))
        if record == self.record:
            return
        self.record = record
        after = min(record + 1, len(times) - 1)
        for moment, number in (("before", record), ("after", after)):
            self._fill(moment, times[number])
        self.sides.before_time, self.sides.after_time = times[record], times[after]

    def close(self) -> None:
        """Close the file."""
        self.file.close()

    def _fill(self, moment: str, time: Date) -> None:
        topology = self.sides.grid.topology
        for side in side_names:
            if not topology.is_closed(side):
                continue
            rows = self._rows(side, time)
            for name in self.sides.names:
                put_side(self.sides.field(moment, name), side, rows[name])

    def _rows(self, side: str, time: Date) -> Mapping[str, Array]:
        """The rows of a side as the model's fields have them, (layers, inward, along)."""
        width = self.sides.options.width
        names = ("mass", "u", "v", "theta", "vapor", "geopotential", *map(variable_of, self.clouds))
        found = {name: self.file.at(name, side, time) for name in names}
        ground = self.ground if side in ("south", "north") else self.ground.T
        found["ground"] = (ground if side in ("south", "west") else ground[::-1])[:width]
        species = self.sides.state.species
        if not species:
            found = as_dry_air(found, self.column)
        known = self.sides.known
        water = water_of_file(found, known, self.scheme if self.clouds else None, self.column)
        rows = {"water": np.stack([water[name] for name in known])} if known else {}
        return {**found, **less_base(found, self.reference)._asdict(), **rows}


def put_side(field: Field, side: str, rows: Array) -> None:
    """Set the outer rows (..., inward, along) of a side; calls for the other sides follow."""
    nj, ni = field.shape[-2:]
    turned = rows if side in ("south", "north") else np.swapaxes(rows, -1, -2)
    with field.change() as owned:
        for array, block in zip(owned, field.layout.blocks, strict=True):
            assert isinstance(block, Block)
            j0, j1, i0, i1 = block.world.owned(block.rectangle, field.place)
            for n in range(rows.shape[-2]):
                line = {"west": n, "south": n, "east": ni - 1 - n, "north": nj - 1 - n}[side]
                if side in ("west", "east") and i0 <= line < i1:
                    array[..., line - i0] = turned[..., j0:j1, n]
                if side in ("south", "north") and j0 <= line < j1:
                    array[..., line - j0, :] = turned[..., n, i0:i1]
