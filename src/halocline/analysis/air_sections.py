"""Vertical sections of the air along a line: over heights where a file has them, or pressure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from halocline.analysis import looks, reading
from halocline.analysis.channel_sections import edges_of, is_upward, levels_of
from halocline.analysis.map_grid import Numbers, grid_of
from halocline.analysis.maps import add_colour_bar
from halocline.analysis.section_lines import SectionLine, indices
from halocline.analysis.sections import degree_marks, in_grid_order
from halocline.analysis.titles import headline, panel_title


@dataclass(frozen=True)
class AirSection:
    """A field along a line: its values (level, place) and the edges of its cells there."""

    line: SectionLine
    values: Numbers
    edges: Numbers  # (level + 1, place): height [km] or pressure [hPa]
    vertical: str  # "height", "height of levels" (over flat ground) or "pressure"


def is_of_air(field: xr.DataArray) -> bool:
    """Whether a field has heights or levels of pressure."""
    levels = levels_of(field)
    return levels is not None and (is_upward(field) or is_pressure(levels))


def is_pressure(levels: xr.DataArray) -> bool:
    """Whether levels are pressures."""
    return levels.attrs.get("standard_name") == "air_pressure"


def along_line(record: xr.DataArray, line: SectionLine) -> Numbers:
    """Values (level, place) of a record of a field with levels: bilinear between centres."""
    grid, levels = grid_of(record), levels_of(record)
    assert levels is not None
    values = record.transpose(str(levels.dims[0]), *grid.dimensions).values.astype(np.float64)
    values = in_grid_order(record, grid, values)
    j, i = indices(grid, line)
    row = np.minimum(j.astype(int), max(values.shape[1] - 2, 0))
    column = np.minimum(i.astype(int), max(values.shape[2] - 2, 0))
    found = np.zeros((values.shape[0], j.size))
    for dj in range(min(2, values.shape[1])):
        for di in range(min(2, values.shape[2])):
            share = np.abs(1.0 - dj - (j - row)) * np.abs(1.0 - di - (i - column))
            part = np.where(share > 0.0, values[:, row + dj, column + di], 0.0)
            found += share * part
    return found


def air_section(
    dataset: xr.Dataset, field: xr.DataArray, index: int, line: SectionLine
) -> AirSection:
    """A record of a field with levels along a line, between the edges of its layers there."""
    levels = levels_of(field)
    assert levels is not None
    values = along_line(reading.record(field, index), line)
    place = np.ones(line.x.size)
    if is_pressure(levels):
        pressure = levels.values * (0.01 if levels.attrs.get("units") == "Pa" else 1.0)
        order = np.argsort(-pressure)
        edges = np.exp(edges_of(np.log(pressure[order])))
        return AirSection(line, values[order], edges[:, None] * place, "pressure")
    heights = reading.find(dataset, "geopotential_height")
    if heights is None or (known := levels_of(heights)) is None or not is_upward(heights):
        nominal = edges_of(levels.values.astype(np.float64))
        edges = np.maximum(1e-3 * nominal, 0.0)[:, None] * place
        return AirSection(line, values, edges, "height of levels")
    faces = 1e-3 * along_line(reading.record(heights, index), line)
    if levels.size == known.size:
        middle = 0.5 * (faces[1:] + faces[:-1])
        faces = np.concatenate([faces[:1], middle, faces[-1:]])
    return AirSection(line, values, faces, "height")


def air_sections_figure(
    dataset: xr.Dataset, fields: list[xr.DataArray], index: int, line: SectionLine, title: str = ""
) -> Figure:
    """One panel for each field along a line."""
    height = 0.95 + 2.9 * len(fields)
    figure = Figure(figsize=(10.2, height))
    panels = figure.subplots(len(fields), 1, sharex=True, squeeze=False)[:, 0]
    figure.subplots_adjust(
        left=0.08, right=0.91, bottom=0.55 / height, top=1.0 - 0.75 / height, hspace=0.25
    )
    for axes, field in zip(panels, fields, strict=True):
        section = air_section(dataset, field, index, line)
        _draw(figure, axes, field, section)
    _label(panels[-1], line)
    time = reading.valid_time(reading.record(fields[0], index))
    headline(figure, title, 0.08, 1.0 - 0.22 / height, 0.91, time)
    return figure


def _draw(figure: Figure, axes: Axes, field: xr.DataArray, section: AirSection) -> None:
    look = looks.look_of(field).fitted(section.values)
    low, high, marks = looks.limits(section.values, look.scale)
    beside = section.edges[:, :1], section.edges, section.edges[:, -1:]
    padded = np.concatenate(beside, axis=1)
    corners = 0.5 * (padded[:, 1:] + padded[:, :-1])
    mesh = axes.pcolormesh(
        np.broadcast_to(edges_of(section.line.axis), corners.shape), corners, section.values,
        cmap=look.colours, vmin=low, vmax=high,
    )  # fmt: skip
    axes.set_facecolor("#8f8a80")
    if section.vertical == "pressure":
        axes.set_yscale("log")
        axes.set_ylim(corners.max(), corners.min())
        known = [mark for mark in (1000, 850, 700, 500, 300, 200, 100, 50)
                 if corners.min() <= mark <= corners.max()]  # fmt: skip
        axes.set_yticks(known, [str(mark) for mark in known])
        axes.set_yticks([], minor=True)
        axes.set_ylabel("pressure [hPa]")
    else:
        axes.set_ylim(min(0.0, corners.min()), corners.max())
        axes.set_ylabel(f"{section.vertical} [km]")
    panel_title(axes, f"{looks.name_with_units(field)} {section.line.words}")
    add_colour_bar(figure, axes, mesh, marks)


def _label(axes: Axes, line: SectionLine) -> None:
    if line.along in ("longitude", "latitude"):
        axes.set_xticks(*degree_marks(line.axis, eastward=line.along == "longitude"))
    else:
        axes.set_xlabel(f"{line.along or 'way'} [km]")
