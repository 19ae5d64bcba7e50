"""Start and sides of a case from analyses, written to files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.start.analysed_state import (
    AnalysedState,
    analysed_state,
    columns_at,
    skin_at,
    surface_at,
)
from halocline.atmosphere.start.analysis_case import AnalysisCase
from halocline.atmosphere.start.pressure_level_files import PressureLevelFiles
from halocline.atmosphere.start.start_files import write_sides, write_start
from halocline.atmosphere.start.start_summary import height_errors, summary
from halocline.atmosphere.start.terrain_files import ground_on_grid
from halocline.core.clock import Date, duration_text, text
from halocline.core.errors import UserError
from halocline.grids.files.gridded_files import Record
from halocline.runtime.fields.place import Place

Array = NDArray[np.float64]
longest_gap = timedelta(days=1)
"""Between two analyses of which sides are made."""


class Making:
    """Brings the analyses of some files to the grid of a case, over one ground."""

    def __init__(
        self, files: PressureLevelFiles, case: AnalysisCase, ground: Path | None = None
    ) -> None:
        self.files, self.case = files, case
        self.first = files.record(case.clock.start)
        self.planes = ground_on_grid(ground, case.grid) if ground else self._analysed_ground()

    def _analysed_ground(self) -> dict[str, Array]:
        """The ground of the analysis itself."""
        surface = surface_at(self.files, self.first, self.case.grid.at(Place.center))
        if "ground_height" not in surface:
            raise UserError(
                f"{self.files.name} has no height of its ground (CF standard_name"
                " 'surface_altitude'). Give the ground with --ground."
            )
        return {"ground": surface["ground_height"]}

    def state(self, record: Record) -> AnalysedState:
        """The state of a record; land is that of the ground's file where it has one.

        Where the analysis tells land, skins of land and sea are not mixed.
        """
        case, ground = self.case, self.planes["ground"]
        state = analysed_state(self.files, record, case.grid, ground, case.column, case.options)
        surface = state.surface
        if "land" in self.planes:
            surface["land"] = self.planes["land"]
        if {"land", "skin_temperature"} <= self.files.surface.keys():
            points, lapse = case.grid.at(Place.center), case.options.lapse_rate
            surface["skin_temperature"] = skin_at(
                self.files, record, points, surface["land"], ground, lapse
            )
        return state

    def write_start(self, path: Path) -> list[str]:
        """Write the start; lines that say what it holds."""
        case, state = self.case, self.state(self.first)
        ground = self.planes["ground"]
        write_start(path, case.grid, case.column, case.clock.start, state, ground)
        columns = columns_at(self.files, self.first, case.grid.at(Place.center), case.options)
        errors = height_errors(state, columns, case.column, ground)
        head = f"analysis of {text(case.clock.start)} on {self.files.levels.size} levels"
        return [head, *summary(state, errors, case.column)]

    def write_sides(self, path: Path, *, steady: bool = False) -> Iterator[Date]:
        """Write the sides at all times that the run needs; these times, as they are written.

        Those that are `steady` are the start's at begin and end.
        """
        case, clock = self.case, self.case.clock
        if steady:
            state = self.state(self.first)
            states = iter([(clock.start, state), (clock.end, state)])
        else:
            records = self.files.within((clock.start, clock.end))
            _refuse_gaps([record.time for record in records])
            states = ((record.time, self.state(record)) for record in records)
        yield from write_sides(
            path,
            case.grid,
            case.column,
            states,
            clock.start.calendar,
            case.side_width,
            list(self.files.condensed),
        )


def _refuse_gaps(times: Sequence[Date]) -> None:
    """Refuse sides whose times are so far apart that lines between them are no weather."""
    for one, other in pairwise(times):
        if other - one > longest_gap:
            raise UserError(
                f"Between the analyses of {text(one)} and {text(other)} there is none, and sides"
                f" are lines in time between those at most {duration_text(longest_gap)} apart. Give"
                " files of the times between, or --steady: then sides stay as at the start."
            )
