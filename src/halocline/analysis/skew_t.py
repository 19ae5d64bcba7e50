"""Skew-T log-p diagrams of soundings, by the conventions of MetPy's.

Temperature is red, dew point green, the parcel black; dry adiabats are red, pseudo-adiabats blue,
mixing ratios green lines behind them; winds are barbs in knots on the right.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from halocline.analysis.maps import degrees_east, degrees_north
from halocline.analysis.soundings import Sounding
from halocline.analysis.titles import headline
from halocline.core import moist_air, parcels

Numbers = NDArray[np.float64]

bottom, top = 1050.0, 100.0
"""Ends of the diagram [hPa]."""

coldest, warmest = -40.0, 50.0
"""Temperatures at the bottom [degree C]."""

skew = 37.0
"""By which lines of one temperature go to the right for a factor e of pressure [K]."""

shown_mixing_ratios = (0.4, 1.0, 2.0, 4.0, 7.0, 10.0, 16.0, 24.0, 32.0)
"""[g kg-1]"""

knots = 3600.0 / 1852.0
least_barb_distance = 0.045
"""Of the logarithm of pressure between barbs."""


def along(celsius: Numbers, pressure: Numbers) -> Numbers:
    """Where a temperature [degree C] lies along the bottom, at a pressure [hPa].

    >>> along(np.array(20.0), np.array(1050.0)).item()
    20.0
    """
    return celsius + skew * np.log(bottom / pressure)


def skew_t_figure(sounding: Sounding, title: str = "") -> Figure:
    """The diagram of one sounding."""
    figure = Figure(figsize=(8.6, 8.4))
    axes = figure.add_axes((0.085, 0.065, 0.78, 0.83))
    _prepare(axes)
    _background(axes)
    _parcel(axes, sounding)
    pressure = sounding.pressure / 100.0
    for values, colour, label in (
        (sounding.dewpoint, "#1a7f37", "dew point"),
        (sounding.temperature, "#c62828", "temperature"),
    ):
        celsius = values - moist_air.melting_point
        axes.plot(along(celsius, pressure), pressure, color=colour, lw=2.0, label=label, zorder=5)
    _barbs(axes, sounding)
    axes.legend(loc="upper right", fontsize=8.0, frameon=True, framealpha=0.9, edgecolor="none")
    north, east = round(sounding.latitude, 2), round(sounding.longitude, 2)
    place = f"{degrees_north(north)}, {degrees_east(east)}"
    if sounding.flat:
        place = f"x {1e-3 * east:g} km, y {1e-3 * north:g} km"
    words = f"{title} · {place}" if title else place
    headline(figure, words, 0.085, 0.965, 0.865, sounding.time)
    figure.text(0.085, 0.925, _numbers(sounding), fontsize=9.0, va="top")
    return figure


def _prepare(axes: Axes) -> None:
    """Axes of log p downward and of temperature at the bottom."""
    axes.set_yscale("log")
    axes.set_ylim(bottom, top)
    axes.set_xlim(coldest, warmest)
    axes.set_facecolor("white")
    marks = np.arange(100, 1001, 100)
    axes.set_yticks(marks, [str(mark) for mark in marks])
    axes.set_yticks([], minor=True)
    axes.set_xticks(np.arange(coldest, warmest + 1, 10.0))
    axes.set_xlabel("temperature [°C]")
    axes.set_ylabel("pressure [hPa]")
    axes.grid(visible=True, axis="y", color="#b9c0c7", lw=0.6)


def _background(axes: Axes) -> None:
    """Lines of one temperature, dry adiabats, pseudo-adiabats and mixing ratios."""
    p = np.geomspace(bottom, top, 120)
    for celsius in np.arange(-120.0, 51.0, 10.0):
        strong = 1.1 if celsius == 0.0 else 0.6
        axes.plot(along(np.full(p.size, celsius), p), p, color="#b9c0c7", lw=strong, zorder=1)
    for theta in np.arange(243.15, 474.0, 10.0):
        celsius = theta * moist_air.exner(100.0 * p) - moist_air.melting_point
        axes.plot(along(celsius, p), p, color="#d1691b", ls="--", lw=0.8, alpha=0.45)
    start = moist_air.melting_point + np.array([-30, -20, -10, 0, 5, 10, 15, 20, 25, 30, 35.0])
    for temperature in start:
        begin = np.full(p.size, temperature), np.full(p.size, 1e5)
        celsius = moist_air.lifted_saturated(*begin, 100.0 * p) - moist_air.melting_point
        axes.plot(along(celsius, p), p, color="#0b5fa5", ls="--", lw=0.8, alpha=0.45)
    low = p[p >= 500.0]
    for ratio in shown_mixing_ratios:
        vapor = moist_air.vapor_pressure(np.full(low.size, 1e-3 * ratio), 100.0 * low)
        celsius = moist_air.dewpoint(vapor) - moist_air.melting_point
        x = along(celsius, low)
        axes.plot(x, low, color="#2f8f6b", ls=":", lw=1.0, alpha=0.7, zorder=1.5)
        if coldest < x[-1] < warmest:
            axes.text(x[-1], low[-1], f"{ratio:g}", color="#2f8f6b", fontsize=6.5, ha="center")


def _parcel(axes: Axes, sounding: Sounding) -> None:
    """The path of the lowest air, its level of condensation, and where it is lighter or not."""
    start = tuple(
        float(values[0])
        for values in (sounding.pressure, sounding.temperature, sounding.mixing_ratio)
    )
    p = np.geomspace(sounding.pressure[0], max(sounding.pressure[-1], 100.0 * top), 300)
    path = parcels.parcel_temperature(p, (start[0], start[1], start[2]))
    around = np.interp(-np.log(p), -np.log(sounding.pressure), sounding.temperature)
    x, y = along(path - moist_air.melting_point, p / 100.0), p / 100.0
    other = along(around - moist_air.melting_point, p / 100.0)
    axes.plot(x, y, color="black", lw=1.5, label="rising from the ground", zorder=6)
    found = parcels.surface_parcel(
        *(v[:, None] for v in (sounding.pressure, sounding.temperature, sounding.mixing_ratio))
    )
    if found.cape[0] > 0.0:
        free = (p <= found.free_convection_level[0]) & (p >= found.equilibrium_level[0])
        axes.fill_betweenx(
            y, other, x, where=free & (x > other), color="#c62828", alpha=0.25, lw=0, zorder=3
        )
        held = (p > found.free_convection_level[0]) & (x < other)
        axes.fill_betweenx(y, x, other, where=held, color="#0b5fa5", alpha=0.25, lw=0, zorder=3)
    level = found.condensation_level[0] / 100.0
    celsius = np.interp(-np.log(100.0 * level), -np.log(p), path) - moist_air.melting_point
    axes.plot(along(celsius, np.array(level)), level, "ko", ms=5.0, zorder=7)


def _barbs(axes: Axes, sounding: Sounding) -> None:
    """Winds beside the diagram, so many that they do not lie on each other."""
    if sounding.wind is None:
        return
    kept, last = [], np.inf
    for k, pressure in enumerate(sounding.pressure / 100.0):
        if top <= pressure <= bottom and last - np.log(pressure) >= least_barb_distance:
            kept.append(k)
            last = np.log(pressure)
    u, v = (knots * wind[kept] for wind in sounding.wind)
    where = np.full(len(kept), 1.055)
    axes.barbs(
        where, sounding.pressure[kept] / 100.0, u, v, transform=axes.get_yaxis_transform(),
        length=6.0, linewidth=0.7, clip_on=False, zorder=8,
    )  # fmt: skip
    axes.text(1.055, -0.035, "knots", transform=axes.transAxes, fontsize=7.0, ha="center")


def _numbers(sounding: Sounding) -> str:
    """What the parcel of the ground does, in words."""
    found = parcels.surface_parcel(
        *(v[:, None] for v in (sounding.pressure, sounding.temperature, sounding.mixing_ratio))
    )
    words = [
        f"CAPE {found.cape[0]:.0f} J/kg",
        f"CIN {found.cin[0]:.0f} J/kg",
        f"condensation {found.condensation_level[0] / 100:.0f} hPa",
    ]
    if found.cape[0] > 0.0:
        words.append(f"free convection {found.free_convection_level[0] / 100:.0f} hPa")
        words.append(f"equilibrium {found.equilibrium_level[0] / 100:.0f} hPa")
    return "    ".join(words)
