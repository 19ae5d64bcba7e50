"""`halocline plot`: look at a file and draw what makes sense."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from halocline.analysis import looks, profiles, reading, sections, wave_fields
from halocline.analysis.air_sections import air_sections_figure, is_of_air, is_pressure
from halocline.analysis.animation import animate as write_animation
from halocline.analysis.channel_sections import channel_sections, deep_channels, line_at, middle_of
from halocline.analysis.coastline import Extent
from halocline.analysis.columns_in_time import columns, columns_in_time, draw_columns
from halocline.analysis.hovmoeller import hovmoeller_figure
from halocline.analysis.map_grid import grid_of
from halocline.analysis.maps import has_land
from halocline.analysis.moving_files import at_places, moves
from halocline.analysis.northward import northward_figure, northward_of
from halocline.analysis.section_lines import SectionLine, line_of
from halocline.analysis.series import series_sheet
from halocline.analysis.sheet import map_sheet
from halocline.analysis.skew_t import skew_t_figure
from halocline.analysis.soundings import has_soundings, sounding_at
from halocline.analysis.spectra import station_sheet
from halocline.analysis.wave_fields import Arrows
from halocline.core.errors import UserError, nearest

PIXELS_PER_INCH = 130
MOST_STATIONS = 6


def plot(
    file: str | Path,
    variable: str | Sequence[str] | None = None,
    time: str | int | None = None,
    animate: bool = False,
    output: str | Path | None = None,
    region: str | Extent | None = None,
    *,
    station: str | None = None,
    arrows: Arrows = "auto",
    level: float | None = None,
    section: str | None = None,
    hovmoeller: str | None = None,
    sounding: tuple[float, float] | None = None,
    title: str | None = None,
) -> list[Path]:
    """Draw a file and return the pictures written.

    Fields become maps of one time (the last, if `time` is not given), point spectra one sheet
    per station, other series lines in time. `output` is a picture or an existing folder; without
    it pictures lie beside `file` and carry its name. `region` is a name or west, east, south,
    north [degree]; `level` a depth [m]; `section` "latitude=NUMBER" or "longitude=NUMBER",
    or "x=NUMBER" or "y=NUMBER" [km]; `hovmoeller` "latitude=NUMBER" or "longitude=NUMBER", which
    is drawn against time; `sounding` a longitude and a latitude [degree] whose column of air is
    drawn as a Skew-T diagram. A record of a grid that moves along is drawn where it lies, in
    animations and against time all of them on a grid over all their places.
    """
    with reading.open_output(file, moving=True) as opened, looks.style():
        if moves(opened):
            every = animate or hovmoeller is not None
            opened = at_places(opened, None if every else reading.time_index(opened, time, file))
            time = None
        dataset = _readable(wave_fields.with_wind_speed(opened))
        kind = reading.kind_of(dataset, file)
        place = place_of(Path(file), output)
        names = [variable] if isinstance(variable, str) else list(variable or [])
        chosen = [reading.variable_named(dataset, name, file) for name in names]
        heading = title if title is not None else _heading(dataset, kind, bool(chosen))
        if sounding is not None:
            index = reading.time_index(dataset, time, file)
            column = sounding_at(dataset, sounding, index, file)
            return [save(skew_t_figure(column, heading), place("-sounding.png"))]
        if kind == "spectra" and not chosen:
            index = reading.time_index(dataset, time, file)
            return _spectra(dataset, station, index, place, heading, file)
        at_stations = reading.columns_at_stations(dataset) if kind == "points" else []
        deep = chosen or [dataset[name] for name in at_stations]
        if at_stations and all(some.name in at_stations for some in deep):
            record = None if chosen else reading.time_index(dataset, time, file)
            return _columns(dataset, deep, station, record, place, heading, file)
        if kind != "fields":
            return _series(dataset, chosen, time, place, heading, file)
        if hovmoeller is not None:
            return _in_time(dataset, chosen, level, hovmoeller, place, heading, file)
        if section is not None:
            return _sections(dataset, chosen, time, section, place, heading, file)
        drawing = {"title": heading, "region": region, "arrows": arrows}
        return _maps(dataset, chosen, time, animate, place, file, level, **drawing)


def _readable(dataset: xr.Dataset) -> xr.Dataset:
    """The data set with transports in units whose numbers can be read."""
    large = {name: some for name, some in dataset.data_vars.items() if looks.is_transport(some)}
    return dataset.assign({name: looks.readable(some) for name, some in large.items()})


def _heading(dataset: xr.Dataset, kind: str, chosen: bool) -> str:
    name = " ".join(str(dataset.attrs.get("title", "")).split())
    if kind == "spectra" and not chosen:
        return "Wave spectrum"
    height = reading.find(dataset, wave_fields.HEIGHT)
    is_map = kind == "fields" and height is not None and profiles.shape_of(height) == "map"
    if height is not None and is_map and has_land(dataset, reading.record(height, -1)):
        return f"Wave forecast · {name}" if name else "Wave forecast"
    return name


def _maps(
    dataset: xr.Dataset,
    chosen: list[xr.DataArray],
    time: str | int | None,
    animate: bool,
    place: Callable[[str], Path],
    file: str | Path,
    level: float | None,
    **drawing: Any,
) -> list[Path]:
    fields = chosen or wave_fields.sheet_fields(dataset)
    if not fields:
        raise UserError(
            f"Cannot choose what to draw of '{file}': name one of "
            f"{reading.listed(reading.fields_of(dataset))}."
        )
    fields = _drawable(fields, dataset, file)
    index = reading.time_index(dataset, time, file)
    together = chosen or [dataset[name] for name in reading.of_most_interest(dataset)[:6]]
    standing = columns(together)
    if standing and level is None and not animate:
        return [save(columns_in_time(standing, drawing["title"]), place("-column.png"))]
    deep = deep_channels(fields)
    if deep and level is None and not animate:
        if is_of_air(deep[0]):
            figure = air_sections_figure(dataset, deep, index, _middle(deep[0]), drawing["title"])
        else:
            figure = channel_sections(deep, index, drawing["title"])
        return [save(figure, place("-section.png"))]
    fields = [_at_level(field, level, file) for field in fields]
    if animate:
        return [
            path
            for field in (chosen and fields) or fields[:1]
            for path in write_animation(dataset, field, place(f"-{field.name}.gif"), **drawing)
        ]
    everything = [_at_level(field, level, file) for field in together]
    narrow = _narrow(everything, index, drawing["title"])
    if narrow is not None:
        return [save(narrow, place("-lines.png"))]
    record = _record_of(dataset, index)
    shown = [in_usual_units(reading.record(field, index)) for field in fields]
    figure, _ = map_sheet(record, shown, **drawing)
    suffix = f"-{chosen[0].name}" if len(chosen) == 1 else "-maps"
    return [save(figure, place(f"{suffix}.png"))]


def _middle(field: xr.DataArray) -> SectionLine:
    """Along the middle of a channel of air."""
    grid, line = grid_of(field), middle_of(field)
    at = (grid.latitude if line.eastward else grid.longitude)[line.number]
    axes = ("latitude", "longitude") if grid.geographic else ("y", "x")
    return line_of(grid, f"{axes[0 if line.eastward else 1]}={at}")


def in_usual_units(field: xr.DataArray) -> xr.DataArray:
    """Pressure of air in hPa, as weather maps have it; other fields as they are.

    >>> pressure = {"units": "Pa", "standard_name": "air_pressure"}
    >>> in_usual_units(xr.DataArray(1e5, attrs=pressure)).item()
    1000.0
    """
    if field.attrs.get("units") != "Pa" or "air_pressure" not in field.attrs.get(
        "standard_name", ""
    ):
        return field
    return (0.01 * field).assign_attrs({**field.attrs, "units": "hPa"})


def _narrow(fields: list[xr.DataArray], index: int, title: str) -> Figure | None:
    """Lines instead of maps where the sea is a channel or a point."""
    shape = profiles.shape_of(fields[0])
    if shape == "channel":
        return profiles.channel_sheet(fields, index, title)
    points = [profiles.at_point(field) for field in fields] if shape == "point" else []
    if points and reading.coordinate(points[0], "time") is not None and points[0].ndim == 1:
        return series_sheet(points[0].to_dataset(), points, title)
    return None


def _drawable(
    fields: list[xr.DataArray], dataset: xr.Dataset, file: str | Path
) -> list[xr.DataArray]:
    known = reading.fields_of(dataset)
    for field in fields:
        if field.name not in known:
            raise UserError(
                f"Cannot draw a map of '{field.name}' in '{file}': it is no field on the grid. "
                f"Fields are: {reading.listed(known)}."
            )
    return fields


def _record_of(dataset: xr.Dataset, index: int) -> xr.Dataset:
    axis = reading.coordinate(dataset, "time")
    if axis is None or axis.ndim != 1:
        return dataset
    return dataset.isel({str(axis.dims[0]): index})


def _at_level(field: xr.DataArray, level: float | None, file: str | Path) -> xr.DataArray:
    """The level nearest to a depth or height [m], or a pressure [hPa]; without one, the level
    nearest to the surface."""
    depth = reading.coordinate(field, "depth")
    if depth is None or depth.ndim != 1 or depth.dims[0] not in field.dims:
        if level is not None:
            raise UserError(f"'{field.name}' in '{file}' has no depths: leave out the level.")
        return field
    wanted = abs(level or 0.0)
    if is_pressure(depth):
        wanted = (
            np.inf if level is None else level * (100.0 if depth.attrs.get("units") == "Pa" else 1)
        )
    distance = np.abs(np.abs(depth.values.astype(np.float64)) - min(wanted, 1e9))
    return field.isel({str(depth.dims[0]): int(distance.argmin())})


def _sections(
    dataset: xr.Dataset,
    chosen: list[xr.DataArray],
    time: str | int | None,
    section: str,
    place: Callable[[str], Path],
    title: str,
    file: str | Path,
) -> list[Path]:
    deep = [dataset[name] for name in reading.fields_of(dataset)]
    deep = [field for field in deep if reading.coordinate(field, "depth") is not None]
    if not (chosen or deep):
        raise UserError(f"Cannot cut a section through '{file}': no field in it has depths.")
    written, index = [], reading.time_index(dataset, time, file)
    air = [field for field in chosen or deep[:1] if is_of_air(field)]
    if air:
        line = line_of(grid_of(air[0]), section)
        figure = air_sections_figure(dataset, air, index, line, title)
        suffix = re.sub(r"[^\w.-]+", "", section.replace(",", "_"))
        written.append(save(figure, place(f"-{air[0].name}-{suffix}.png")))
    for field in chosen or deep[:1]:
        if is_of_air(field):
            continue
        along, at = sections.parse_section(section)
        if along in ("x", "y"):
            figure = channel_sections([field], index, title, line_at(field, along, at))
        else:
            figure, _ = sections.section_figure(reading.record(field, index), along, at, title)
        written.append(save(figure, place(f"-{field.name}-{along}{at:g}.png")))
    return written


def _in_time(
    dataset: xr.Dataset,
    chosen: list[xr.DataArray],
    level: float | None,
    line: str,
    place: Callable[[str], Path],
    title: str,
    file: str | Path,
) -> list[Path]:
    """Diagrams of Hovmoeller."""
    along, at = sections.parse_section(line)
    written = []
    for field in _drawable(chosen or wave_fields.sheet_fields(dataset)[:1], dataset, file):
        figure = hovmoeller_figure(_at_level(field, level, file), along, at, title)
        written.append(save(figure, place(f"-{field.name}-{along}{at:g}-time.png")))
    return written


def _spectra(
    dataset: xr.Dataset,
    station: str | None,
    index: int,
    place: Callable[[str], Path],
    title: str,
    file: str | Path,
) -> list[Path]:
    return [
        save(station_sheet(dataset, number, index, title), place(f"-{_plain(name)}.png"))
        for number, name in _stations(dataset, station, file)
    ]


def _stations(dataset: xr.Dataset, station: str | None, file: str | Path) -> list[tuple[int, str]]:
    """Number and name of the station that is asked for, or of the first ones."""
    names = reading.station_names(dataset)
    if station is not None and station not in names:
        raise UserError(
            f"There is no station '{station}' in '{file}'.{nearest(station, names)} "
            f"It has: {reading.listed(names)}."
        )
    wanted = [station] if station is not None else names[:MOST_STATIONS]
    return [(names.index(name), name) for name in wanted]


def _columns(
    dataset: xr.Dataset,
    fields: list[xr.DataArray],
    station: str | None,
    index: int | None,
    place: Callable[[str], Path],
    title: str,
    file: str | Path,
) -> list[Path]:
    """Skew-T diagrams of the columns at stations at a record; fields of them in time if there is
    no record, or no temperature of air."""
    written = []
    for number, name in _stations(dataset, station, file):
        here = dataset.isel({reading.station_dimension(dataset): number})
        words = f"{title} · {name}" if title else name
        if index is not None and has_soundings(here):
            figure = skew_t_figure(sounding_at(here, None, index, file), words)
        else:
            figure = draw_columns([here[field.name] for field in fields[:4]], words)
        written.append(save(figure, place(f"-{_plain(name)}.png")))
    return written


def _series(
    dataset: xr.Dataset,
    chosen: list[xr.DataArray],
    time: str | int | None,
    place: Callable[[str], Path],
    title: str,
    file: str | Path,
) -> list[Path]:
    known, northward = reading.series_of(dataset), northward_of(dataset)
    for variable in chosen:
        if variable.name not in [*known, *northward]:
            raise UserError(
                f"Cannot draw '{variable.name}' in '{file}' as a series in time. "
                f"Series are: {reading.listed([*known, *northward])}."
            )
    told = [name for name in known if np.isfinite(dataset[name].values).any()]
    drawn = chosen or [dataset[name] for name in [*told[:6], *northward]]
    lines = [variable for variable in drawn if variable.name in known]
    lines = [in_usual_units(line) for line in lines]
    written = [save(series_sheet(dataset, lines, title), place("-series.png"))] if lines else []
    index = reading.time_index(dataset, time, file)
    return written + [
        save(northward_figure(variable, index, title), place(f"-{variable.name}.png"))
        for variable in drawn
        if variable.name in northward
    ]


def _plain(name: str) -> str:
    return re.sub(r"[^\w.-]+", "_", name)


def place_of(file: Path, output: str | Path | None) -> Callable[[str], Path]:
    """Where a picture goes: beside the file, into a folder, or to one given name."""
    if output is None:
        return lambda suffix: file.with_name(file.stem + suffix)
    target = Path(output)
    if target.is_dir():
        return lambda suffix: target / (file.stem + suffix)
    if target.suffix.lower() not in (".png", ".gif", ".pdf", ".svg", ".jpg", ".mp4"):
        raise UserError(
            f"'{output}' is neither a folder that exists nor the name of a picture "
            f"(.png, .pdf, .svg, .jpg, .gif)."
        )
    used: list[Path] = []

    def place(suffix: str) -> Path:
        path = (
            target
            if not used
            else target.with_name(target.stem + suffix).with_suffix(target.suffix)
        )
        used.append(path)
        return path

    return place


def place_of_page(file: Path, output: str | Path | None) -> Path:
    """Where a page goes: beside the file, into a folder, or to a given name that ends in .html."""
    target = file.with_suffix(".html") if output is None else Path(output)
    if target.is_dir():
        return target / f"{file.stem}.html"
    if target.suffix.lower() != ".html":
        raise UserError(f"'{output}' is neither a folder that exists nor the name of a .html file.")
    return target


def save(figure: Figure, path: Path) -> Path:
    """Write a picture; its path."""
    try:
        figure.savefig(path, dpi=PIXELS_PER_INCH)
    except OSError as error:
        raise UserError(f"Cannot write the picture '{path}': {error.strerror}.") from None
    return path
