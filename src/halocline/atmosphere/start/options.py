"""How a start or sides of the atmosphere are made from analyses."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class AnalysisOptions(Options):
    """Analyses on pressure levels, and how they become the model's columns."""

    files: list[str] = option(
        [],
        "",
        "netCDF, Zarr or GRIB2, or patterns such as gfs_*.nc: a run makes the files that start.file"
        " and sides.file name of these where they are missing or made for another grid or time;"
        " none: `halocline analysis` makes them",
    )
    ground: str = option(
        "",
        "",
        "height of the ground at the cells of the case, or at more around them (surface_altitude),"
        " with its land (land_binary_mask) where it has one; not given: the ground of the analyses",
    )
    steady: bool = option(False, "", "sides made by a run are those of the start all the time")
    saturation: str = option(
        "clouds",
        "",
        "what relative humidity is relative to: saturation over water, or over water above 0, over"
        " ice below -20 degrees C and a blend between (GFS and IFS)",
        choices=("clouds", "water"),
    )
    between_levels: str = option(
        "heights",
        "",
        "temperature between two levels: a line in log p, or the parabola that also keeps the"
        " thickness which the heights of the analysis give the layer",
        choices=("heights", "line"),
    )
    between_columns: str = option(
        "cubic",
        "",
        "temperature, height, wind and vapour between columns of the analysis: a cubic spline, of"
        " vapour within the columns around, or a line, which has a kink in each column",
        choices=("cubic", "line"),
    )
    columns: str = option(
        "steady",
        "",
        "wind of the start and the sides: one by which columns keep their mass, or 'free', that of"
        " the analysis, from which waves of pressure go out",
        choices=("steady", "free"),
        source="tutorial of MM5, chapter 7 (INTERPF): integrated mean divergence",
    )
    lapse_rate: float = option(
        0.0065,
        "K m-1",
        "by which temperature grows downward below the ground of the analysis",
        at_least=0.0,
        at_most=0.03,
        source="International Standard Atmosphere (ICAO Doc 7488)",
    )
