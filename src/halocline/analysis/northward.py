"""What an ocean carries northward: overturning by depth, heat and salt by latitude and time."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from halocline.analysis import looks, reading
from halocline.analysis.hovmoeller import against_time
from halocline.analysis.map_grid import Numbers
from halocline.analysis.maps import add_colour_bar
from halocline.analysis.sections import degree_marks, depth_axis
from halocline.analysis.series import plain_axes
from halocline.analysis.titles import headline, panel_title

FEW = 4
"""Records up to which values along a line are drawn as lines."""


def northward_of(dataset: xr.Dataset) -> list[str]:
    """Names of variables in time along parallels: by depth too (overturning), or without."""
    time = reading.coordinate(dataset, "time")
    return [
        str(name)
        for name, variable in dataset.data_vars.items()
        if time is not None
        and variable.ndim in (2, 3)
        and variable.dims[0] in time.dims
        and all(axis in dataset.coords for axis in variable.dims[1:])
        and _is_northward(variable[variable.dims[-1]])
    ]


def _is_northward(places: xr.DataArray) -> bool:
    return str(places.name) in ("parallel", "y") and places.ndim == 1


def northward_figure(data: xr.DataArray, index: int, title: str = "") -> Figure:
    """Overturning of a record; of what has no depth a diagram over time, or lines of few records.

    `data` has the axes time, depth where it has one, and parallel.
    """
    if data.ndim == 3:
        return _overturning(data.isel({data.dims[0]: index}), title)
    places = _places(data)
    if data.shape[0] > FEW:
        values = data.values.astype(np.float64)
        return against_time(
            data, places, values, looks.name_with_units(data), title, eastward=False
        )
    figure = Figure(figsize=(9.6, 3.8))
    axes = figure.add_axes((0.085, 0.12, 0.885, 0.7))
    shades = looks.palette("dense")(np.linspace(0.25, 0.85, data.shape[0]))
    for number, shade in enumerate(shades):
        record = data.isel({data.dims[0]: number})
        axes.plot(places, record.values, color=shade, label=reading.valid_time(record))
    plain_axes(axes)
    _mark(axes, data, places)
    axes.legend(loc="best", fontsize=8.0)
    panel_title(axes, looks.name_with_units(data))
    headline(figure, title, 0.085, 0.94, 0.97)
    return figure


def _places(data: xr.DataArray) -> Numbers:
    """Places along the axis: degrees, or km on a plane."""
    axis = data[data.dims[-1]]
    factor = 1.0 if str(axis.attrs.get("units", "")).startswith("degree") else 1e-3
    return np.asarray(axis.values, np.float64) * factor


def _mark(axes: Axes, data: xr.DataArray, places: Numbers) -> None:
    axes.set_xlim(places[0], places[-1])
    if str(data[data.dims[-1]].attrs.get("units", "")).startswith("degree"):
        axes.set_xticks(*degree_marks(places, eastward=False))
    else:
        axes.set_xlabel("y [km]")


def _overturning(record: xr.DataArray, title: str) -> Figure:
    """What flows northward above each depth, with the depth of the interfaces of levels."""
    places = _places(record)
    depth = np.asarray(record[record.dims[0]].values, np.float64)
    order = np.argsort(depth)
    values, depth = record.values.astype(np.float64)[order], depth[order]
    look = looks.Look("balance", "around zero")
    low, high, marks = looks.limits(values, look.scale)
    figure = Figure(figsize=(9.6, 4.6))
    axes = figure.add_axes((0.085, 0.09, 0.82, 0.75))
    shown = axes.contourf(
        places, depth, values, levels=np.linspace(low, high, 4 * marks.size - 3),
        cmap=look.colours, extend="both",
    )  # fmt: skip
    axes.contour(places, depth, values, levels=marks, colors="#1d2329", linewidths=0.4)
    depth_axis(axes, float(depth.max()))
    _mark(axes, record, places)
    axes.set_ylabel("depth [m]")
    panel_title(axes, looks.name_with_units(record))
    add_colour_bar(figure, axes, shown, marks)
    headline(figure, title, 0.085, 0.945, 0.905, reading.valid_time(record))
    return figure
