"""Command `halocline satellite`: the chlorophyll of a run beside that of satellites."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

words = "compare the chlorophyll of a run with a file of satellites: bias, RMS, correlation, maps"
example = "satellite results/mediterranean-bloom/daily.nc chlorophyll.nc -o chlorophyll.png"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add = parser.add_argument
    add("model", metavar="FILE", help="maps of a run")
    add("satellite", metavar="SATELLITE", help="maps of chlorophyll, any CF netCDF file or Zarr")
    add("--variable", default="", help="name in FILE; default: by standard name")
    add("--satellite-variable", default="", help="name in SATELLITE; default: by standard name")
    add("--within", default="12h", help="most time between records that are compared (12h)")
    add("-o", "--output", help="name of the picture; default: satellite.png beside FILE")
    add("--maps", metavar="NC", help="write the mean maps to this netCDF file too")
    add("--json", metavar="JSON", help="write all numbers to this file")


def main(options: argparse.Namespace) -> int:
    """Compare, print and draw; the exit code."""
    from halocline.analysis.satellite import agreement_figure, compare_chlorophyll
    from halocline.core.clock import duration
    from halocline.core.counting import amount

    found = compare_chlorophyll(
        options.model,
        options.satellite,
        model_variable=options.variable,
        satellite_variable=options.satellite_variable,
        within=duration(options.within).total_seconds(),
    )
    count = amount(len(found.records), "record")
    print(f"{count} of chlorophyll, model against satellite")
    for line in found.whole.lines():
        print(f"  {line}")
    picture = Path(options.output or Path(options.model).with_name("satellite.png"))
    agreement_figure(found).savefig(picture, dpi=150)
    print(picture)
    if options.maps:
        found.maps.to_netcdf(options.maps)
        print(options.maps)
    if options.json:
        Path(options.json).write_text(json.dumps(found.as_json(), indent=1), encoding="utf-8")
        print(options.json)
    return 0
