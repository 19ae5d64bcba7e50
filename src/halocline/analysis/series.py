"""Series in time at points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib.dates
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from numpy.typing import NDArray

from halocline.analysis import looks, reading
from halocline.analysis.titles import headline, panel_title

COLOURS = (looks.BLUE, looks.ORANGE, looks.GREEN, looks.PURPLE, "#555555")
SMALL = 5e-3
"""A series that changes by less of itself is drawn as its change [1]."""


def draw_series(
    axes: Axes,
    times: NDArray[Any],
    lines: Mapping[str, NDArray[Any]],
    label: str,
    *,
    filled: bool = False,
    direction: bool = False,
) -> None:
    """Lines through time; directions [degree] as dots, so that passing north draws no line."""
    for colour, (name, values) in zip(COLOURS, lines.items(), strict=False):
        if direction:
            axes.plot(times, values, ".", color=colour, markersize=3.5, label=name)
            continue
        marker = "o" if len(times) == 1 else None
        axes.plot(times, values, color=colour, linewidth=1.5, marker=marker, label=name)
        if filled:
            axes.fill_between(times, values, color=colour, alpha=0.15, linewidth=0)
    axes.set_ylabel(label)
    if direction:
        axes.set_ylim(0.0, 360.0)
        axes.set_yticks([0, 90, 180, 270, 360], ["N", "E", "S", "W", "N"])
    elif filled:
        axes.set_ylim(bottom=0.0)
    if any(lines):
        axes.legend(
            loc="lower right", bbox_to_anchor=(1.0, 0.98), ncols=len(lines), fontsize=8.0,
            handlelength=1.2, borderpad=0.1, borderaxespad=0.1,
        )  # fmt: skip
    plain_axes(axes)


def plain_axes(axes: Axes) -> None:
    """White ground with a faint grid."""
    axes.set_facecolor("white")
    axes.grid(True, color="#dfe3e7", linewidth=0.6)
    axes.set_axisbelow(True)


def dates_on(axis: Axis) -> None:
    """Dates written as short as they can be."""
    dates: Any = matplotlib.dates
    locator = dates.AutoDateLocator(minticks=4, maxticks=9)
    axis.set_major_locator(locator)
    axis.set_major_formatter(dates.ConciseDateFormatter(locator))


def plain_times(dataset: xr.Dataset) -> NDArray[Any]:
    """Times that can be drawn: dates of any calendar as those of the usual one, else numbers."""
    time = reading.coordinate(dataset, "time")
    if time is None:
        return np.array([0.0])
    values = np.atleast_1d(time.values)
    if values.dtype == object:
        return np.array([value.strftime("%Y-%m-%dT%H:%M:%S") for value in values], "datetime64[s]")
    return values


def series_sheet(dataset: xr.Dataset, variables: list[xr.DataArray], title: str = "") -> Figure:
    """One panel per variable, one line per station (five at most)."""
    times = plain_times(dataset)
    station = reading.station_dimension(dataset)
    names = reading.station_names(dataset)
    rows = len(variables)
    figure = Figure(figsize=(9.6, 0.9 + 1.75 * rows))
    panels = figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0]
    figure.subplots_adjust(
        left=0.09, right=0.975, bottom=0.45 / (0.9 + 1.75 * rows),
        top=1.0 - 0.62 / (0.9 + 1.75 * rows), hspace=0.28,
    )  # fmt: skip
    for axes, variable in zip(panels, variables, strict=True):
        if station in variable.dims:
            columns = variable.transpose(..., station).values
            lines = {name: columns[:, n] for n, name in enumerate(names[: len(COLOURS)])}
        else:
            lines = {"": variable.values}
        look = looks.look_of(variable)
        is_direction = look.scale == "direction"
        units = "" if is_direction else looks.units_of(variable)
        name = looks.title_of(variable)
        if not is_direction and (level := level_of(variable)):
            name += f" less {level:.15g} {units}"
            lines = {station: values - level for station, values in lines.items()}
        elif units:
            name += f" [{units}]"
        draw_series(axes, times, lines, "", direction=is_direction)
        if not is_direction:
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:.5g}")
        panel_title(axes, name)
    if len(times) > 1:
        panels[0].set_xlim(times[0], times[-1])
    elif times.dtype.kind == "M":
        panels[0].set_xlim(*(times[0] + np.timedelta64(day, "D") for day in (-1, 1)))
    if times.dtype.kind == "M":
        dates_on(panels[-1].xaxis)
    height = figure.get_size_inches()[1]
    headline(figure, title, 0.09, 1.0 - 0.22 / height, 0.975)
    return figure


def level_of(data: xr.DataArray) -> float:
    """What is taken off a series that hardly changes, so that its change is seen; else 0.

    Its digits are as many as leave of the series no more than some times its change.

    >>> level_of(xr.DataArray([1e18 + 2e9, 1e18])), level_of(xr.DataArray([1.0, 2.0]))
    (1e+18, 0.0)
    >>> level_of(xr.DataArray([1.33196200512e18, 1.33196200512e18 - 1e7]))
    1.33196200512e+18
    """
    values = data.values[np.isfinite(data.values)].astype(np.float64)
    most = np.abs(values).max(initial=0.0)
    change = np.ptp(values) if values.size else 0.0
    if not 1e-12 * most < change < SMALL * most:
        return 0.0
    digits = max(6, int(np.ceil(np.log10(most / change))))
    return float(f"{values[0]:.{digits}g}")
