"""What the output streams of a case need of other files: nested cases and paths."""

from __future__ import annotations

from pathlib import Path

from halocline.component.case.case import Case
from halocline.component.case.reading import read_case
from halocline.core.errors import UserError
from halocline.waves.boundary_stream import boundary_points
from halocline.waves.output import OutputOptions, OutputSources


def output_sources(case: Case, output: OutputOptions) -> OutputSources:
    """Points of the nests and files of positions of a case's streams."""
    return OutputSources(
        nests={
            name: boundary_points(_nest(case, name, stream.case).build_grid(), stream.case)
            for name, stream in output.boundary.items()
        },
        tracks={
            name: _positions(case, name, some.positions) for name, some in output.tracks.items()
        },
    )


def _positions(case: Case, name: str, given: str) -> Path:
    if not given:
        raise UserError(
            f"The output stream '{name}' does not name its path. Set positions = (a CSV or netCDF"
            f" file) in [output.tracks.{name}]."
        )
    return Path(case.find_here(given))


def _nest(case: Case, name: str, nested: str) -> Case:
    if not nested:
        raise UserError(
            f"The output stream '{name}' does not name its nest. Set case = (a case file, or a"
            f" shipped case) in [output.boundary.{name}]."
        )
    beside = Path(case.data_folder) / nested
    found = read_case(beside if case.data_folder and beside.exists() else nested)
    if found.component != case.component:
        raise UserError(f"The case '{nested}' of the output stream '{name}' is no case of waves.")
    return found
