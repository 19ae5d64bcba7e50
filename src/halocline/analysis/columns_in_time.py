"""A single column of water or air in time: depth downward or height upward, time to the right."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from halocline.analysis import looks, reading
from halocline.analysis.channel_sections import edges_of, is_upward, levels_of, surface_of
from halocline.analysis.hovmoeller import times_as_numbers
from halocline.analysis.maps import add_colour_bar
from halocline.analysis.profiles import at_point, shape_of
from halocline.analysis.series import dates_on, plain_times
from halocline.analysis.titles import headline, panel_title


def columns(fields: list[xr.DataArray]) -> list[xr.DataArray]:
    """Those of the fields that have depths and two records or more, where the sea is one column."""
    deep = [field for field in fields if _has_both(field)]
    return deep if deep and shape_of(surface_of(deep[0])) == "point" else []


def _has_both(field: xr.DataArray) -> bool:
    time = reading.coordinate(field, "time")
    return time is not None and time.ndim == 1 and time.size > 1 and levels_of(field) is not None


def columns_in_time(fields: list[xr.DataArray], title: str = "") -> Figure:
    """One panel for each field: its column over time."""
    return draw_columns([at_point(field, surface_of(field)) for field in fields], title)


def draw_columns(fields: list[xr.DataArray], title: str = "") -> Figure:
    """One panel for each field of time and depth, or height."""
    height = 0.95 + 2.0 * len(fields)
    figure = Figure(figsize=(9.6, height))
    panels = figure.subplots(len(fields), 1, sharex=True, squeeze=False)[:, 0]
    figure.subplots_adjust(
        left=0.085, right=0.9, bottom=0.52 / height, top=1.0 - 0.72 / height, hspace=0.3
    )
    for axes, field in zip(panels, fields, strict=True):
        depth = levels_of(field)
        assert depth is not None
        levels = np.abs(depth.values.astype(np.float64))
        order = np.argsort(levels, kind="stable")
        values = field.transpose(str(depth.dims[0]), ...).values[order].astype(np.float64)
        times = times_as_numbers(plain_times(field.to_dataset(name="field")))
        edges = np.maximum(edges_of(levels[order]), 0.0)
        look = looks.look_of(field).fitted(values)
        low, high, marks = looks.limits(values, look.scale)
        mesh = axes.pcolormesh(
            edges_of(times), edges, values, cmap=look.colours, vmin=low, vmax=high
        )
        axes.set_ylim(*((0.0, max(edges)) if is_upward(field) else (max(edges), 0.0)))
        axes.set_ylabel("height [m]" if is_upward(field) else "depth [m]")
        units = looks.units_of(field)
        panel_title(axes, looks.title_of(field) + (f" [{units}]" if units else ""))
        add_colour_bar(figure, axes, mesh, marks)
    dates_on(panels[-1].xaxis)
    headline(figure, title, 0.085, 1.0 - 0.22 / height, 0.9)
    return figure
