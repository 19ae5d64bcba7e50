"""What the output streams of a case need of other files: nested cases and paths."""

from __future__ import annotations

from pathlib import Path

from halocline.core.errors import UserError
from halocline.experiment.boundary_stream import boundary_points
from halocline.experiment.case import WaveCase, read_case
from halocline.experiment.output import OutputSources


def output_sources(case: WaveCase) -> OutputSources:
    """Points of the nests and files of positions of a case's streams."""
    return OutputSources(
        nests={
            name: boundary_points(_nest(case, name, stream.case).build_grid(), stream.case)
            for name, stream in case.output.boundary.items()
        },
        tracks={name: _positions(case, name) for name in case.output.tracks},
    )


def _positions(case: WaveCase, name: str) -> Path:
    given = case.output.tracks[name].positions
    if not given:
        raise UserError(
            f"The output stream '{name}' does not name its path. Set positions = (a CSV or netCDF"
            f" file) in [output.tracks.{name}]."
        )
    return Path(case.find_here(given))


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
