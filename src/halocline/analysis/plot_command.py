"""Arguments of `halocline plot`; the drawing itself is loaded when it is called."""

from __future__ import annotations

import argparse
from pathlib import Path


def main_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `halocline plot`."""
    add = parser.add_argument
    add(
        "file",
        metavar="FILE",
        help="output file of a run, any CF netCDF file or Zarr folder; or a case: its grid",
    )
    add("variable", metavar="VARIABLE", nargs="*", help="what to draw; default: the main fields")
    add("--time", help="such as 2011-01-20T12, or the number of a record; default: the last")
    add("--animate", action="store_true", help="write a GIF of all times (and MP4 with ffmpeg)")
    add("-o", "--output", help="name of the picture, or a folder; default: beside FILE")
    add(
        "--region",
        help="west,east,south,north in degrees, or a name such as global, pacific-centred, "
        "north-atlantic, mediterranean",
    )
    add("--station", help="name of a station in a file of points; default: the first six")
    add(
        "--arrows",
        choices=("auto", "waves", "wind", "barbs", "none"),
        default="auto",
        help="arrows on maps; waves point where they go",
    )
    add(
        "--level",
        type=float,
        help="depth or height to draw [m], or pressure [hPa]; default: the surface",
    )
    add(
        "--section",
        help="vertical section: latitude=, longitude=, x= or y=NUMBER; of air also between two "
        "places: --section=LON,LAT,LON,LAT, or X,Y,X,Y in km",
    )
    add("--hovmoeller", metavar="LINE", help="against time: latitude=NUMBER or longitude=NUMBER")
    add(
        "--sounding",
        nargs=2,
        type=float,
        metavar=("LON", "LAT"),
        help="Skew-T diagram of the column of air nearest to this place; x and y in km if flat",
    )
    add(
        "--page",
        action="store_true",
        help="write a page for a browser: maps of weeks, a section, means by depth and day",
    )
    add("--grid", action="store_true", help="draw the grid that FILE holds; a case has no other")
    add("--lines", type=int, metavar="N", help="grids: a line every N cells; 0: none")
    add("--title", help="headline")


def run(arguments: argparse.Namespace) -> int:
    """Draw what the arguments ask for and print the names of the pictures; the exit code."""
    from halocline.analysis.plot import place_of_page, plot
    from halocline.analysis.week_page import WeekPage

    if arguments.page:
        page = WeekPage(arguments.file, arguments.section or "", arguments.title or "")
        print(page.write(place_of_page(Path(arguments.file), arguments.output)))
        return 0
    given = vars(arguments)
    names = (
        "file variable time animate output region station arrows level section hovmoeller sounding"
    )
    for path in plot(**{name: given[name] for name in [*names.split(), "title"]}):
        print(path)
    return 0
