"""The nested grids that a case writes boundary spectra for."""

from __future__ import annotations

from pathlib import Path

from halocline.core.errors import UserError
from halocline.experiment.boundary_stream import boundary_points
from halocline.experiment.case import WaveCase, read_case
from halocline.experiment.output import Places


def boundary_places(case: WaveCase) -> Places:
    """For each stream of boundary spectra, the points of its nest by name."""
    return {
        name: boundary_points(_nest(case, name, stream.case).build_grid(), stream.case)
        for name, stream in case.output.boundary.items()
    }


def _nest(case: WaveCase, name: str, nested: str) -> WaveCase:
    if not nested:
        raise UserError(
            f"The output stream '{name}' does not name its nest. Set case = (a case file, or a"
            f" shipped case) in [output.boundary.{name}]."
        )
    beside = Path(case.data_folder) / nested
    found = read_case(beside if case.data_folder and beside.exists() else nested)
    if not isinstance(found, WaveCase):
        raise UserError(f"The case '{nested}' of the output stream '{name}' is no case of waves.")
    return found
