"""Pictures of one station: polar and frequency spectrum, spectrum through time, time series."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import PowerNorm
from matplotlib.contour import QuadContourSet
from matplotlib.figure import Figure
from matplotlib.projections.polar import PolarAxes
from numpy.typing import NDArray

from halocline.analysis import looks, reading
from halocline.analysis.maps import degrees_east, degrees_north
from halocline.analysis.series import dates_on, draw_series, plain_axes
from halocline.analysis.spectrum import StationSpectra, station_spectra
from halocline.analysis.titles import headline

Numbers = NDArray[np.float64]
CALM = 0.1
"""Weaker winds [m s-1] have no direction worth drawing."""
PERIOD_RINGS = (25.0, 14.0, 10.0, 7.0, 5.0, 4.0, 3.0)


def station_sheet(dataset: xr.Dataset, station: int, record: int, title: str = "") -> Figure:
    """One figure of a station: its spectra at one record, and its history around it."""
    spectra = station_spectra(dataset, station)
    figure = Figure(figsize=(12.2, 8.3))
    polar = figure.add_axes((0.03, 0.468, 0.34, 0.37), projection="polar")
    assert isinstance(polar, PolarAxes)
    wind = wind_at(dataset, station)
    draw_polar_spectrum(figure, polar, spectra, record, wind and (wind[0][record], wind[1][record]))
    draw_frequency_spectrum(figure.add_axes((0.06, 0.075, 0.29, 0.315)), spectra, record)
    if len(spectra.times) > 1:
        _history(figure, spectra, record, wind)
    name = reading.station_names(dataset)[station].replace("_", " ")
    place = place_of(dataset, station)
    when = spectra.times[record]
    moment = reading.moment(when) if hasattr(when, "strftime") or when.dtype.kind == "M" else ""
    headline(figure, f"{title or 'Wave spectra'}: {name}", 0.04, 0.966, 0.975, moment)
    figure.text(0.04, 0.928, _facts(spectra, record, place), fontsize=9.5, color="#555555")
    return figure


def _facts(spectra: StationSpectra, record: int, place: str) -> str:
    numbers = (
        ("Hs", spectra.significant_height, "{:.2f} m"),
        ("Tp", spectra.peak_period, "{:.1f} s"),
        ("Tm-1,0", spectra.mean_period, "{:.1f} s"),
        ("from", spectra.mean_direction, "{:.0f}°"),
    )
    parts = [f"{name} {form.format(values[record])}" for name, values, form in numbers]
    return "   ".join(([place] if place else []) + parts)


def place_of(dataset: xr.Dataset, station: int) -> str:
    """Latitude, longitude and depth of a station as printed, as far as the file has them."""
    parts = []
    for what, form in (("latitude", degrees_north), ("longitude", degrees_east)):
        place = reading.coordinate(dataset, what)
        values = _at_station(dataset, place, station)
        if place is None or values is None:
            continue
        value = float(values.ravel()[0])
        metres = reading.is_cartesian(place)
        letter = "y" if what == "latitude" else "x"
        parts.append(f"{letter} {value * 1e-3:g} km" if metres else form(round(value, 3)))
    depth = _at_station(dataset, reading.find(dataset, "depth", "dpt"), station)
    if depth is not None and np.isfinite(depth.ravel()[0]):
        parts.append(f"depth {depth.ravel()[0]:.0f} m")
    return "  ".join(parts)


def _at_station(dataset: xr.Dataset, values: xr.DataArray | None, station: int) -> Numbers | None:
    if values is None:
        return None
    name = reading.station_dimension(dataset)
    chosen = values.isel({name: station}) if name in values.dims else values
    return np.asarray(chosen.values, dtype=np.float64)


def wind_at(dataset: xr.Dataset, station: int) -> tuple[Numbers, Numbers] | None:
    """Speed [m s-1] and the direction [degree] wind comes from at a station, through time."""
    speed = reading.find(dataset, "wind_speed", "wnd")
    direction = reading.find(dataset, "wind_from_direction", "wnddir", "wind_direction")
    if speed is None or direction is None:
        return None
    values = _at_station(dataset, speed, station), _at_station(dataset, direction, station)
    if values[0] is None or values[1] is None:
        return None
    return np.atleast_1d(values[0]), np.atleast_1d(values[1])


def draw_polar_spectrum(
    figure: Figure,
    axes: PolarAxes,
    spectra: StationSpectra,
    record: int,
    wind: tuple[float, float] | None = None,
) -> QuadContourSet:
    """Directional spectrum where waves come from, north up, long waves inside.

    The radius is the logarithm of the frequency; rings tell the period [s].
    """
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    smooth_angle, density = _refined(spectra.coming_from, spectra.density[record])
    inner = np.log(spectra.frequency[0]) - 0.25
    radius = np.log(spectra.frequency) - inner
    highest = max(float(density.max()), 1e-12)
    levels = highest * np.linspace(0.08, 1.0, 30) ** 2
    filled = axes.contourf(
        np.deg2rad(smooth_angle), radius, density, levels=levels, cmap=looks.palette("thermal"),
        norm=PowerNorm(0.5, 0.0, highest), extend="neither",
    )  # fmt: skip
    _polar_frame(axes, spectra, inner, spectra.density[record])
    if wind is not None and np.isfinite(wind).all() and wind[0] >= CALM:
        _wind_arrow(axes, wind, float(radius[-1]))
    place = axes.inset_axes((1.13, 0.04, 0.028, 0.92))
    bar = figure.colorbar(filled, cax=place, ticks=highest * np.array([0.05, 0.25, 0.5, 0.75, 1.0]))
    bar.ax.set_yticklabels([short(value) for value in bar.get_ticks()])
    bar.set_label("variance density [m² s rad⁻¹]")
    bar.outline.set_linewidth(0.5)
    axes.set_title("Directional spectrum, where waves come from", pad=20.0, loc="left", x=0.0)
    return filled


def _refined(angle: Numbers, density: Numbers, parts: int = 6) -> tuple[Numbers, Numbers]:
    """Directions closed to a circle and refined linearly, so that contours bend with the rings."""
    count = len(angle)
    place = np.arange(count * parts + 1) / parts
    left = place.astype(int)
    share = place - left
    values = density[:, left % count] * (1.0 - share) + density[:, (left + 1) % count] * share
    return angle[0] + place * 360.0 / count, values


def quiet_angle(coming_from: Numbers, density: Numbers) -> float:
    """Direction between the main ones [degree] around which there is least energy."""
    candidates = np.arange(337.5, 0.0, -45.0)
    away = np.abs(np.remainder(coming_from[None] - candidates[:, None] + 180.0, 360.0) - 180.0)
    near = np.where(away < 50.0, density.sum(axis=0)[None], 0.0).sum(axis=1)
    return float(candidates[near.argmin()])


def _polar_frame(axes: PolarAxes, spectra: StationSpectra, inner: float, density: Numbers) -> None:
    first, last = spectra.frequency[0], spectra.frequency[-1]
    rings = [period for period in PERIOD_RINGS if first <= 1.0 / period <= last]
    axes.set_ylim(0.0, np.log(last) - inner)
    axes.set_yticks([np.log(1.0 / period) - inner for period in rings])
    axes.set_yticklabels([f"{period:g} s" for period in rings], fontsize=7.0, color="#333333")
    axes.set_rlabel_position(quiet_angle(spectra.coming_from, density))
    axes.set_xticks(np.deg2rad(np.arange(0, 360, 45)), ["N", "NE", "E", "SE", "S", "SW", "W", "NW"])
    axes.tick_params(axis="x", pad=1.0)
    axes.set_facecolor("#f6f7f9")
    axes.grid(True, color="#9aa3ad", linewidth=0.4, alpha=0.6)


def _wind_arrow(axes: PolarAxes, wind: tuple[float, float], rim: float) -> None:
    speed, coming_from = wind
    angle = np.deg2rad(coming_from)
    axes.annotate(
        "", xy=(angle, 0.62 * rim), xytext=(angle, 0.99 * rim),
        arrowprops={"arrowstyle": "-|>", "color": looks.ORANGE, "linewidth": 1.8},
    )  # fmt: skip
    axes.text(
        1.0, 0.0, f"wind {speed:.1f} m/s", color=looks.ORANGE, fontsize=8.5,
        transform=axes.transAxes, ha="right", va="top",
    )  # fmt: skip


def draw_frequency_spectrum(axes: Axes, spectra: StationSpectra, record: int) -> None:
    """E(f) at one record, with the period on top and the peak marked."""
    energy = spectra.by_frequency[record]
    axes.fill_between(spectra.frequency, energy, color=looks.BLUE, alpha=0.18, linewidth=0)
    axes.plot(spectra.frequency, energy, color=looks.BLUE, linewidth=1.6)
    peak = spectra.peak_period[record]
    highest = max(float(energy.max()), 1e-12)
    if np.isfinite(peak):
        axes.axvline(1.0 / peak, color="#777777", linewidth=0.8, linestyle=(0, (4, 3)))
        axes.annotate(
            f"Tp {peak:.1f} s", (1.0 / peak, 0.97), (5.0, 0.0), fontsize=8.5, va="top",
            xycoords=("data", "axes fraction"), textcoords="offset points",
        )  # fmt: skip
    shown = spectra.frequency[energy > 2e-3 * highest]
    last = min(spectra.frequency[-1], 1.15 * float(shown.max())) if shown.size else 0.5
    axes.set_xlim(0.9 * spectra.frequency[0], last)
    axes.set_ylim(0.0, 1.12 * highest)
    axes.set_xlabel("frequency [Hz]")
    axes.set_ylabel("E(f) [m² Hz⁻¹]")
    axes.set_title("Frequency spectrum", pad=22.0)
    above = axes.secondary_xaxis("top")
    above.set_xticks(*_period_marks(axes.get_xlim()))
    plain_axes(axes)


def _period_marks(limits: tuple[float, float]) -> tuple[list[float], list[str]]:
    """Frequencies of round periods that stand far enough apart, and their labels."""
    places: list[float] = []
    labels: list[str] = []
    for period in (25, 20, 15, 12, 10, 8, 6, 5, 4, 3, 2):
        frequency = 1.0 / period
        apart = not places or frequency - places[-1] > 0.06 * (limits[1] - limits[0])
        if limits[0] <= frequency <= limits[1] and apart:
            places.append(frequency)
            labels.append(f"{period} s")
    return places, labels


def _history(
    figure: Figure, spectra: StationSpectra, record: int, wind: tuple[Numbers, Numbers] | None
) -> None:
    """Height, period, direction and E(f) through time, one under the other."""
    left, width = 0.485, 0.45
    rows = [figure.add_axes((left, bottom, width, 0.165)) for bottom in (0.69, 0.493, 0.296)]
    times = spectra.times
    draw_series(rows[0], times, {"Hs": spectra.significant_height}, "height [m]", filled=True)
    periods = {"Tp": spectra.peak_period, "Tm-1,0": spectra.mean_period}
    draw_series(rows[1], times, periods, "period [s]")
    directions = {"waves": spectra.mean_direction} | (
        {"wind": _where_it_blows(wind)} if wind else {}
    )
    draw_series(rows[2], times, directions, "coming from", direction=True)
    lowest = figure.add_axes((left, 0.075, width, 0.19))
    _draw_spectrogram(figure, lowest, spectra)
    for axes in (*rows, lowest):
        axes.set_xlim(times[0], times[-1])
        axes.axvline(times[record], color="#555555", linewidth=0.9, linestyle=(0, (4, 3)))
    for axes in rows:
        axes.tick_params(labelbottom=False)
    rows[0].set_title("History")
    dates_on(lowest.xaxis)


def _where_it_blows(wind: tuple[Numbers, Numbers]) -> Numbers:
    return np.where(wind[0] >= CALM, wind[1], np.nan)


def short(value: float) -> str:
    """Two digits, or all before the point.

    >>> short(0.0312), short(4.1), short(112.3)
    ('0.031', '4.1', '112')
    """
    return f"{value:.0f}" if value >= 99.5 else f"{value:.2g}"


def _draw_spectrogram(figure: Figure, axes: Axes, spectra: StationSpectra) -> None:
    """E(f) through time: swell from a far storm shows as a ridge that rises to higher frequency."""
    energy = spectra.by_frequency.T
    highest = max(float(energy.max()), 1e-12)
    mesh = axes.contourf(
        spectra.times, spectra.frequency, energy, cmap=looks.palette("thermal"),
        levels=highest * np.linspace(0.0, 1.0, 33) ** 2, norm=PowerNorm(0.5, 0.0, highest),
    )  # fmt: skip
    axes.set_yscale("log")
    low, high = spectra.frequency[0], min(spectra.frequency[-1], 0.35)
    axes.set_ylim(low, high)
    periods = [p for p in (25, 20, 15, 10, 7, 5, 4, 3) if low <= 1.0 / p <= high]
    axes.set_yticks([1.0 / p for p in periods], [f"{p} s" for p in periods])
    axes.set_yticks([], minor=True)
    axes.set_ylabel("spectrum [m² Hz⁻¹]")
    place = axes.inset_axes((1.015, 0.0, 0.018, 1.0))
    bar = figure.colorbar(mesh, cax=place, ticks=highest * np.array([0.05, 0.25, 0.5, 1.0]))
    bar.ax.set_yticklabels([short(value) for value in bar.get_ticks()])
    bar.outline.set_linewidth(0.5)
