"""Pictures of a history: by version, and of one version in the course of time."""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from itertools import cycle
from pathlib import Path
from typing import Any

import matplotlib.dates
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from halocline.analysis import looks
from halocline.core.errors import UserError
from halocline_lab.evolution.history_series import Point, Series, level_changes
from halocline_lab.evolution.history_tables import minute, unit

most_series = 8
colours = (looks.BLUE, looks.ORANGE, looks.GREEN, looks.PURPLE)


def draw(all_series: Sequence[Series], path: Path) -> None:
    """One row of panels per quantity: by version; where one ran again, by date as well."""
    some = all_series[:most_series]
    if not some:
        raise UserError("There is nothing to draw: no quantity of the history has that word.")
    again = any(_repeated(series) for series in some)
    with looks.style():
        figure = Figure(figsize=(9.0, 0.6 + 2.3 * len(some)), layout="constrained")
        grid = figure.subplots(len(some), 1 + again, squeeze=False)
        changed = {(s.command, s.name, p.version) for s, p, _ in level_changes(some)}
        for row, series in zip(grid, some, strict=True):
            draw_versions(row[0], series)
            _mark(row[0], series, changed)
            if again:
                draw_dates(row[1], series)
        figure.savefig(path, dpi=110)


def draw_versions(axes: Axes, series: Series) -> None:
    """Versions from left to right; what ran in turns is joined, and so is what ran alone."""
    versions = _versions(series)
    place = {version: at for at, version in enumerate(versions)}
    alone = [batch[0] for batch in series.batches if len(batch) == 1]
    lines = [(f"in turns, {minute(b[0].date)}", b) for b in series.batches if len(b) > 1]
    if alone:
        lines.insert(0, ("as measured then", alone))
    # Batches stand beside each other, so that their bounds can be told apart.
    room = 0.08 * (np.arange(len(lines)) - 0.5 * (len(lines) - 1))
    for (label, points), colour, shift in zip(lines, cycle(colours), room):
        _line(axes, [place[p.version] + shift for p in points], points, colour, label)
    step = max(1, len(versions) // 8)
    axes.set_xticks(
        range(0, len(versions), step),
        [f"{name}\n{_committed(series, name)}" for name in versions[::step]],
    )
    axes.set_xlim(-0.4, len(versions) - 0.6)
    axes.legend(fontsize=7.5, loc="lower left")
    benchmark = series.command.partition(" ")[0]
    name = textwrap.fill(f"{benchmark}: {series.name}", 62)
    _finish(axes, series, f"{name}\nby version")


def draw_dates(axes: Axes, series: Series) -> None:
    """The same version in the course of time: what changes here is the system."""
    for (version, points), colour in zip(_repeated(series).items(), cycle(colours)):
        _line(axes, [_day(point.date) for point in points], points, colour, version)
    dates: Any = matplotlib.dates
    locator = dates.AutoDateLocator(maxticks=6)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))
    if _repeated(series):
        axes.legend(fontsize=7.5, loc="lower left")
    _finish(axes, series, "same version, by date")


def _line(axes: Axes, x: Sequence[float], points: Sequence[Point], colour: str, label: str) -> None:
    y = np.array([point.value for point in points])
    below = y - [min(point.low, point.value) for point in points]
    above = np.array([max(point.high, point.value) for point in points]) - y
    axes.errorbar(
        x, y, yerr=[below, above], color=colour, label=label, marker="o", markersize=4.0,
        linewidth=1.2, elinewidth=1.0, capsize=2.5,
    )  # fmt: skip


def _finish(axes: Axes, series: Series, what: str) -> None:
    axes.set_title(what, fontsize=8.5)
    better = f"{series.better} is better"
    axes.set_ylabel(f"[{unit(series)}], {better}" if unit(series) else better)
    low, high = axes.get_ylim()
    axes.set_ylim(min(0.0, low), high)
    axes.grid(axis="y", color="white", linewidth=0.8)
    axes.set_axisbelow(True)


def _mark(axes: Axes, series: Series, changed: set[tuple[str, str, str]]) -> None:
    for at, version in enumerate(_versions(series)):
        if (series.command, series.name, version) in changed:
            axes.axvline(at - 0.5, color="#b03030", linestyle="--", linewidth=1.0)


def _versions(series: Series) -> list[str]:
    """All versions, by the date of their commit."""
    ordered = sorted(series.points, key=lambda p: (_day(p.committed), p.version.endswith("+")))
    return list(dict.fromkeys(point.version for point in ordered))


def _committed(series: Series, version: str) -> str:
    point = next(p for p in series.points if p.version == version)
    return minute(point.committed)[5:].replace(" ", "\n")


def _repeated(series: Series) -> dict[str, list[Point]]:
    """Versions that ran in several batches."""
    found: dict[str, list[Point]] = defaultdict(list)
    for point in series.points:
        found[point.version].append(point)
    return {version: points for version, points in found.items() if len(points) > 1}


def _day(date: str) -> float:
    """Days since 1970."""
    return datetime.fromisoformat(date).timestamp() / 86400.0
