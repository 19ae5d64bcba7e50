"""What a case says of its grid, its layers and its times, for files made before it can run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from halocline.atmosphere.air_column import AirColumn
from halocline.atmosphere.coordinate import AirLayerOptions, HybridCoordinate
from halocline.atmosphere.sides.options import AirSideOptions
from halocline.atmosphere.start.hybrid_column import HybridColumn
from halocline.atmosphere.start.options import AnalysisOptions
from halocline.component.case.reading import read_table
from halocline.component.case.tables import plain_dates
from halocline.component.case.time_options import TimeOptions
from halocline.core.clock import Clock
from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.regular import GridOptions, build_grid


@dataclass(frozen=True)
class AnalysisCase:
    """The parts of a case that a start and its sides depend on."""

    grid: Grid
    column: HybridColumn
    clock: Clock
    options: AnalysisOptions
    side_width: int = AirSideOptions().width  # rows of sides

    @classmethod
    def read(cls, name: str | Path) -> AnalysisCase:
        """From [grid], [time] and tables of [atmosphere]: layers, base, air, sides, analysis."""
        path, table = read_table(name)
        table = plain_dates(table)
        try:
            air = table.get("atmosphere", {})
            base = air.get("base", air.get("air", {}))
            layers = AirLayerOptions.from_table(air.get("layers", {}), "atmosphere.layers")
            coordinate = HybridCoordinate.of(layers, AirColumn.from_table(base, "atmosphere.base"))
            options = AnalysisOptions.from_table(air.get("analysis", {}), "atmosphere.analysis")
            clock = TimeOptions.from_table(table.get("time", {}), "time").clock()
            sides = AirSideOptions.from_table(air.get("sides", {}), "atmosphere.sides")
            grid, column = _grid(table.get("grid", {})), HybridColumn.of_coordinate(coordinate)
            return cls(grid, column, clock, options, sides.width)
        except UserError as error:
            raise UserError(f"{path}: {error}") from None


def _grid(table: Mapping[str, Any]) -> Grid:
    """The grid, which lies on the globe."""
    grid = build_grid(replace(GridOptions.from_table(table, "grid"), closed_edges=False))
    if not grid.spherical and grid.longitude is None:
        raise UserError(
            "The grid is a plane without longitudes and latitudes, on which no analysis lies. Set"
            " grid.kind to 'spherical', or to a map such as 'lambert'."
        )
    return grid
