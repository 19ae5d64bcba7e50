"""`halocline analysis`: start and sides of an atmosphere from analyses on pressure levels."""

from __future__ import annotations

import argparse
from pathlib import Path

words = "make start and sides of an atmosphere from analyses on pressure levels"
example = "analysis gfs.nc case.toml --output analysis"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline analysis`."""
    add = parser.add_argument
    add("file", metavar="FILE", help="analyses, netCDF, Zarr or GRIB2; a pattern such as gfs_*.nc")
    add("case", metavar="CASE", help="case of an atmosphere: its grid, its layers and its times")
    add("--output", metavar="DIR", default="analysis", help="folder of start.nc and sides.nc")
    add(
        "--ground",
        metavar="FILE",
        default="",
        help="height of the ground on the grid of the case (surface_altitude), with its land"
        " (land_binary_mask) where it has one; default: the ground of the analysis",
    )
    add("--no-sides", action="store_true", help="write no sides.nc")
    add("--steady", action="store_true", help="sides are those of the start all the time")
    add("--no-picture", action="store_true", help="write no start.png")


def main(options: argparse.Namespace) -> int:
    """Write the files, a summary and a picture; the exit code."""
    from halocline.atmosphere.start.analysis_case import AnalysisCase
    from halocline.atmosphere.start.making import Making
    from halocline.atmosphere.start.pressure_level_files import PressureLevelFiles
    from halocline.core.clock import text
    from halocline.grids.files.gridded_files import expand
    from halocline.runtime.fields.topology import all_sides

    case = AnalysisCase.read(options.case)
    named = _here_or_shipped(options.file)
    files = PressureLevelFiles(expand(named, Path()), case.clock.start.calendar)
    ground = Path(_here_or_shipped(options.ground)) if options.ground else None
    making = Making(files, case, ground)
    folder = Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    for line in making.write_start(folder / "start.nc"):
        print(line)
    if not any(case.grid.topology.is_closed(side) for side in all_sides):
        print("no sides: those of the grid are joined, mirrors or poles")
    elif not options.no_sides:
        for moment in making.write_sides(folder / "sides.nc", steady=options.steady):
            print(f"sides of {text(moment)}", flush=True)
    if not options.no_picture:
        from halocline.analysis.plot import plot

        shown = ["sea_level_pressure", "skin_temperature", "precipitable_water", "ground"]
        for path in plot(folder / "start.nc", shown, output=folder / "start.png"):
            print(path)
    return 0


def _here_or_shipped(name: str) -> str:
    """A file or a pattern as it is given, or of that name among the shipped data."""
    from halocline.component.case.shipped import data_folder

    shipped = data_folder() / name
    return str(shipped) if not Path(name).exists() and shipped.is_file() else name
